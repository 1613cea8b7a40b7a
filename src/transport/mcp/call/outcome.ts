import {
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_RESPONSE_META,
  type PaymentRequired,
  type SettlementResponse,
} from '../../../domain/payment/payment.ts';
import type { ToolOutcome } from '../../../domain/tool/tool.ts';
import type { ToolResult } from '../../../domain/tool/tool-result.ts';
import type { ChallengeCarrier } from '../endpoint-core.ts';
import { errorJson, RPC, type RpcId, resultJson } from '../json-rpc.ts';
import { toCreatedTask } from '../tasks/session-task-methods.ts';
import { challengeResult, maskLoginHints } from './challenge-result.ts';

/** Facts of the request that affect the form of its answer. */
export interface CallContext {
  readonly carrier: ChallengeCarrier;
  /** The request has an x402 version 1 payment, which is not supported. */
  readonly hasLegacyPayment: boolean;
  /** The call asked to run as a task of 2025-11-25. */
  readonly asTask?: boolean;
}

/** An outcome in wire format. */
export interface SerializedOutcome {
  readonly json: string;
  readonly status: number;
  readonly headers: readonly string[];
}

const NO_HEADERS: readonly string[] = [];
/** Results and prices belong to one caller, so no cache may store them. */
const NO_STORE: readonly string[] = ['cache-control', 'no-store'];
/** MCP clients treat a 202 as a reply without a body and would wait forever. */
const ACCEPTED = 202;

/** Serialises an outcome as a JSON-RPC response, with the HTTP status and headers. */
export function serializeOutcome(
  id: RpcId,
  outcome: ToolOutcome,
  context: CallContext,
): SerializedOutcome {
  switch (outcome.kind) {
    case 'result': {
      const { result, settlement } = outcome;
      const json =
        context.asTask === true
          ? serializeCreatedTask(id, outcome)
          : resultJson(id, JSON.stringify(withSettlement(result, settlement)));
      if (settlement === undefined) return { json, status: 200, headers: NO_HEADERS };
      return { json, status: 200, headers: [...NO_STORE, ...settlementHeader(settlement)] };
    }
    case 'payment_required': {
      const required = context.hasLegacyPayment
        ? addVersionHint(outcome.required)
        : outcome.required;
      const result = withSettlement(challengeResult(required), outcome.settlement);
      const json = resultJson(id, maskLoginHints(JSON.stringify(result)));
      if (context.carrier === 'in_band') return { json, status: 200, headers: NO_STORE };
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
        json: errorJson(id, RPC.PARAMS, unknownToolMessage(outcome)),
        status: 200,
        headers: NO_HEADERS,
      };
  }
}

function serializeCreatedTask(
  id: RpcId,
  outcome: Extract<ToolOutcome, { kind: 'result' }>,
): string {
  const made = toCreatedTask(outcome);
  if ('result' in made) {
    return resultJson(id, JSON.stringify(withSettlement(made.result, outcome.settlement)));
  }
  return errorJson(id, made.code, made.message, made.data);
}

/** Returns the error message for an unknown tool. */
export function unknownToolMessage({ name, hint }: Extract<ToolOutcome, { kind: 'unknown_tool' }>) {
  return hint === undefined ? `Unknown tool: ${name}` : `Unknown tool: ${name}; ${hint}`;
}

/** Adds a settlement to the `_meta` of a result. */
export function withSettlement(
  result: ToolResult,
  settlement: SettlementResponse | undefined,
): ToolResult {
  if (settlement === undefined) return result;
  const receipt = JSON.parse(JSON.stringify(settlement));
  return { ...result, _meta: { ...result._meta, [PAYMENT_RESPONSE_META]: receipt } };
}

/** Adds the supported version to a challenge. */
export function addVersionHint(required: PaymentRequired): PaymentRequired {
  const error =
    'This server uses x402 version 2: send PAYMENT-SIGNATURE, not X-PAYMENT (version 1).';
  return { ...required, error };
}

function settlementHeader(settlement: SettlementResponse | undefined): readonly string[] {
  return settlement === undefined ? NO_HEADERS : [PAYMENT_RESPONSE_HEADER, base64Json(settlement)];
}

function base64Json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
