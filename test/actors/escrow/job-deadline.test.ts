import { expect, test } from 'vitest';
import { isEndedUnpaid, nextDeadline } from '../../../src/actors/escrow/job-deadline.ts';
import type { JobActorState } from '../../../src/actors/escrow/read-actors.ts';
import { jobMachine } from '../../../src/machines/escrow/job.ts';

const RELEASE_BY = 1_700_000_000_000;
const FULFIL_BY = 1_699_000_000;
const DAY = 86_400_000;

function job(state: string, over: object = {}): JobActorState {
  const context = {
    funding: 'escrow',
    releaseByMs: RELEASE_BY,
    fulfilByS: FULFIL_BY,
    isLate: false,
    dispute: null,
    decideMs: 7 * DAY,
    ...over,
  };
  return { state, context, view: {} } as never;
}

const open = (isRefundedByTime: boolean) => ({
  dispute: { openedAtS: FULFIL_BY, isRefundedByTime },
});
const onRelease = { funding: 'on_release' };

test.each([
  ['escrowed.waiting', {}, FULFIL_BY * 1_000, 'refund'],
  ['escrowed.moving', {}, FULFIL_BY * 1_000, 'refund'],
  ['fulfilled.waiting', {}, RELEASE_BY, 'auto_release'],
  ['fulfilled.trying', open(false), RELEASE_BY, 'auto_release'],
  ['disputed.waiting', open(false), null, 'held'],
  ['disputed.sent', open(true), FULFIL_BY * 1_000 + 7 * DAY, 'refund'],
  ['refunding.awaiting', {}, null, 'refund'],
  ['agreed', onRelease, FULFIL_BY * 1_000, 'lapsed'],
  ['fulfilled.waiting', onRelease, RELEASE_BY, 'expired_unreleased'],
  ['collecting.settling', onRelease, RELEASE_BY, 'expired_unreleased'],
  ['collecting.asking', { ...onRelease, isLate: true }, RELEASE_BY + 400 * DAY, 'forgone'],
  ['expired_unreleased', { ...onRelease, isLate: true }, RELEASE_BY + 400 * DAY, 'forgone'],
  ['paying.trying', onRelease, null, 'none'],
  ['released', {}, null, 'none'],
  ['refunded', {}, null, 'none'],
  ['unfunded.closed', {}, null, 'none'],
  ['lapsed', onRelease, null, 'none'],
  ['forgone', onRelease, null, 'none'],
] as const)('time does to a job that is %s with %j what its block says', (...row) => {
  const [state, over, atMs, what] = row;
  expect(nextDeadline(job(state, over))).toEqual({ atMs, what });
});

test('no final state of the machine promises anything, and only releases pay', () => {
  const finals = Object.entries(jobMachine.states).filter(([, { type }]) => type === 'final');
  expect(finals.length).toBeGreaterThan(3);
  for (const [state] of finals) {
    expect(nextDeadline(job(state)).what).toBe('none');
    expect([state, isEndedUnpaid({ state })]).toEqual([state, state !== 'released']);
  }
});
