import type { EffectError } from '../../src/runtime/engine/types.ts';
import type { ModelView, OpenEffect, PathPlan } from '../../src/testing/path.ts';
import { createJobInput, jobPlan } from '../../src/testing/plans/job.ts';
import {
  EARLY_MS,
  type EscrowPlace,
  type FactName,
  jobIn,
  MARK,
  markIn,
  placeIn,
  stateIn,
  untoldIn,
} from './board-truth.ts';

const OLD_ESCROW =
  'only an escrow of version 1 refunds a dispute by time; ' +
  'on the engine in broken-jobs.long.test.ts, the chain in escrow-version.test.ts';

/** Transitions of a job that nothing outside of the server can bring about, and why. */
export const BOARD_BEYOND: Readonly<Record<string, string>> = {
  'collecting.settling|xstate.error.actor.collect|0':
    'the effect asks the actor of the payment, which answers also where no chain does; ' +
    'on the engine in broken-jobs.long.test.ts',
  'disputed|xstate.after.disputeWindow.job.disputed|0': OLD_ESCROW,
  'refunding|CHAIN.DISPUTED|0':
    'a job that is refunded has been told of its dispute: only a reorganised chain tells another; ' +
    'on the engine in broken-jobs.long.test.ts, the chain in trust-faults.long.test.ts',
  'refunding|CHAIN.DISPUTE_WITHDRAWN|0': OLD_ESCROW,
  'refunding|CHAIN.DECIDED|0': OLD_ESCROW,
};

const LOST: EffectError = { name: 'AppError', code: 'CHAIN_UNAVAILABLE', message: 'no answer' };
const NO_PAYMENT = { call: 'c2', signature: '0x01' };

/**
 * Everything that may happen to a job on the board: what its sides ask for, what they and others do
 * on the chain behind the server's back, lost answers, and time. Never what no chain would take.
 */
export const boardPlan: PathPlan = {
  inputs: { escrow: createJobInput('escrow'), on_release: createJobInput('on_release') },
  facets: (_: never, view) => {
    const { pending, dispute, isLate, lastError, waitMs } = jobIn(view);
    const move = pending === null ? null : markOf(pending.move);
    const wait = waitMs === EARLY_MS ? waitMs : (markIn(view) ?? null);
    return [untoldIn(view), move, dispute === null, isLate, lastError === null, wait];
  },
  effects: {
    fund: { done: fundEnds, error: unlessUntold },
    move: { done: moveEnds, error: unlessUntold },
    release: { done: (_, view) => tried(view, MARK.released), error: unlessUntold },
    refund: { done: refundEnds, error: (_, view) => (isBeforeItsTime(view) ? [] : errors(view)) },
    sweep: { done: sweepEnds, error: (_, view) => (isSwept(view) ? [] : errors(view)) },
    collect: { done: collectEnds, error: [] },
    pay: { done: payEnds },
  },
  events: {
    'WORK.DELIVERED': asked('WORK.DELIVERED'),
    'JOB.COMPLETED': (view) => {
      const isEscrow = jobIn(view).funding === 'escrow';
      const [paid] = payloadsOf('JOB.COMPLETED');
      return hasUntold(view) ? [] : [isEscrow ? NO_PAYMENT : { ...paid }];
    },
    'JOB.GIVEN_BACK': asked('JOB.GIVEN_BACK'),
    'DISPUTE.OPENED': asked('DISPUTE.OPENED'),
    'DISPUTE.WITHDRAWN': asked('DISPUTE.WITHDRAWN'),
    'DISPUTE.DECIDED': asked('DISPUTE.DECIDED'),
    ...Object.fromEntries(
      factNames().map((fact) => [fact, (view: ModelView) => factIn(view, fact)] as const),
    ),
  },
};

function factNames(): readonly FactName[] {
  return Object.keys(jobPlan.events ?? {}).filter((type) =>
    type.startsWith('CHAIN.'),
  ) as FactName[];
}

/** A side asks while the chain has nothing that it does not know. */
function asked(type: string) {
  const payloads = payloadsOf(type);
  return (view: ModelView) => (hasUntold(view) ? [] : payloads);
}

function payloadsOf(type: string) {
  const { [type]: payloads = [] } = jobPlan.events ?? {};
  return payloads as readonly Readonly<Record<string, unknown>>[];
}

function hasUntold(view: ModelView): boolean {
  return untoldIn(view).facts.length > 0;
}

/** The next fact that is to be told; or else what somebody may do on the chain now. */
function factIn(view: ModelView, fact: FactName): readonly Readonly<Record<string, unknown>>[] {
  const untold = untoldIn(view);
  const [next] = untold.facts;
  const isNext = next === undefined ? mayHappen(view, fact) : next === fact;
  if (!isNext) return [];
  const [payload] = payloadsOf(fact);
  const verdict =
    untold.upheld === undefined ? {} : { isForProvider: untold.upheld === 'provider' };
  return [{ ...payload, ...verdict }];
}

/** What buyer and provider can do to the contract in person, in each place. */
const IN_PERSON: Readonly<Record<EscrowPlace, readonly FactName[]>> = {
  none: ['CHAIN.ESCROWED'],
  escrowed: ['CHAIN.FULFILLED', 'CHAIN.RELEASED', 'CHAIN.REFUNDED'],
  fulfilled: ['CHAIN.DISPUTED', 'CHAIN.RELEASED', 'CHAIN.REFUNDED'],
  disputed: ['CHAIN.DISPUTE_WITHDRAWN', 'CHAIN.RELEASED', 'CHAIN.REFUNDED'],
  released: [],
  refunded: [],
};

function mayHappen(view: ModelView, fact: FactName): boolean {
  const { funding, dispute, waitMs } = jobIn(view);
  if (funding !== 'escrow' || !IN_PERSON[placeIn(view)].includes(fact)) return false;
  const state = stateIn(view.value);
  switch (fact) {
    case 'CHAIN.ESCROWED':
      // The authorization has run out once the server has waited for that.
      return state.startsWith('funded') || state === 'unfunded.awaiting' || isFreshSweep(view);
    case 'CHAIN.FULFILLED':
      return state.startsWith('escrowed');
    case 'CHAIN.DISPUTED':
      return dispute === null && /^fulfilled\.(waiting|moving|sent)$/.test(state);
    case 'CHAIN.DISPUTE_WITHDRAWN':
    case 'CHAIN.RELEASED':
    case 'CHAIN.REFUNDED':
      return waitMs === null || waitMs !== EARLY_MS || state !== 'refunding.trying';
    case 'CHAIN.DECIDED':
      return false;
  }
}

function isFreshSweep(view: ModelView): boolean {
  return stateIn(view.value) === 'unfunded.sweeping' && jobIn(view).waitMs === null;
}

function fundEnds(_: OpenEffect, view: ModelView): readonly unknown[] {
  const ends = tried(view, MARK.escrowed);
  const refused = { state: 'refused', code: 'PAYMENT_FUNDS', message: 'no money' };
  return hasUntold(view) ? ends : [...ends, refused];
}

function moveEnds(_: OpenEffect, view: ModelView): readonly unknown[] {
  const { pending } = jobIn(view);
  if (pending === null) return [];
  const { move } = pending;
  const ends = tried(view, markOf(move));
  if (hasUntold(view)) return ends;
  // Somebody was first: the other side made the move that ends the job.
  const isProviders = move.move === 'fulfil' || move.move === 'giveBack';
  const waitMs = isProviders ? MARK.released : MARK.refunded;
  return [
    ...ends,
    { state: 'refused', code: 'MOVE_UNAVAILABLE', message: 'was not first', waitMs },
  ];
}

type Move = NonNullable<ReturnType<typeof jobIn>['pending']>['move'];

function markOf(move: Move): number {
  switch (move.move) {
    case 'fulfil':
      return MARK.fulfilled;
    case 'release':
    case 'settleExpired':
      return MARK.released;
    case 'giveBack':
    case 'refundUnfulfilled':
    case 'refundUndecided':
      return MARK.refunded;
    case 'dispute':
      return MARK.disputed;
    case 'withdrawDispute':
      return MARK.withdrawn;
    case 'decide':
      return move.isForProvider ? MARK.decidedForProvider : MARK.decidedForBuyer;
  }
}

/** A late funding is given back when the provider's time is over, and not before. */
function refundEnds(_: OpenEffect, view: ModelView): readonly unknown[] {
  const { isLate, waitMs } = jobIn(view);
  if (isLate && waitMs !== EARLY_MS && !hasUntold(view)) {
    return [{ state: 'early', waitMs: EARLY_MS, message: 'too early' }];
  }
  return tried(view, MARK.refunded);
}

function isBeforeItsTime(view: ModelView): boolean {
  return jobIn(view).waitMs === EARLY_MS;
}

/** Money of an authorization that can still be used is looked for again when it cannot. */
function sweepEnds(_: OpenEffect, view: ModelView): readonly unknown[] {
  const waitMs = markIn(view);
  if (waitMs !== undefined) return [{ state: 'early', waitMs }];
  return [
    isSwept(view)
      ? { state: 'refused', message: 'not here' }
      : { state: 'early', waitMs: EARLY_MS },
  ];
}

function isSwept(view: ModelView): boolean {
  return jobIn(view).waitMs === EARLY_MS;
}

/** A try that is carried out, and told or not; one that was carried out before finds that. */
function tried(view: ModelView, mark: number): readonly unknown[] {
  const waitMs = markIn(view);
  if (waitMs !== undefined) return [{ state: 'done', waitMs }];
  return [
    { state: 'done', waitMs: mark },
    { state: 'unknown', message: 'no receipt', waitMs: mark },
  ];
}

function unlessUntold(_: OpenEffect, view: ModelView): readonly EffectError[] {
  return errors(view);
}

/** A try that breaks would make the model forget what is untold. */
function errors(view: ModelView): readonly EffectError[] {
  return markIn(view) === undefined ? [LOST] : [];
}

const [SETTLED, FAILED, UNKNOWN] = (jobPlan.effects?.['collect']?.done ?? []) as readonly object[];

/** A payment that nobody knew of is found the next time. */
function collectEnds(_: OpenEffect, view: ModelView): readonly unknown[] {
  return jobIn(view).lastError === null ? [SETTLED, FAILED, UNKNOWN] : [SETTLED];
}

function payEnds(_: OpenEffect, view: ModelView): readonly unknown[] {
  return jobIn(view).lastError === null ? [SETTLED, UNKNOWN] : [SETTLED];
}
