import { expect, test } from 'vitest';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from 'xstate';
import { controlMachine } from '../../src/machines/control/control.ts';
import { jobMachine } from '../../src/machines/escrow/job.ts';
import { RELEASE_WINDOW_MS } from '../../src/machines/escrow/job-updates.ts';
import type { Ev } from '../../src/runtime/engine/types.ts';
import { confirmed, jobInput } from '../support/machine-plans.ts';
import { proves } from '../support/proves.ts';

// The commerce specification, section 3 and the window of section 8, asked of the machines.
const HOURS_72_MS = 259_200_000;
const delivered: Ev = { type: 'WORK.DELIVERED', deliverableSha: 'a'.repeat(64) };
const completed: Ev = { type: 'JOB.COMPLETED', signature: '0x01' };
const windowOver: Ev = { type: 'xstate.after.releaseWindow.job.fulfilled' };
const escrowed = confirmed('CHAIN.ESCROWED');
const fulfilled = confirmed('CHAIN.FULFILLED', {
  deliverable: `0x${'a'.repeat(64)}`,
  releaseByS: 1_700_259_200,
  windowMs: HOURS_72_MS,
});
const released = confirmed('CHAIN.RELEASED', { net: '8', fee: '2', isAutomatic: false });

function after(machine: AnyStateMachine, input: unknown, ...events: readonly Ev[]) {
  let [state] = initialTransition(machine, input as never);
  for (const event of events) [state] = transition(machine, state, event as never);
  return state as AnyMachineSnapshot;
}

function job(funding: 'escrow' | 'on_release', ...events: readonly Ev[]): AnyMachineSnapshot {
  return after(jobMachine, jobInput({ funding }), ...events);
}

function control(label: string, ...events: readonly Ev[]): AnyMachineSnapshot {
  return after(controlMachine, { controlId: 'payer-binding', label }, ...events);
}

function change(to: string, over: object = {}): Ev {
  return {
    type: 'CONTROL.CHANGED',
    role: 'operator',
    to,
    who: 'ops',
    why: 'drill',
    at: 1,
    ...over,
  };
}

test('a budgeted request that is funded stands in escrow with the funds held', () => {
  proves('C3.t1');
  const state = job('escrow', escrowed);
  expect([state.value, state.hasTag('held')]).toEqual([{ escrowed: 'waiting' }, true]);
});

test('completion of an escrowed job releases it and pays the provider', () => {
  proves('C3.t2');
  const asked = job('escrow', escrowed, delivered, fulfilled, completed);
  expect(asked.value).toEqual({ fulfilled: 'moving' });
  const paid = job('escrow', escrowed, delivered, fulfilled, completed, released);
  expect([paid.value, paid.context.payout.netMicroUsd]).toEqual(['released', '8']);
});

test('an escrowed job releases itself when 72 hours have passed', () => {
  proves('C3.t3', 'C8.t2');
  expect(RELEASE_WINDOW_MS).toBe(HOURS_72_MS);
  const inTime = job('escrow', escrowed, fulfilled);
  expect(inTime.context.windowMs).toBe(HOURS_72_MS);
  const state = job('escrow', escrowed, fulfilled, windowOver);
  expect(state.value).toEqual({ fulfilled: 'trying' });
  expect(job('escrow', escrowed, fulfilled, windowOver, released).value).toBe('released');
});

test('a job that is not released by its deadline closes as expired_unreleased', () => {
  proves('C3.t4.c1', 'C7.t3');
  const state = job('on_release', delivered, windowOver);
  expect(state.value).toBe('expired_unreleased');
  expect([state.hasTag('closed'), state.hasTag('held')]).toEqual([true, false]);
});

test('moves that the specification leaves open: refunds, disputes and a late release', () => {
  proves('C3.s4');
  const late = { type: 'JOB.COMPLETED', paymentId: 'pay_1', payment: {} };
  const settled = { state: 'settled', transaction: '0x0a', block: 10, at: 1 };
  const collected = { type: 'xstate.done.actor.collect', output: settled };
  const paid = { type: 'xstate.done.actor.pay', output: settled };
  const end = job('on_release', delivered, windowOver, late, collected, paid);
  expect([end.value, end.context.isLate]).toEqual(['released', true]);
  const dispute = confirmed('CHAIN.DISPUTED', { reason: '0x01', refundMs: null });
  expect(job('escrow', escrowed, fulfilled, dispute).value).toEqual({ disputed: 'waiting' });
  const unfulfilled = { type: 'xstate.after.fulfilBy.job.escrowed' };
  expect(job('escrow', escrowed, unfulfilled).value).toEqual({ refunding: 'trying' });
});

test('a control is LIVE, SHADOW or OFF, and begins as it was declared', () => {
  proves('C3.s1', 'C2.t12');
  const labels = ['LIVE', 'SHADOW', 'OFF'];
  expect(labels.map((label) => control(label).value)).toEqual(labels);
  const { declared, ...states } = controlMachine.states;
  expect(declared?.always).toHaveLength(3);
  expect(Object.keys(states)).toEqual(labels);
});

test('only the operator changes a control, and says who and why', () => {
  proves('C3.s2');
  expect(control('OFF', change('LIVE')).value).toBe('LIVE');
  expect(control('OFF', change('LIVE', { role: 'caller' })).value).toBe('OFF');
  expect(control('OFF', change('LIVE', { why: ' ' })).value).toBe('OFF');
  expect(control('LIVE', change('SHADOW')).context).toMatchObject({
    label: 'SHADOW',
    change: { who: 'ops', why: 'drill', at: 1 },
  });
});
