import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import { getNextTransitions } from 'xstate';
import { inertScope } from '../engine/scope.ts';

/** Runs `work` and returns the names of all transitions that the machine took in it, in order. */
export function recordTransitions<T>(
  machine: AnyStateMachine,
  work: () => T,
): { readonly result: T; readonly taken: readonly string[] } {
  const taken: string[] = [];
  const subscription = inertScope(machine).system.inspect((seen) => {
    if (seen.type === '@xstate.microstep')
      taken.push(...seen._transitions.flatMap(transitionNames));
  });
  try {
    return { result: work(), taken };
  } finally {
    subscription.unsubscribe();
  }
}

/** Returns the names of the transitions from an active snapshot, regardless of their guards. */
export function possibleTransitions(snapshot: AnyMachineSnapshot): readonly string[] {
  return snapshot.status === 'active' ? getNextTransitions(snapshot).flatMap(transitionNames) : [];
}

type Transition = NonNullable<AnyStateNode['always']>[number];

/** Returns an empty list for the initial transition, which no state lists. */
function transitionNames(transition: Transition): readonly string[] {
  const { source, eventType } = transition as {
    readonly source: AnyStateNode;
    readonly eventType: string;
  };
  const candidates = eventType === '' ? source.always : source.transitions.get(eventType);
  const index = candidates?.indexOf(transition) ?? -1;
  return index < 0 ? [] : [`${source.path.join('.')}|${eventType}|${index}`];
}
