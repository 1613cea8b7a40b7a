import { type MicroUsdText, microUsd, toText } from '../../domain/common/money.ts';

/** What a wallet may spend by itself. Amounts in micro-dollars; days are those of UTC. */
export interface Caps {
  /** Most that one call may cost. */
  readonly perCall: MicroUsdText;
  /** Most that all calls of a day may cost together. */
  readonly perDay: MicroUsdText;
  /** Most that the calls of one tool may cost in a day, by the tool's name; 0 forbids it. */
  readonly perTool: Readonly<Record<string, MicroUsdText>>;
}

/** The caps of one payment as they stood when it was made. */
export interface CapsOfCall {
  readonly perCall: MicroUsdText;
  readonly perDay: MicroUsdText;
  readonly perTool: MicroUsdText | null;
}

/** Caps on the local chain, whose money is worth nothing, unless told otherwise. */
export const TEST_MONEY_CAPS: Caps = caps('2.00', '10.00');
/** Caps on any other chain unless told otherwise. */
export const REAL_MONEY_CAPS: Caps = caps('0.10', '1.00');

/** What is spent or held already on the day of a payment. */
export interface Totals {
  readonly day: bigint;
  readonly tool: bigint;
}

/** A cap that a payment would break. Amounts in micro-dollars. */
export interface CapBreach {
  readonly cap: 'per_call' | 'per_day' | 'per_tool';
  readonly limit: MicroUsdText;
  /** Spent or held under this cap before the payment. */
  readonly used: MicroUsdText;
}

/** Says which cap a payment would break, the narrowest first; nothing when all of them hold. */
export function breachOf(amount: bigint, caps: CapsOfCall, totals: Totals): CapBreach | undefined {
  const rules = [
    { cap: 'per_call', limit: caps.perCall, used: 0n },
    { cap: 'per_tool', limit: caps.perTool, used: totals.tool },
    { cap: 'per_day', limit: caps.perDay, used: totals.day },
  ] as const;
  for (const { cap, limit, used } of rules) {
    if (limit === null || used + amount <= BigInt(limit)) continue;
    return { cap, limit, used: toText(used) };
  }
  return undefined;
}

/** The caps that hold for a call of a tool. */
export function capsFor({ perCall, perDay, perTool }: Caps, tool: string): CapsOfCall {
  const own = Object.hasOwn(perTool, tool) ? perTool[tool] : undefined;
  return { perCall, perDay, perTool: own ?? null };
}

function caps(perCall: string, perDay: string): Caps {
  return { perCall: toText(microUsd(perCall)), perDay: toText(microUsd(perDay)), perTool: {} };
}
