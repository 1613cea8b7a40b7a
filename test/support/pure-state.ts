import { type AnyStateMachine, initialTransition, transition } from 'xstate';
import type { Ev } from '../../src/runtime/engine/types.ts';

/** What a machine becomes by a list of events, by XState's pure functions alone. */
export function pureState(machine: AnyStateMachine, input: unknown, events: readonly Ev[]) {
  let [state] = initialTransition(machine, input as never);
  for (const event of events) [state] = transition(machine, state, event);
  const { value, context, status } = state;
  return JSON.parse(JSON.stringify({ value, context, status })) as Record<string, unknown>;
}
