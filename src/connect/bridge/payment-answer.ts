import { AppError, ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { MicroUsdText } from '../../domain/common/money.ts';
import {
  PAYMENT_RESPONSE_META,
  PaymentRequired,
  REPEAT_KEY_EXTENSION,
  SettlementResponse,
} from '../../domain/payment/payment.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import type { PaymentOutcome } from '../ledger/ledger.ts';
import type { RawResult } from './spending.ts';

/** A payment challenge in a tool result, with its error code if it has one. */
export interface PaymentChallenge {
  readonly required: PaymentRequired;
  readonly code: string | undefined;
}

/** Reads the payment challenge in a tool result; `undefined` if there is none. */
export function readChallenge(result: RawResult): PaymentChallenge | undefined {
  if (result['isError'] !== true) return undefined;
  const required = PaymentRequired.safeParse(result['structuredContent']).data;
  if (required === undefined) return undefined;
  const code = required['code'];
  return { required, code: typeof code === 'string' ? code : undefined };
}

/**
 * Reads the server's name for the work that a challenge is for. Two calls with the same name do
 * the same work. Returns `undefined` if the challenge names none.
 */
export function readWorkName({ extensions }: PaymentRequired): string | undefined {
  const extension = Object(extensions)[REPEAT_KEY_EXTENSION] as unknown;
  const { call } = Object(Object(extension).info) as { readonly call?: unknown };
  return typeof call === 'string' && WORK_NAME.test(call) ? call : undefined;
}

const WORK_NAME = /^[0-9a-f]{64}$/;

/** State of a payment according to the answer to it. */
export type PaymentProgress =
  /** Final. A refusal with `NOT_CHARGED` comes with an answer of the tool. */
  | { readonly kind: 'ended'; readonly ending: PaymentOutcome }
  /** Not final yet: present the same payment again. */
  | { readonly kind: 'pending' };

/** Reads the state of the payment from the answer to it. */
export function readPaymentProgress(result: RawResult): PaymentProgress {
  const demand = readChallenge(result);
  if (demand?.code === 'PAYMENT_PENDING') return { kind: 'pending' };
  if (demand !== undefined) return endedWith('refused', demand.code ?? 'PAYMENT_REQUIRED');
  const settlement = readSettlement(result);
  if (settlement?.success === true) {
    const refund = readRefund(settlement);
    const tx = settlement.transaction === '' ? null : settlement.transaction;
    return { kind: 'ended', ending: { outcome: 'settled', code: null, refund, tx } };
  }
  const fault = readServerError(result);
  return fault === undefined ? endedWith('refused', 'NOT_CHARGED') : endedWith('doubtful', fault);
}

/** Converts a second challenge into an error result with the server's message. */
export function worded(result: RawResult): RawResult {
  const demand = readChallenge(result);
  if (demand === undefined) return result;
  return {
    ...toErrorResult(new AppError(toKnownCode(demand.code), { message: demand.required.error })),
  };
}

function toKnownCode(code: string | undefined): ErrorCode {
  const known = (Object.keys(ERRORS) as ErrorCode[]).find((one) => one === code);
  return known ?? 'SETTLEMENT_FAILED';
}

/** Reads the settlement in a result; `undefined` if there is none. */
export function readSettlement(result: RawResult): SettlementResponse | undefined {
  const meta = result['_meta'];
  if (!isObject(meta)) return undefined;
  return SettlementResponse.safeParse(meta[PAYMENT_RESPONSE_META]).data;
}

function endedWith(outcome: 'refused' | 'doubtful', code: string): PaymentProgress {
  return { kind: 'ended', ending: { outcome, code, refund: null, tx: null } };
}

function readRefund({ extra }: SettlementResponse): MicroUsdText | null {
  const refund = extra?.['refund'];
  if (!isObject(refund)) return null;
  return MicroUsdText.safeParse(refund['micro_usd']).data ?? null;
}

/** Returns the code of a server failure. It leaves the payment open: it may still settle. */
function readServerError(result: RawResult): string | undefined {
  const body = result['structuredContent'];
  if (result['isError'] !== true || !isObject(body)) return undefined;
  const code = body['error'];
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code)) return undefined;
  return body['retry'] === 'later' ? code : undefined;
}
