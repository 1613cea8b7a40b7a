import { formatMicroUsd, type MicroUsdText, parseUsd } from '../../domain/common/money.ts';

/** Limits for payments without approval. Amounts in micro-dollars; days are UTC. */
export interface Caps {
  /** Limit for one call. */
  readonly perCall: MicroUsdText;
  /** Limit for all calls of a day. */
  readonly perDay: MicroUsdText;
  /** Limit for all calls of a tool in a day, by tool name; 0 blocks the tool. */
  readonly perTool: Readonly<Record<string, MicroUsdText>>;
}

/** The caps that applied to one payment when it was reserved. */
export interface CallCaps {
  readonly perCall: MicroUsdText;
  readonly perDay: MicroUsdText;
  readonly perTool: MicroUsdText | null;
}

/** Default caps on the local chain, whose money has no value. */
export const TEST_MONEY_CAPS: Caps = createCaps('2.00', '10.00');
/** Default caps on any other chain. */
export const REAL_MONEY_CAPS: Caps = createCaps('0.10', '1.00');

/** Amounts already spent or held on the day of a payment, in micro-dollars. */
export interface SpentTotals {
  readonly day: bigint;
  readonly tool: bigint;
}

/** A cap that a payment would exceed. Amounts in micro-dollars. */
export interface CapBreach {
  readonly cap: 'per_call' | 'per_day' | 'per_tool';
  readonly limit: MicroUsdText;
  /** Spent or held under this cap before the payment. */
  readonly used: MicroUsdText;
}

/** Returns the first cap that a payment would exceed: per call, per tool, then per day. */
export function findBreach(
  amount: bigint,
  caps: CallCaps,
  totals: SpentTotals,
): CapBreach | undefined {
  const rules = [
    { cap: 'per_call', limit: caps.perCall, used: 0n },
    { cap: 'per_tool', limit: caps.perTool, used: totals.tool },
    { cap: 'per_day', limit: caps.perDay, used: totals.day },
  ] as const;
  for (const { cap, limit, used } of rules) {
    if (limit === null || used + amount <= BigInt(limit)) continue;
    return { cap, limit, used: formatMicroUsd(used) };
  }
  return undefined;
}

/** Returns the caps for a call of a tool. */
export function capsForTool({ perCall, perDay, perTool }: Caps, tool: string): CallCaps {
  const own = Object.hasOwn(perTool, tool) ? perTool[tool] : undefined;
  return { perCall, perDay, perTool: own ?? null };
}

function createCaps(perCall: string, perDay: string): Caps {
  return {
    perCall: formatMicroUsd(parseUsd(perCall)),
    perDay: formatMicroUsd(parseUsd(perDay)),
    perTool: {},
  };
}
