import type { EscrowMove } from '../../domain/chain/trust-chain.ts';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type {
  JobContext,
  JobDispute,
  JobEvent,
  MoveAnswer,
  Payout,
  PendingMove,
} from './job-facts.ts';
import { answerOf, transferOf } from './job-facts.ts';

/** The release window (specification section 8), in milliseconds. */
export const RELEASE_WINDOW_MS = 72 * HOUR_MS;
/** Maximum number of call keys that a job stores. */
export const CALLS_KEPT_MAX = 16;

const HEX = /^0x/;
const BPS = 10_000n;

/** Returns the move that an event requests, with its signature. */
export function pendingOf(event: JobEvent): PendingMove | null {
  const move = moveOf(event);
  if (move === undefined) return null;
  return { move, call: ('call' in event ? event.call : undefined) ?? '', words: wordsOf(event) };
}

/** Adds the call key of an event. */
export function callsAfter({ calls }: JobContext, event: JobEvent): readonly string[] {
  const call = 'call' in event ? event.call : undefined;
  return call === undefined ? calls : [...calls, call].slice(-CALLS_KEPT_MAX);
}

/** Returns the result of the pending move. */
export function moveAnswerOf({ pending, lastMove }: JobContext, event: JobEvent) {
  const answer = answerOf(event);
  if (pending === null || answer === undefined) return lastMove;
  return {
    call: pending.call,
    move: pending.move.move,
    isRefused: answer.state === 'refused',
    code: answer.code ?? null,
    message: answer.message ?? null,
  } satisfies MoveAnswer;
}

/** Returns the result of a payment that the chain rejected. */
export function payAnswerOf({ payment, lastMove }: JobContext, event: JobEvent) {
  const transfer = transferOf(event);
  if (payment === null || transfer?.state !== 'failed') return lastMove;
  const { code, message } = transfer.fault;
  return { call: payment.call, move: 'pay', isRefused: true, code, message } satisfies MoveAnswer;
}

/** Returns the result of a rejected funding. */
export function fundAnswerOf(event: JobEvent): MoveAnswer {
  const { code = null, message = null } = answerOf(event) ?? {};
  return { call: '', move: 'fund', isRefused: true, code, message };
}

/** Returns the delivery data of an event: from the chain in escrow, otherwise from the provider. */
export function deliveryOf(context: JobContext, event: JobEvent) {
  if (event.type === 'CHAIN.FULFILLED') {
    return {
      deliverableSha: event.deliverable.replace(HEX, ''),
      deliveredAtS: event.atS,
      releaseByMs: event.releaseByS * SECOND_MS,
      windowMs: event.windowMs,
    };
  }
  if (event.type !== 'WORK.DELIVERED') return {};
  const at = event.at ?? 0;
  return {
    deliverable: event.held ?? context.deliverable,
    deliverableSha: event.deliverableSha,
    deliveredAtS: Math.floor(at / SECOND_MS),
    releaseByMs: at + RELEASE_WINDOW_MS,
    windowMs: RELEASE_WINDOW_MS,
  };
}

/** Returns the dispute that the chain confirmed, with the requested reason text. */
export function disputeOf({ pending, buyer }: JobContext, event: JobEvent): JobDispute | null {
  if (event.type !== 'CHAIN.DISPUTED') return null;
  const isAsked = pending?.move.move === 'dispute' && pending.move.reason === event.reason;
  const reason = isAsked ? pending.words : null;
  const isRefundedByTime = event.refundMs !== null;
  return { by: buyer, reason: reason ?? event.reason, openedAtS: event.atS, isRefundedByTime };
}

/** Returns the remaining window after a failed payment; the deadline is unchanged. */
export function windowLeft({ releaseByMs }: JobContext, event: JobEvent): number {
  const at = transferOf(event)?.at;
  return at === undefined || releaseByMs === null ? 0 : Math.max(0, releaseByMs - at);
}

/** Computes net amount and fee of the price; the fee is rounded down. */
export function sharesOf({ priceMicroUsd, feeBps }: Pick<JobContext, 'priceMicroUsd' | 'feeBps'>) {
  const price = BigInt(priceMicroUsd);
  const fee = (price * BigInt(feeBps)) / BPS;
  return { netMicroUsd: String(price - fee), feeMicroUsd: String(fee) };
}

/** Returns the provider's payout in an event. */
export function payoutOf(context: JobContext, event: JobEvent): Payout | null {
  if (event.type === 'CHAIN.RELEASED') {
    const { net, fee, transaction, isAutomatic } = event;
    return { netMicroUsd: net, feeMicroUsd: fee, transaction, isAutomatic };
  }
  const transfer = transferOf(event);
  if (transfer?.state !== 'settled') return null;
  return { ...sharesOf(context), transaction: transfer.transaction, isAutomatic: false };
}

function moveOf(event: JobEvent): EscrowMove | undefined {
  const signature = ('signature' in event ? event.signature : undefined) ?? '0x';
  if (event.type === 'WORK.DELIVERED') {
    return { move: 'fulfil', deliverable: `0x${event.deliverableSha}`, signature };
  }
  if (event.type === 'DISPUTE.OPENED') {
    return { move: 'dispute', reason: event.reasonHash, signature };
  }
  if (event.type === 'DISPUTE.DECIDED') {
    const isForProvider = event.upheld === 'provider';
    return { move: 'decide', isForProvider, verdict: event.verdictHash };
  }
  const move = PLAIN[event.type];
  return move === undefined ? undefined : { move, signature };
}

/** Moves without parameters. */
const PLAIN: Readonly<Record<string, 'release' | 'giveBack' | 'withdrawDispute'>> = {
  'JOB.COMPLETED': 'release',
  'JOB.GIVEN_BACK': 'giveBack',
  'DISPUTE.WITHDRAWN': 'withdrawDispute',
};

function wordsOf(event: JobEvent): string | null {
  if (event.type === 'DISPUTE.OPENED') return event.reason;
  return event.type === 'DISPUTE.DECIDED' ? event.why : null;
}
