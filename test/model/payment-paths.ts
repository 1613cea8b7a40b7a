import type { AnyMachineSnapshot } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { PaymentFlow } from '../../src/domain/payment.ts';
import { paymentMachine } from '../../src/machines/payment.ts';
import type { Ev } from '../../src/runtime/types.ts';
import { type MachinePath, machinePaths, textOf } from '../support/machine-paths.ts';
import { paymentPlan } from '../support/machine-plans.ts';

/** What no caller, chain or operator can bring about through this server, and why. */
export const BEYOND_PAYMENT: Readonly<Record<string, string>> = {
  'settled on WORK.CANCELLED #1':
    'a cancel always owes something: models may spend half of the price at the most',
};

/** The shortest path to every state, and from there each event that the state takes. */
export function edgePaths(flow: PaymentFlow): readonly MachinePath[] {
  const { input, variants } = paymentPlan(flow, 'shortest');
  const eventsOf = (state: AnyMachineSnapshot): Ev[] => {
    if (state.status !== 'active') return [];
    const types = new Set(state._nodes.flatMap((node) => node.ownEvents));
    return [...types].flatMap((type) => variants[type] ?? [{ type }]).filter(isPossible);
  };
  const shortest = getShortestPaths(paymentMachine, {
    input: input as never,
    events: (state) => eventsOf(state as AnyMachineSnapshot) as never[],
    serializeState: (state) => textOf(state as AnyMachineSnapshot),
  });
  return shortest.flatMap(({ state, steps }) => {
    const events = steps.map(({ event }) => event as Ev).filter(isOwn);
    return eventsOf(state as AnyMachineSnapshot).map((next) => named([...events, next]));
  });
}

/** Every path without a repeated state. */
export function simplePaths(flow: PaymentFlow): readonly MachinePath[] {
  return machinePaths(paymentMachine, paymentPlan(flow, 'simple'))
    .filter(({ events }) => events.every(isPossible))
    .map(({ events }) => named(events));
}

/** In one word, how an event ends what it answers: the word that opens a gate. */
export function wordOf({ type, output }: Ev): string {
  if (type.startsWith('xstate.error.')) return 'error';
  const { state, fault } = (output ?? {}) as { state?: string; fault?: object | null };
  if (state !== undefined) return state;
  return fault === undefined || fault === null ? 'ok' : 'failed';
}

function named(events: readonly Ev[]): MachinePath {
  return { name: events.map(labelOf).join(', '), events };
}

function labelOf(event: Ev): string {
  const [, kind, first, second] = event.type.split('.');
  if (!event.type.startsWith('xstate.')) return event.type;
  return kind === 'after' ? `after ${first}` : `${second} ${wordOf(event)}`;
}

function isPossible({ type, refundMicroUsd }: Ev): boolean {
  return type !== 'WORK.CANCELLED' || refundMicroUsd !== '0';
}

function isOwn({ type }: Ev): boolean {
  return type !== 'xstate.init';
}
