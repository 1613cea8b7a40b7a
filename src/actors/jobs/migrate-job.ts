import type { Migration, PersistedActor } from '../../runtime/types.ts';

/**
 * Takes a job of version 1 over: no money had moved in that version, as nothing sold it. States
 * that have parts now begin in their first one.
 */
export const jobFromVersion1: Migration = {
  from: 1,
  migrate: ({ snapshot, timers, effects }: PersistedActor) => {
    const isEscrow = snapshot.context['funding'] === 'escrow';
    return {
      snapshot: {
        ...snapshot,
        value: stateAfter(snapshot.value, isEscrow),
        context: { ...NEW_MEMBERS, ...snapshot.context, facts: factsOf(snapshot.context['facts']) },
      },
      timers,
      // A release that is paid for begins again with its payment: nothing was collected before.
      effects: isEscrow ? effects : [],
    };
  },
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

function stateAfter(value: unknown, isEscrow: boolean): unknown {
  if (value === 'escrowed' || value === 'disputed') return { [value]: 'waiting' };
  if (value === 'unfunded') return { unfunded: 'closed' };
  if (value === 'voided') return 'lapsed';
  const parts = Object(value) as Record<string, unknown>;
  if ('expired_unreleased' in parts) return 'expired_unreleased';
  return 'fulfilled' in parts && !isEscrow ? { fulfilled: 'waiting' } : value;
}

function factsOf(facts: unknown): unknown {
  return Array.isArray(facts) ? facts.map((fact: object) => ({ atS: 0, ...fact })) : [];
}
