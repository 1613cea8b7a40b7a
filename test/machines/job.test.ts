import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, getNextTransitions, initialTransition, transition } from 'xstate';
import { jobMachine } from '../../src/machines/job.ts';
import type { JobFunding } from '../../src/machines/parts/job-facts.ts';
import type { Ev } from '../../src/runtime/types.ts';
import { confirmed, jobInput } from '../support/machine-plans.ts';

const HOUR = 3_600_000;
const delivered = { type: 'WORK.DELIVERED', deliverableSha: 'a'.repeat(64) };
const disputed = { type: 'DISPUTE.OPENED', by: 'buyer', reason: 'not as agreed' };
const windowOver = { type: 'xstate.after.releaseWindow.job.fulfilled' };

function job(funding: JobFunding, ...events: readonly Ev[]): AnyMachineSnapshot {
  let [state] = initialTransition(jobMachine, jobInput({ funding }));
  for (const event of events) [state] = transition(jobMachine, state, event as never);
  return state;
}

test('a funded request stands in escrow once the chain has confirmed it', () => {
  expect(job('escrow').value).toEqual({ funded: 'trying' });
  expect(job('escrow', confirmed('CHAIN.ESCROWED')).value).toBe('escrowed');
});

test('a completion call with the deliverable leads to release, and the chain confirms it', () => {
  const held = [confirmed('CHAIN.ESCROWED'), { type: 'JOB.COMPLETED', deliverableSha: 'b' }];
  expect(job('escrow', ...held).value).toEqual({ fulfilled: 'trying' });
  expect(job('escrow', ...held, confirmed('CHAIN.RELEASED')).value).toBe('released');
  const empty = job('escrow', confirmed('CHAIN.ESCROWED'), { type: 'JOB.COMPLETED' });
  expect(empty.value).toBe('escrowed');
});

test('an escrow-funded job releases itself after 72 hours, tries until it is confirmed', () => {
  const state = job('escrow', confirmed('CHAIN.ESCROWED'), delivered);
  const next = getNextTransitions(state).map(({ eventType }) => eventType);
  expect(next).toContain(windowOver.type);
  expect(jobMachine.implementations.delays['releaseWindow']).toBe(72 * HOUR);
  const trying = job('escrow', confirmed('CHAIN.ESCROWED'), delivered, windowOver);
  expect(trying.value).toEqual({ fulfilled: 'trying' });
  const error = { type: 'xstate.error.actor.release', error: { message: 'rpc gone' } };
  const [waiting] = transition(jobMachine, trying, error as never);
  expect([waiting.value, waiting.context.lastError]).toEqual([
    { fulfilled: 'awaiting' },
    'rpc gone',
  ]);
});

test('a timer never moves money by itself', () => {
  const over = job('escrow', confirmed('CHAIN.ESCROWED'), delivered, windowOver);
  expect(over.hasTag('closed')).toBe(false);
  expect(over.context.facts).toHaveLength(1);
});

test('an unreleased job that is paid on release closes as expired_unreleased', () => {
  const expired = job('on_release', delivered, windowOver);
  expect(expired.value).toEqual({ expired_unreleased: 'closed' });
  expect([expired.hasTag('closed'), expired.status]).toEqual([true, 'active']);
  expect(expired.context.deliverableSha).toBe('a'.repeat(64));
});

test('a late release needs a payment, pays, and keeps the first receipt', () => {
  const expired = [delivered, windowOver];
  const unpaid = job('on_release', ...expired, { type: 'JOB.COMPLETED' });
  expect(unpaid.value).toEqual({ expired_unreleased: 'closed' });
  const released = job(
    'on_release',
    ...expired,
    { type: 'JOB.COMPLETED', paymentId: 'pay_1' },
    confirmed('CHAIN.RELEASED'),
    { ...confirmed('CHAIN.RELEASED'), transaction: '0x04' },
  );
  expect([released.value, released.context.isLate]).toEqual(['released', true]);
  expect(
    released.context.facts.map(({ transaction }: { transaction: string }) => transaction),
  ).toEqual(['0x03']);
});

test('a dispute freezes the window, is decided or times out, and comes once', () => {
  const frozen = [confirmed('CHAIN.ESCROWED'), delivered, disputed];
  expect(job('escrow', ...frozen, windowOver).value).toBe('disputed');
  const decided = (upheld: string) => job('escrow', ...frozen, { type: 'DISPUTE.DECIDED', upheld });
  expect(decided('provider').value).toEqual({ fulfilled: 'trying' });
  expect(decided('buyer').value).toEqual({ refunding: 'trying' });
  const silent = { type: 'xstate.after.disputeWindow.job.disputed' };
  expect(job('escrow', ...frozen, silent).value).toEqual({ refunding: 'trying' });
  expect(job('on_release', delivered, disputed, silent).value).toBe('voided');
  const again = job('escrow', ...frozen, { type: 'DISPUTE.WITHDRAWN' }, disputed);
  expect(again.value).toEqual({ fulfilled: 'waiting' });
});

test('what is never fulfilled goes back, or ends with nothing held', () => {
  const late = { type: 'xstate.after.fulfilBy.job.escrowed' };
  const refunding = job('escrow', confirmed('CHAIN.ESCROWED'), late);
  expect(refunding.value).toEqual({ refunding: 'trying' });
  const [refunded] = transition(jobMachine, refunding, confirmed('CHAIN.REFUNDED') as never);
  expect(refunded.value).toBe('refunded');
  expect(job('on_release', { type: 'xstate.after.fulfilBy.job.agreed' }).value).toBe('lapsed');
});

test('a budget that reaches the escrow too late goes straight back', () => {
  const late = { type: 'xstate.after.fundingWindow.job.funded' };
  expect(job('escrow', late).value).toBe('unfunded');
  expect(job('escrow', late, confirmed('CHAIN.ESCROWED')).value).toEqual({ refunding: 'trying' });
});

test('every try that fails is told and repeated', () => {
  const tries = [
    job('escrow'),
    job('escrow', confirmed('CHAIN.ESCROWED'), { type: 'xstate.after.fulfilBy.job.escrowed' }),
  ];
  for (const [at, child] of ['fund', 'refund'].entries()) {
    const error = { type: `xstate.error.actor.${child}`, error: { message: 'no gas' } };
    const [state] = transition(jobMachine, tries[at] as never, error as never);
    expect([Object.values(state.value), state.context.lastError]).toEqual([['awaiting'], 'no gas']);
  }
});
