import type {
  CallOutcome,
  EscrowedJob,
  EscrowLog,
  TrustChain,
} from '../../domain/chain/trust-chain.ts';
import { invariant } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type {
  AttemptInput,
  AttemptResult,
  FundInput,
  MoveInput,
} from '../../machines/escrow/job-context.ts';
import type { Effect } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';

/** Chain facts about jobs that did not exist here when the facts arrived. */
export interface UnclaimedFacts {
  /** Delivers the facts to the job. They are kept until the job has accepted them. */
  deliver(escrowKey: string, jobId: string): Promise<void>;
  /** Returns the end of a job whose money the contract still owes to a party. */
  owedEnd(escrowKey: string): OwedEnd | undefined;
}

/** The on-chain end of a job whose money the escrow owes to a party. */
export interface OwedEnd {
  readonly to: string;
  readonly role: 'buyer' | 'provider';
  readonly amount: string;
  readonly transaction: string;
}

/** Returns the debt that a log records; `undefined` if the money was paid out or none moved. */
export function readOwedEnd({ event, transaction }: EscrowLog): OwedEnd | undefined {
  if (event.name === 'JobReleased' && event.isOwed === true) {
    return { to: event.provider, role: 'provider', amount: event.net, transaction };
  }
  if (event.name === 'JobRefunded' && event.isOwed === true) {
    return { to: event.buyer, role: 'buyer', amount: event.amount, transaction };
  }
  return undefined;
}

/** Minimum wait before a retry, in milliseconds. */
const RETRY_MIN_MS = SECOND_MS;
const LIMITS = { attempts: 3, timeoutMs: 3 * MINUTE_MS } as const;

type Ports = Pick<Services, 'trust'> & { readonly unclaimed: UnclaimedFacts };

/**
 * Creates the on-chain effects of escrowed jobs. Each can be repeated safely: the contract accepts
 * a funding and a move once, and rejecting an early one costs nothing.
 */
export function createEscrowEffects({ trust, unclaimed }: Ports) {
  const { escrow } = trust;
  const fund: Effect<FundInput, AttemptResult> = {
    ...LIMITS,
    run: async (order) => {
      const { jobId, fund: brought } = order;
      const key = requireKey(order);
      await unclaimed.deliver(key, jobId);
      if (brought === null) return { state: 'refused', code: 'PAYMENT_REQUIRED' };
      return toTryAnswer(await escrow.fund({ terms: requireTerms(order), ...brought }));
    },
  };
  const sweep: Effect<FundInput, AttemptResult> = {
    ...LIMITS,
    run: async ({ fund: brought, ...order }, { now }) => {
      if (brought === null) return { state: 'done' };
      // Money that already funds a job is reported by a chain fact and returned through the job.
      if ((await escrow.readJob(requireKey(order))).state !== 'none') return { state: 'early' };
      const { authorization } = brought;
      const outcome = await escrow.returnOrphan(authorization);
      const opensUntil = Number(authorization.validBefore) * SECOND_MS;
      const left = opensUntil - (await chainNowMs(trust, now()));
      if (left > 0 && (outcome.state === 'unspent' || outcome.state === 'refused')) {
        return retryAfter(left);
      }
      return outcome.state === 'unspent'
        ? { state: 'unknown', message: 'the authorization is still unspent on the chain' }
        : toTryAnswer(outcome);
    },
  };
  const move: Effect<MoveInput, AttemptResult> = {
    ...LIMITS,
    run: async (order) => {
      if (order.move === null) return { state: 'refused', code: 'MOVE_UNAVAILABLE' };
      await unclaimed.deliver(requireKey(order), order.jobId);
      return toTryAnswer(await escrow.move(requireKey(order), order.move));
    },
  };
  const release: Effect<AttemptInput, AttemptResult> = {
    ...LIMITS,
    run: async (order, { now }) => {
      await unclaimed.deliver(requireKey(order), order.jobId);
      const job = await escrow.readJob(requireKey(order));
      if (job.state !== 'fulfilled') return doneElsewhere(job);
      const left = job.releaseByS * SECOND_MS - (await chainNowMs(trust, now()));
      if (left > 0) return retryAfter(left);
      return retryIfRefused(await escrow.move(requireKey(order), { move: 'settleExpired' }));
    },
  };
  const refund: Effect<AttemptInput, AttemptResult> = {
    ...LIMITS,
    run: async (order, { now }) => {
      await unclaimed.deliver(requireKey(order), order.jobId);
      const job = await escrow.readJob(requireKey(order));
      const at = await chainNowMs(trust, now());
      if (job.state === 'escrowed') {
        const left = (job.fulfilByS + 1) * SECOND_MS - at;
        if (left > 0) return retryAfter(left);
        return retryIfRefused(await escrow.move(requireKey(order), { move: 'refundUnfulfilled' }));
      }
      if (job.undecidedRefundS === 0) return doneElsewhere(job);
      const left = job.undecidedRefundS * SECOND_MS - at;
      if (left > 0) return retryAfter(left);
      return retryIfRefused(await escrow.move(requireKey(order), { move: 'refundUndecided' }));
    },
  };
  return { fund, sweep, move, release, refund };
}

/**
 * Returns the time that contracts use, in milliseconds: that of the newest block, or the local
 * clock if it is ahead, because the next block will have about that time.
 */
export async function chainNowMs(trust: Pick<TrustChain, 'nowS'>, ours: number): Promise<number> {
  return Math.max((await trust.nowS()) * SECOND_MS, ours);
}

function requireKey({ escrowKey }: AttemptInput): string {
  invariant(escrowKey !== null, 'an escrowed job has its key from the start');
  return escrowKey;
}

function requireTerms(order: FundInput) {
  const { termsId, buyer, provider, amount, fulfilByS } = order;
  invariant(termsId !== null, 'an escrowed job has its terms from the start');
  return { jobId: termsId, buyer, provider, amount, fulfilByS };
}

function toTryAnswer(outcome: CallOutcome<unknown>): AttemptResult {
  switch (outcome.state) {
    case 'done':
      return { state: 'done' };
    case 'unknown':
      return { state: 'unknown', message: outcome.detail };
    case 'refused': {
      const { code, message } = outcome.fault;
      return { state: 'refused', code, message };
    }
  }
}

/** Turns a rejected time-based move into a retry, because the chain clock may be behind ours. */
function retryIfRefused(outcome: CallOutcome<unknown>): AttemptResult {
  const result = toTryAnswer(outcome);
  return result.state === 'refused' ? { ...result, state: 'early' } : result;
}

/** The chain has the job in another state; the fact about it will arrive. */
function doneElsewhere({ state }: EscrowedJob): AttemptResult {
  return { state: 'done', message: `the job is ${state} in the escrow` };
}

function retryAfter(leftMs: number): AttemptResult {
  return { state: 'early', waitMs: Math.max(RETRY_MIN_MS, leftMs) };
}
