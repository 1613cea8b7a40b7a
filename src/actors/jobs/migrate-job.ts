import type { Migration, PersistedActor } from '../../runtime/types.ts';

/**
 * Takes a job of version 1 over: no money had moved in that version, as nothing sold it. States
 * that have parts now begin in their first part, and tries begin anew from there.
 */
export const jobFromVersion1: Migration = {
  from: 1,
  migrate: ({ snapshot, timers }: PersistedActor) => ({
    snapshot: {
      ...snapshot,
      value: valueOf(snapshot.value, snapshot.context['funding'] === 'escrow'),
      context: { ...NEW_MEMBERS, ...snapshot.context, facts: factsOf(snapshot.context['facts']) },
    },
    timers,
    effects: [],
  }),
};

const NEW_MEMBERS = {
  fulfilByS: 0,
  requestId: null,
  bidId: null,
  termsId: null,
  escrowKey: null,
  fund: null,
  payer: null,
  src: null,
  openedAt: 0,
  deliverable: null,
  deliveredAtS: null,
  pending: null,
  lastMove: null,
  calls: [],
  verdictWords: null,
  releaseByMs: null,
  windowMs: 0,
  decideMs: 0,
  payment: null,
  collected: null,
  payout: null,
  waitMs: null,
} as const;

function valueOf(value: unknown, isEscrow: boolean): unknown {
  if (value === 'escrowed' || value === 'disputed') return { [value]: 'waiting' };
  if (value === 'unfunded') return { unfunded: 'closed' };
  if (value === 'voided') return 'lapsed';
  const [[state, part] = []] = Object.entries(Object(value) as Record<string, string>);
  if (state === 'expired_unreleased') return state;
  if (part !== 'trying') return value;
  // The try is gone with its effect: the timer of the next part, or the buyer, begins it again.
  if (state === 'fulfilled' && !isEscrow) return { fulfilled: 'waiting' };
  return { [String(state)]: 'awaiting' };
}

function factsOf(facts: unknown): unknown {
  return Array.isArray(facts) ? facts.map((fact: object) => ({ atS: 0, ...fact })) : [];
}
