import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, getNextTransitions, initialTransition, transition } from 'xstate';
import { jobMachine } from '../../../src/machines/escrow/job.ts';
import type { JobFunding } from '../../../src/machines/escrow/job-context.ts';
import { RELEASE_WINDOW_MS } from '../../../src/machines/escrow/job-updates.ts';
import type { Ev } from '../../../src/runtime/engine/types.ts';
import { confirmed, jobInput } from '../../support/machine-plans.ts';

const HOUR = 3_600_000;
const SHA = 'a'.repeat(64);
const held = { sha256: SHA, mimeType: 'text/plain', bytes: 3, blobSha: 'b'.repeat(64) };
const delivered = {
  type: 'WORK.DELIVERED',
  deliverableSha: SHA,
  held,
  signature: '0x01',
  call: 'c1',
  at: 1_000_000,
};
const escrowed = confirmed('CHAIN.ESCROWED');
const fulfilled = confirmed('CHAIN.FULFILLED', {
  deliverable: `0x${SHA}`,
  releaseByS: 1_700_259_200,
  windowMs: 72 * HOUR,
});
const isDisputed = confirmed('CHAIN.DISPUTED', { reason: '0x0f', refundMs: null });
const disputed = {
  type: 'DISPUTE.OPENED',
  by: 'buyer',
  reason: 'not as agreed',
  reasonHash: '0x0f',
  signature: '0x02',
  call: 'c2',
};
const released = confirmed('CHAIN.RELEASED', { net: '20', fee: '5', isAutomatic: false });
const windowOver = { type: 'xstate.after.releaseWindow.job.fulfilled' };
const completed = { type: 'JOB.COMPLETED', signature: '0x03', call: 'c3' };
const paid = { type: 'JOB.COMPLETED', payment: {}, paymentId: 'pay_1', call: 'c4' };

function job(funding: JobFunding, ...events: readonly Ev[]): AnyMachineSnapshot {
  let [state] = initialTransition(jobMachine, jobInput({ funding }));
  for (const event of events) [state] = transition(jobMachine, state, event as never);
  return state;
}

function answer(effect: string, output: unknown): Ev {
  return { type: `xstate.done.actor.${effect}`, output };
}

function settled(at: number): object {
  return { state: 'settled', transaction: `0x${at}`, block: at, at };
}

test('a funded request stands in escrow once the chain has confirmed it', () => {
  expect(job('escrow').value).toEqual({ funded: 'trying' });
  expect(job('escrow', answer('fund', { state: 'done' })).value).toEqual({ funded: 'awaiting' });
  expect(job('escrow', escrowed).value).toEqual({ escrowed: 'waiting' });
});

test('a refusal of the money ends the job at once and says why', () => {
  const refusal = { state: 'refused', code: 'PAYMENT_FUNDS', message: 'empty' };
  const state = job('escrow', answer('fund', refusal));
  expect(state.value).toEqual({ unfunded: 'sweeping' });
  expect(state.context.lastMove).toMatchObject({ code: 'PAYMENT_FUNDS', message: 'empty' });
});

test('a handed-in deliverable is delivered only when the chain has its hash', () => {
  const moving = job('escrow', escrowed, delivered);
  expect([moving.value, moving.context.deliverableSha]).toEqual([{ escrowed: 'moving' }, null]);
  const there = job('escrow', escrowed, delivered, fulfilled);
  expect([there.value, there.context.deliverableSha]).toEqual([{ fulfilled: 'waiting' }, SHA]);
  expect([there.context.deliverable, there.context.pending]).toEqual([held, null]);
});

test('a move that the chain refuses changes nothing and says why', () => {
  const refusal = { state: 'refused', code: 'MOVE_UNSIGNED', message: 'no' };
  const state = job('escrow', escrowed, delivered, answer('move', refusal));
  expect([state.value, state.context.pending]).toEqual([{ escrowed: 'waiting' }, null]);
  expect(state.context.lastMove).toEqual({
    call: 'c1',
    move: 'fulfil',
    isRefused: true,
    code: 'MOVE_UNSIGNED',
    message: 'no',
  });
});

test('a move of an unknown outcome is brought again', () => {
  const lost = answer('move', { state: 'unknown', message: 'no receipt' });
  const sent = job('escrow', escrowed, delivered, lost);
  expect(sent.value).toEqual({ escrowed: 'sent' });
  const again = { type: 'xstate.after.retryAfter.job.escrowed.sent' };
  const state = job('escrow', escrowed, delivered, lost, again);
  expect([state.value, state.context.pending?.call]).toEqual([{ escrowed: 'moving' }, 'c1']);
});

test('an escrow-funded job releases itself after 72 hours, tries until it is confirmed', () => {
  const state = job('escrow', escrowed, fulfilled);
  const next = getNextTransitions(state).map(({ eventType }) => eventType);
  expect(next).toContain(windowOver.type);
  expect([RELEASE_WINDOW_MS, state.context.windowMs]).toEqual([72 * HOUR, 72 * HOUR]);
  const trying = job('escrow', escrowed, fulfilled, windowOver);
  expect(trying.value).toEqual({ fulfilled: 'trying' });
  const error = { type: 'xstate.error.actor.release', error: { message: 'rpc gone' } };
  const [waiting] = transition(jobMachine, trying, error as never);
  expect([waiting.value, waiting.context.lastError]).toEqual([
    { fulfilled: 'awaiting' },
    'rpc gone',
  ]);
});

test('a timer never moves money by itself', () => {
  const over = job('escrow', escrowed, fulfilled, windowOver);
  expect(over.hasTag('closed')).toBe(false);
  expect(over.context.facts).toHaveLength(2);
});

test('an unreleased job that is paid on release closes as expired_unreleased', () => {
  const expired = job('on_release', delivered, windowOver);
  expect(expired.value).toBe('expired_unreleased');
  expect([expired.hasTag('closed'), expired.status]).toEqual([true, 'active']);
  expect(expired.context.deliverableSha).toBe(SHA);
});

test('a late release needs a payment, pays, and says that it is late', () => {
  const expired = [delivered, windowOver];
  expect(job('on_release', ...expired, completed).value).toBe('expired_unreleased');
  const collected = [...expired, paid, answer('collect', settled(7))];
  expect(job('on_release', ...collected).value).toEqual({ paying: 'trying' });
  const state = job('on_release', ...collected, answer('pay', settled(8)));
  expect([state.value, state.context.isLate]).toEqual(['released', true]);
  expect(state.context.payout).toEqual({
    netMicroUsd: '20000000',
    feeMicroUsd: '5000000',
    transaction: '0x8',
    isAutomatic: false,
  });
});

test('a payment that fails leaves the deadline where it was', () => {
  const fault = { code: 'PAYMENT_FUNDS', message: 'empty' };
  const failed = answer('collect', { state: 'failed', fault, at: 1_000_000 + 70 * HOUR });
  const state = job('on_release', delivered, paid, failed);
  expect([state.value, state.context.windowMs]).toEqual([{ fulfilled: 'waiting' }, 2 * HOUR]);
  expect([state.context.payment, state.context.lastMove?.code]).toEqual([null, 'PAYMENT_FUNDS']);
  const late = job('on_release', delivered, windowOver, paid, failed);
  expect(late.value).toBe('expired_unreleased');
});

test('what the buyer paid is owed to the provider until it is paid', () => {
  const unknown = { state: 'unknown', transaction: null, detail: 'no receipt', at: 1 };
  const failed = { state: 'failed', fault: { code: 'SETTLEMENT_FAILED', message: 'no' }, at: 1 };
  for (const outcome of [unknown, failed]) {
    const state = job(
      'on_release',
      ...[delivered, paid, answer('collect', settled(7)), answer('pay', outcome)],
    );
    expect(state.value).toEqual({ paying: 'awaiting' });
  }
});

test('a dispute is one when the chain says so, freezes the window, and comes once', () => {
  const asked = job('escrow', escrowed, fulfilled, disputed);
  expect([asked.value, asked.context.dispute]).toEqual([{ fulfilled: 'moving' }, null]);
  const frozen = [escrowed, fulfilled, disputed, isDisputed];
  const state = job('escrow', ...frozen, windowOver);
  expect([state.value, state.context.dispute?.reason]).toEqual([
    { disputed: 'waiting' },
    'not as agreed',
  ]);
  const withdrawn = confirmed('CHAIN.DISPUTE_WITHDRAWN', {
    releaseByS: 1_700_300_000,
    windowMs: 5 * HOUR,
  });
  const resumed = job('escrow', ...frozen, withdrawn);
  expect([resumed.value, resumed.context.windowMs]).toEqual([{ fulfilled: 'waiting' }, 5 * HOUR]);
  const again = job('escrow', ...frozen, withdrawn, disputed, isDisputed);
  expect(again.value).toEqual({ fulfilled: 'waiting' });
});

test('a verdict ends a dispute on the chain, and its absence pays nobody', () => {
  const frozen = [escrowed, fulfilled, isDisputed];
  const decide = {
    type: 'DISPUTE.DECIDED',
    upheld: 'buyer',
    why: 'unlike',
    verdictHash: '0x0a',
    call: 'c5',
  };
  const deciding = job('escrow', ...frozen, decide);
  expect([deciding.value, deciding.context.verdict]).toEqual([{ disputed: 'moving' }, null]);
  const decided = confirmed('CHAIN.DECIDED', { isForProvider: false, verdict: '0x0a' });
  const end = job('escrow', ...frozen, decide, decided, confirmed('CHAIN.REFUNDED'));
  expect([end.value, end.context.verdict, end.context.verdictWords]).toEqual([
    ...['refunded', 'buyer', 'unlike'],
  ]);
  const silent = { type: 'xstate.after.disputeWindow.job.disputed' };
  const undecided = job('escrow', ...frozen, silent);
  expect([undecided.value, undecided.context.isUndecided]).toEqual([{ disputed: 'waiting' }, true]);
  const late = job('escrow', ...frozen, silent, decide, decided, confirmed('CHAIN.REFUNDED'));
  expect(late.value).toBe('refunded');
  const old = confirmed('CHAIN.DISPUTED', { reason: '0x0f', refundMs: 168 * HOUR });
  expect(job('escrow', escrowed, fulfilled, old, silent).value).toEqual({ refunding: 'trying' });
});

test('only escrow-funded jobs know disputes and giving back', () => {
  const givenBack = { type: 'JOB.GIVEN_BACK', signature: '0x04', call: 'c6' };
  for (const event of [disputed, givenBack]) {
    expect(job('on_release', delivered, event).value).toEqual({ fulfilled: 'waiting' });
    expect(job('escrow', escrowed, fulfilled, event).value).toEqual({ fulfilled: 'moving' });
  }
});

test('what is never fulfilled goes back, or ends with nothing held', () => {
  const late = { type: 'xstate.after.fulfilBy.job.escrowed' };
  const refunding = job('escrow', escrowed, late);
  expect(refunding.value).toEqual({ refunding: 'trying' });
  const [refunded] = transition(jobMachine, refunding, confirmed('CHAIN.REFUNDED') as never);
  expect(refunded.value).toBe('refunded');
  const inTime = job('escrow', escrowed, late, fulfilled);
  expect(inTime.value).toEqual({ fulfilled: 'waiting' });
  expect(job('on_release', { type: 'xstate.after.fulfilBy.job.agreed' }).value).toBe('lapsed');
});

test('a budget that reaches the escrow too late goes straight back', () => {
  const late = { type: 'xstate.after.fundingWindow.job.funded' };
  expect(job('escrow', late).value).toEqual({ unfunded: 'sweeping' });
  const swept = [late, answer('sweep', { state: 'refused' })];
  expect(job('escrow', ...swept).value).toEqual({ unfunded: 'closed' });
  expect(job('escrow', ...swept, escrowed).value).toEqual({ refunding: 'trying' });
});

test('a fact counts once, however often it is told', () => {
  const twice = job('escrow', escrowed, fulfilled, fulfilled, escrowed, released);
  expect(twice.context.facts.map(({ fact }: { fact: string }) => fact)).toEqual([
    ...['CHAIN.ESCROWED', 'CHAIN.FULFILLED', 'CHAIN.RELEASED'],
  ]);
});

test('every try that fails is told and repeated', () => {
  const tries = [
    job('escrow'),
    job('escrow', escrowed, { type: 'xstate.after.fulfilBy.job.escrowed' }),
  ];
  for (const [at, child] of ['fund', 'refund'].entries()) {
    const error = { type: `xstate.error.actor.${child}`, error: { message: 'no gas' } };
    const [state] = transition(jobMachine, tries[at] as never, error as never);
    expect([Object.values(state.value), state.context.lastError]).toEqual([['awaiting'], 'no gas']);
  }
});
