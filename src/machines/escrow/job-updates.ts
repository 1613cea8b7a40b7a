import type { EscrowMove } from '../../domain/chain/trust-chain.ts';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type {
  JobContext,
  JobDispute,
  JobEvent,
  MoveResult,
  Payout,
  PendingMove,
} from './job-context.ts';
import { attemptResultOf, transferOutcomeOf } from './job-context.ts';

/** The release window (specification section 8), in milliseconds. */
export const RELEASE_WINDOW_MS = 72 * HOUR_MS;
/** Maximum number of call keys that a job stores. */
export const CALLS_KEPT_MAX = 16;

const HEX = /^0x/;
const BPS = 10_000n;

/** Returns the move that an event requests, with its signature. */
export function createPendingMove(event: JobEvent): PendingMove | null {
  const move = createMove(event);
  if (move === undefined) return null;
  return {
    move,
    call: ('call' in event ? event.call : undefined) ?? '',
    words: reasonTextOf(event),
  };
}

/** Adds the call key of an event. */
export function appendCall({ calls }: JobContext, event: JobEvent): readonly string[] {
  const call = 'call' in event ? event.call : undefined;
  return call === undefined ? calls : [...calls, call].slice(-CALLS_KEPT_MAX);
}

/** Returns the result of the pending move. */
export function moveResultOf({ pending, lastMove }: JobContext, event: JobEvent) {
  const answer = attemptResultOf(event);
  if (pending === null || answer === undefined) return lastMove;
  return {
    call: pending.call,
    move: pending.move.move,
    isRefused: answer.state === 'refused',
    code: answer.code ?? null,
    message: answer.message ?? null,
  } satisfies MoveResult;
}

/** Returns the result of a payment that the chain rejected. */
export function paymentResultOf({ payment, lastMove }: JobContext, event: JobEvent) {
  const transfer = transferOutcomeOf(event);
  if (payment === null || transfer?.state !== 'failed') return lastMove;
  const { code, message } = transfer.fault;
  return { call: payment.call, move: 'pay', isRefused: true, code, message } satisfies MoveResult;
}

/** Returns the result of a rejected funding. */
export function fundingResultOf(event: JobEvent): MoveResult {
  const { code = null, message = null } = attemptResultOf(event) ?? {};
  return { call: '', move: 'fund', isRefused: true, code, message };
}

/** Returns the delivery data of an event: from the chain in escrow, otherwise from the provider. */
export function readDelivery(context: JobContext, event: JobEvent) {
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
export function readDispute({ pending, buyer }: JobContext, event: JobEvent): JobDispute | null {
  if (event.type !== 'CHAIN.DISPUTED') return null;
  const isAsked = pending?.move.move === 'dispute' && pending.move.reason === event.reason;
  const reason = isAsked ? pending.words : null;
  const isRefundedByTime = event.refundMs !== null;
  return { by: buyer, reason: reason ?? event.reason, openedAtS: event.atS, isRefundedByTime };
}

/** Returns the remaining window after a failed payment; the deadline is unchanged. */
export function remainingWindow({ releaseByMs }: JobContext, event: JobEvent): number {
  const at = transferOutcomeOf(event)?.at;
  return at === undefined || releaseByMs === null ? 0 : Math.max(0, releaseByMs - at);
}

/** Computes net amount and fee of the price; the fee is rounded down. */
export function computeShares({
  priceMicroUsd,
  feeBps,
}: Pick<JobContext, 'priceMicroUsd' | 'feeBps'>) {
  const price = BigInt(priceMicroUsd);
  const fee = (price * BigInt(feeBps)) / BPS;
  return { netMicroUsd: String(price - fee), feeMicroUsd: String(fee) };
}

/** Returns the provider's payout in an event. */
export function readPayout(context: JobContext, event: JobEvent): Payout | null {
  if (event.type === 'CHAIN.RELEASED') {
    const { net, fee, transaction, isAutomatic } = event;
    return { netMicroUsd: net, feeMicroUsd: fee, transaction, isAutomatic };
  }
  const transfer = transferOutcomeOf(event);
  if (transfer?.state !== 'settled') return null;
  return { ...computeShares(context), transaction: transfer.transaction, isAutomatic: false };
}

function createMove(event: JobEvent): EscrowMove | undefined {
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
  const move = SIMPLE_MOVES[event.type];
  return move === undefined ? undefined : { move, signature };
}

/** Moves without parameters. */
const SIMPLE_MOVES: Readonly<Record<string, 'release' | 'giveBack' | 'withdrawDispute'>> = {
  'JOB.COMPLETED': 'release',
  'JOB.GIVEN_BACK': 'giveBack',
  'DISPUTE.WITHDRAWN': 'withdrawDispute',
};

function reasonTextOf(event: JobEvent): string | null {
  if (event.type === 'DISPUTE.OPENED') return event.reason;
  return event.type === 'DISPUTE.DECIDED' ? event.why : null;
}
