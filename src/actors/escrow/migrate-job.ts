import { isObject } from '../../domain/common/json.ts';
import { LATE_WINDOW_MS } from '../../machines/escrow/job-setup.ts';
import type { Migration, PersistedActor, TimerRow } from '../../runtime/engine/types.ts';

/**
 * Migrates a job from version 1, in which no money could move. Compound states start in their first
 * substate.
 */
export const jobFromVersion1: Migration = {
  from: 1,
  migrate: ({ snapshot, timers, effects }: PersistedActor) => {
    const isEscrow = snapshot.context['funding'] === 'escrow';
    return {
      snapshot: {
        ...snapshot,
        value: migrateState(snapshot.value, isEscrow),
        context: {
          ...NEW_FIELDS,
          ...snapshot.context,
          facts: addFactTimes(snapshot.context['facts']),
        },
      },
      timers,
      // A paid release starts again with its payment; version 1 collected nothing.
      effects: isEscrow ? effects : [],
    };
  },
};

/**
 * Migrates a job from version 2. Closed jobs now end after a wait for late releases or late money.
 * For jobs that are already closed, the wait starts when they were closed.
 */
export const jobFromVersion2: Migration = {
  from: 2,
  migrate: ({ snapshot, timers, effects }: PersistedActor) => {
    const { context, value } = snapshot;
    const held = context['deliverable'];
    const deliverable = isObject(held) ? { bytes: 0, ...held } : null;
    return {
      snapshot: { ...snapshot, context: { ...context, deliverable } },
      timers: [...timers, ...createLateTimers(String(context['jobId']), value, context)],
      effects,
    };
  },
};

/**
 * Migrates a job from version 3. Its dispute, if any, is in version 1 of the escrow, which refunds
 * the buyer by time.
 */
export const jobFromVersion3: Migration = {
  from: 3,
  migrate: ({ snapshot, timers, effects }: PersistedActor) => {
    const { context } = snapshot;
    const dispute = context['dispute'];
    const migratedDispute = isObject(dispute) ? { ...dispute, isRefundedByTime: true } : null;
    return {
      snapshot: {
        ...snapshot,
        context: { ...context, dispute: migratedDispute, isUndecided: false },
      },
      timers,
      effects,
    };
  },
};

function createLateTimers(
  jobId: string,
  value: unknown,
  context: Readonly<Record<string, unknown>>,
): readonly TimerRow[] {
  const isExpired = value === 'expired_unreleased';
  const isClosed = Object(value)['unfunded'] === 'closed';
  if (!isExpired && !isClosed) return [];
  const state = isExpired ? 'expired_unreleased' : 'unfunded.closed';
  const timerId = `xstate.after.lateWindow.job.${state}`;
  const closedAt = Number(context[isExpired ? 'releaseByMs' : 'openedAt'] ?? 0);
  return [
    {
      timerId,
      due: closedAt + LATE_WINDOW_MS,
      token: `${jobId}:version3:${timerId}`,
      event: { type: timerId },
    },
  ];
}

const NEW_FIELDS = {
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

function migrateState(value: unknown, isEscrow: boolean): unknown {
  if (value === 'escrowed' || value === 'disputed') return { [value]: 'waiting' };
  if (value === 'unfunded') return { unfunded: 'closed' };
  if (value === 'voided') return 'lapsed';
  const parts = Object(value) as Record<string, unknown>;
  if ('expired_unreleased' in parts) return 'expired_unreleased';
  return 'fulfilled' in parts && !isEscrow ? { fulfilled: 'waiting' } : value;
}

function addFactTimes(facts: unknown): unknown {
  return Array.isArray(facts) ? facts.map((fact: object) => ({ atS: 0, ...fact })) : [];
}
