import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import type { PaymentOrder } from '../../../src/domain/payment/payment-record.ts';
import { paymentMachine } from '../../../src/machines/payment/payment.ts';
import type { PaymentEvent } from '../../../src/machines/payment/payment-context.ts';
import { paymentOrder } from '../../support/machine-plans.ts';

const ERROR = { name: 'AppError', code: 'CHAIN_UNAVAILABLE', message: 'gone' };
const checked: PaymentEvent = { type: 'xstate.done.actor.check', output: { fault: null } };
const settled: PaymentEvent = {
  type: 'xstate.done.actor.settle',
  output: { state: 'settled', transaction: '0x01', block: 7, at: 1_700_000_000_000 },
};
const settleThrew: PaymentEvent = { type: 'xstate.error.actor.settle', error: ERROR };
const lookUpDue = { type: 'xstate.after.nextLookUp.payment.unknown.waiting' } as never;
const job = { kind: 'debate', input: { briefSha: 'b' } };
const upfront = { flow: 'upfront', jobId: 'job_1', job } as const;

function payment(order: Partial<PaymentOrder>, ...events: readonly PaymentEvent[]) {
  let [state, actions] = initialTransition(paymentMachine, paymentOrder(order));
  for (const event of events) [state, actions] = transition(paymentMachine, state, event);
  const emits = actions.flatMap(({ type, params }) =>
    String(type) === 'xstate.emit' ? [(params as unknown as { event: unknown }).event] : [],
  );
  const delays = actions.flatMap(({ params }) => {
    const { delay } = (params ?? {}) as { delay?: number };
    return delay === undefined ? [] : [delay];
  });
  return { value: state.value, context: state.context, emits, delays };
}

test('a settlement that throws is unknown, because it may have happened', () => {
  const { value, context } = payment(upfront, checked, settleThrew);
  expect(value).toEqual({ unknown: 'waiting' });
  expect(context.fault).toEqual({ code: 'CHAIN_UNAVAILABLE', message: 'gone' });
});

test('the job is created by the very event that settles, and its input is not kept twice', () => {
  const { emits, context } = payment(upfront, checked, settled);
  expect(emits).toEqual([{ type: 'actor.create', to: 'job_1', kind: 'debate', input: job.input }]);
  expect([context.job, context.transaction]).toEqual([null, '0x01']);
});

test('no job is created before the money is there', () => {
  for (const events of [[], [checked], [checked, settleThrew]]) {
    expect(payment(upfront, ...events).emits).toEqual([]);
  }
});

test('the waits between two questions double and stop growing at five minutes', () => {
  const unknown: PaymentEvent = { type: 'xstate.error.actor.lookUp', error: ERROR };
  const waits = [];
  const events: PaymentEvent[] = [checked, settleThrew];
  for (let round = 0; round < 10; round += 1) {
    waits.push(...payment(upfront, ...events).delays);
    events.push(lookUpDue, unknown);
  }
  expect(waits.map((ms) => ms / 1_000)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test('a cancel never gives back more than was paid, and nothing when all was used', () => {
  const cancelled = (refundMicroUsd: string) =>
    payment(upfront, checked, settled, { type: 'WORK.CANCELLED', refundMicroUsd });
  expect(cancelled('999999').context.refundMicroUsd).toBe('10000');
  expect(cancelled('400').context.refundMicroUsd).toBe('400');
  expect(cancelled('0').value).toBe('closed');
});

test('what comes after the end of a wait changes nothing', () => {
  const late = payment({}, checked, { type: 'WORK.FAILED', reason: 'no' });
  expect(late.value).toBe('released');
  const early = payment({}, { type: 'WORK.DONE', resultSha: 'a' });
  expect([early.value, early.context.resultSha]).toEqual(['challenged', null]);
});
