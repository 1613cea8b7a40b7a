import {
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_RESPONSE_META,
  type PaymentRequired,
  type SettlementResponse,
} from '../../../domain/payment/payment.ts';
import type { ToolOutcome, ToolResult } from '../../../domain/tool/tool.ts';
import type { ChallengeCarrier } from '../endpoint-core.ts';
import { errorJson, RPC, type RpcId, resultJson } from '../json-rpc.ts';
import { createdOf } from '../tasks/legacy.ts';

/** How the call came in, as far as its answer depends on it. */
export interface Carried {
  readonly carrier: ChallengeCarrier;
  /** A payment of x402 version 1 was presented, which is not taken. */
  readonly hasLegacyPayment: boolean;
  /** The call asked to be a task of 2025-11-25. */
  readonly asTask?: boolean;
}

/** An outcome in words of the wire. */
export interface WordedOutcome {
  readonly json: string;
  readonly status: number;
  readonly headers: readonly string[];
}

const NO_HEADERS: readonly string[] = [];
/** What was bought, and what it costs, is for one caller: no cache on the way may keep it. */
const NO_STORE: readonly string[] = ['cache-control', 'no-store'];
/** Clients of MCP take a 202 as an answer without a body and would wait for ever. */
const ACCEPTED = 202;

/** Words an outcome as a JSON-RPC response and, for HTTP, the status and headers with it. */
export function wordOutcome(id: RpcId, outcome: ToolOutcome, carried: Carried): WordedOutcome {
  switch (outcome.kind) {
    case 'result': {
      const { result, settlement } = outcome;
      const json =
        carried.asTask === true
          ? createdJson(id, outcome)
          : resultJson(id, JSON.stringify(withSettlement(result, settlement)));
      if (settlement === undefined) return { json, status: 200, headers: NO_HEADERS };
      return { json, status: 200, headers: [...NO_STORE, ...settlementHeader(settlement)] };
    }
    case 'payment_required': {
      const required = carried.hasLegacyPayment ? nameVersion(outcome.required) : outcome.required;
      const result = withSettlement(challengeResult(required), outcome.settlement);
      const json = resultJson(id, JSON.stringify(result));
      if (carried.carrier === 'in_band') return { json, status: 200, headers: NO_STORE };
      const challenge = [
        PAYMENT_REQUIRED_HEADER,
        base64Json(required),
        ...NO_STORE,
        ...settlementHeader(outcome.settlement),
      ];
      return {
        json,
        status: outcome.status === ACCEPTED ? 200 : outcome.status,
        headers: challenge,
      };
    }
    case 'unknown_tool':
      return {
        json: errorJson(id, RPC.PARAMS, unknownTool(outcome)),
        status: 200,
        headers: NO_HEADERS,
      };
  }
}

function createdJson(id: RpcId, outcome: Extract<ToolOutcome, { kind: 'result' }>): string {
  const made = createdOf(outcome);
  if ('result' in made) {
    return resultJson(id, JSON.stringify(withSettlement(made.result, outcome.settlement)));
  }
  return errorJson(id, made.code, made.message, made.data);
}

/** What a call of an unknown tool is told. */
export function unknownTool({ name, hint }: Extract<ToolOutcome, { kind: 'unknown_tool' }>) {
  return hint === undefined ? `Unknown tool: ${name}` : `Unknown tool: ${name}; ${hint}`;
}

/** The result that carries a challenge in band: the same JSON twice, structured and as text. */
export function challengeResult(required: PaymentRequired): ToolResult {
  const text = JSON.stringify(required);
  return { isError: true, structuredContent: JSON.parse(text), content: [{ type: 'text', text }] };
}

/** Puts a settlement into a result's `_meta`. */
export function withSettlement(
  result: ToolResult,
  settlement: SettlementResponse | undefined,
): ToolResult {
  if (settlement === undefined) return result;
  const receipt = JSON.parse(JSON.stringify(settlement));
  return { ...result, _meta: { ...result._meta, [PAYMENT_RESPONSE_META]: receipt } };
}

/** Says in a challenge which version is spoken here. */
export function nameVersion(required: PaymentRequired): PaymentRequired {
  const error =
    'This server speaks x402 version 2: send PAYMENT-SIGNATURE; X-PAYMENT (version 1) is refused.';
  return { ...required, error };
}

function settlementHeader(settlement: SettlementResponse | undefined): readonly string[] {
  return settlement === undefined ? NO_HEADERS : [PAYMENT_RESPONSE_HEADER, base64Json(settlement)];
}

function base64Json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
