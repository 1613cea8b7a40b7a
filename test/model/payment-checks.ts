import { expect } from 'vitest';
import {
  PAYMENT_RESPONSE_META,
  type PaymentFlow,
  SettlementResponse,
} from '../../src/domain/payment/payment.ts';
import type { WireAnswer } from '../support/wire-session.ts';

/** Top-level state of a state value. */
export function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : (Object.keys(value as object)[0] ?? '');
}

/** What the payer has paid and got back fits the payment's state. */
export function checkBooks(
  { paid, refunded }: { readonly paid: bigint; readonly refunded: bigint },
  state: string,
  { flow, isRefundOut }: { readonly flow: PaymentFlow; readonly isRefundOut: boolean },
): void {
  const price = flow === 'upfront' ? 2_000_000n : 10_000n;
  if (FREE.includes(state)) expect([paid, refunded]).toEqual([0n, 0n]);
  if (PAID.includes(state)) expect([paid, refunded]).toEqual([price, isRefundOut ? price : 0n]);
  if (state === 'refunded') expect([paid, refunded]).toEqual([price, price]);
}

const FREE = ['challenged', 'verified', 'released', 'failed', 'refused'];
const PAID = ['settled', 'closed', 'refunding', 'refund_due'];

/** The answer of the paid call is one that fits the payment's state. */
export function checkAnswer(
  answer: WireAnswer | undefined,
  state: string,
  flow: PaymentFlow,
): void {
  const result = answer?.message.result ?? {};
  const meta = (result['_meta'] ?? {}) as Record<string, unknown>;
  const given = meta[PAYMENT_RESPONSE_META];
  const settlement = given === undefined ? undefined : SettlementResponse.parse(given);
  const body = (result['structuredContent'] ?? {}) as Record<string, unknown>;
  const seen = {
    status: answer?.status,
    success: settlement?.success,
    reason: settlement?.errorReason,
    refund: (settlement?.extra as { refund?: { state: string } } | undefined)?.refund?.state,
    work: flow === 'upfront' ? body['status'] : verdictOf(body),
    isError: result['isError'] === true,
  };
  expect(EXPECTED[flow][state]).toContainEqual(seen);
}

/** The verdict of a link check; an answer without data says nothing about any link. */
function verdictOf({ data }: Record<string, unknown>): unknown {
  if (data === undefined) return undefined;
  return data === null ? 'UNKNOWN' : (data as { readonly verdict: unknown }).verdict;
}

interface Seen {
  readonly status: number;
  readonly success?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly refund?: string | undefined;
  readonly work?: string | undefined;
  readonly isError: boolean;
}

const refusal = (reason: string): Seen => ({ status: 402, success: false, reason, isError: true });
const pending: Seen = { status: 200, success: false, reason: 'PAYMENT_PENDING', isError: true };
const broken: Seen = { status: 200, isError: true };
/** How a job may end that is refunded; `failed` is what an operator's stop leaves. */
const ENDS = ['no_quorum', 'cancelled', 'failed'];
const FAILED = [refusal('SETTLEMENT_FAILED'), refusal('PAYMENT_REPLAYED')];
const REFUSED = [refusal('PAYMENT_FUNDS'), { ...broken, ...unseen() }];

function unseen() {
  return { success: undefined, reason: undefined, refund: undefined, work: undefined };
}

function refund(state: string, work: string): Seen {
  return { status: 200, success: true, refund: state, work, isError: work === 'failed' };
}

/** What the caller of the paid call sees in each quiet state; typed, not taken from the source. */
const EXPECTED: Record<PaymentFlow, Readonly<Record<string, readonly Seen[]>>> = {
  authorization: {
    refused: REFUSED,
    unknown: [pending],
    failed: FAILED,
    released: [refusal('PAYMENT_EXPIRED'), { ...broken, work: 'UNKNOWN' }],
    closed: [{ status: 200, success: true, work: 'PASS', isError: false }],
  },
  upfront: {
    refused: REFUSED,
    unknown: [pending],
    failed: FAILED,
    settled: [{ status: 200, success: true, work: 'working', isError: false }],
    closed: [{ status: 200, success: true, work: 'decided', isError: false }],
    refund_due: ENDS.map((work) => refund('due', work)),
    refunded: ENDS.map((work) => refund('refunded', work)),
  },
};
