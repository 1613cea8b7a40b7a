import type {
  CallOutcome,
  EscrowedJob,
  EscrowLog,
  TrustChain,
} from '../../domain/chain/trust-chain.ts';
import { invariant } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { FundTry, JobTry, MoveTry, TryAnswer } from '../../machines/escrow/job-facts.ts';
import type { Effect } from '../../runtime/engine/types.ts';

/** Chain facts about jobs that did not exist here when the facts arrived. */
export interface Unclaimed {
  /** Delivers the facts to the job. They are kept until the job has accepted them. */
  claim(escrowKey: string, jobId: string): Promise<void>;
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
export function owedBy({ event, transaction }: EscrowLog): OwedEnd | undefined {
  if (event.name === 'JobReleased' && event.isOwed === true) {
    return { to: event.provider, role: 'provider', amount: event.net, transaction };
  }
  if (event.name === 'JobRefunded' && event.isOwed === true) {
    return { to: event.buyer, role: 'buyer', amount: event.amount, transaction };
  }
  return undefined;
}

/** Dependencies of the effects of escrowed jobs. */
export interface EscrowEffectDeps {
  readonly trust: TrustChain;
  readonly unclaimed: Unclaimed;
}

/** Minimum wait before a retry, in milliseconds. */
const WAIT_LEAST_MS = SECOND_MS;
const LIMITS = { attempts: 3, timeoutMs: 3 * MINUTE_MS } as const;

/**
 * Creates the on-chain effects of escrowed jobs. Each can be repeated safely: the contract accepts
 * a funding and a move once, and rejecting an early one costs nothing.
 */
export function escrowEffects({ trust, unclaimed }: EscrowEffectDeps) {
  const { escrow } = trust;
  const fund: Effect<FundTry, TryAnswer> = {
    ...LIMITS,
    run: async (order) => {
      const { jobId, fund: brought } = order;
      const key = keyOf(order);
      await unclaimed.claim(key, jobId);
      if (brought === null) return { state: 'refused', code: 'PAYMENT_REQUIRED' };
      return answer(await escrow.fund({ terms: termsOf(order), ...brought }));
    },
  };
  const sweep: Effect<FundTry, TryAnswer> = {
    ...LIMITS,
    run: async ({ fund: brought, ...order }, { now }) => {
      if (brought === null) return { state: 'done' };
      // Money that already funds a job is reported by a chain fact and returned through the job.
      if ((await escrow.job(keyOf(order))).state !== 'none') return { state: 'early' };
      const { authorization } = brought;
      const outcome = await escrow.returnOrphan(authorization);
      const opensUntil = Number(authorization.validBefore) * SECOND_MS;
      const left = opensUntil - (await nowMs(trust, now()));
      if (left > 0 && (outcome.state === 'unspent' || outcome.state === 'refused')) {
        return early(left);
      }
      return outcome.state === 'unspent'
        ? { state: 'unknown', message: 'the authorization is still unspent on the chain' }
        : answer(outcome);
    },
  };
  const move: Effect<MoveTry, TryAnswer> = {
    ...LIMITS,
    run: async (order) => {
      if (order.move === null) return { state: 'refused', code: 'MOVE_UNAVAILABLE' };
      await unclaimed.claim(keyOf(order), order.jobId);
      return answer(await escrow.move(keyOf(order), order.move));
    },
  };
  const release: Effect<JobTry, TryAnswer> = {
    ...LIMITS,
    run: async (order, { now }) => {
      await unclaimed.claim(keyOf(order), order.jobId);
      const job = await escrow.job(keyOf(order));
      if (job.state !== 'fulfilled') return settled(job);
      const left = job.releaseByS * SECOND_MS - (await nowMs(trust, now()));
      if (left > 0) return early(left);
      return patient(await escrow.move(keyOf(order), { move: 'settleExpired' }));
    },
  };
  const refund: Effect<JobTry, TryAnswer> = {
    ...LIMITS,
    run: async (order, { now }) => {
      await unclaimed.claim(keyOf(order), order.jobId);
      const job = await escrow.job(keyOf(order));
      const at = await nowMs(trust, now());
      if (job.state === 'escrowed') {
        const left = (job.fulfilByS + 1) * SECOND_MS - at;
        if (left > 0) return early(left);
        return patient(await escrow.move(keyOf(order), { move: 'refundUnfulfilled' }));
      }
      if (job.undecidedRefundS === 0) return settled(job);
      const left = job.undecidedRefundS * SECOND_MS - at;
      if (left > 0) return early(left);
      return patient(await escrow.move(keyOf(order), { move: 'refundUndecided' }));
    },
  };
  return { fund, sweep, move, release, refund };
}

/**
 * Returns the time that contracts use, in milliseconds: that of the newest block, or the local
 * clock if it is ahead, because the next block will have about that time.
 */
export async function nowMs(trust: Pick<TrustChain, 'nowS'>, ours: number): Promise<number> {
  return Math.max((await trust.nowS()) * SECOND_MS, ours);
}

function keyOf({ escrowKey }: JobTry): string {
  invariant(escrowKey !== null, 'an escrowed job has its key from the start');
  return escrowKey;
}

function termsOf(order: FundTry) {
  const { termsId, buyer, provider, amount, fulfilByS } = order;
  invariant(termsId !== null, 'an escrowed job has its terms from the start');
  return { jobId: termsId, buyer, provider, amount, fulfilByS };
}

function answer(outcome: CallOutcome<unknown>): TryAnswer {
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
function patient(outcome: CallOutcome<unknown>): TryAnswer {
  const told = answer(outcome);
  return told.state === 'refused' ? { ...told, state: 'early' } : told;
}

/** The chain has the job in another state; the fact about it will arrive. */
function settled({ state }: EscrowedJob): TryAnswer {
  return { state: 'done', message: `the escrow has the job as ${state}` };
}

function early(leftMs: number): TryAnswer {
  return { state: 'early', waitMs: Math.max(WAIT_LEAST_MS, leftMs) };
}
