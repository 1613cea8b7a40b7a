import { type AnyStateMachine, type AnyStateNode, createMachine } from 'xstate';
import { nodesOf } from '../model-machine.ts';
import { transitionChanges } from './candidate-changes.ts';
import type { Change } from './change.ts';
import { configOf } from './config.ts';
import { stateChanges } from './state-changes.ts';
import { strayChanges } from './stray-changes.ts';

/** A machine that is broken in one place. */
export interface Mutant {
  /** What was done to which place, such as `target:settling|WORK.DONE|0`. */
  readonly id: string;
  /** The same as a sentence. */
  readonly about: string;
  /** Transitions that the change is about: paths through them see it first. */
  readonly transitionIds: readonly string[];
  readonly machine: AnyStateMachine;
}

/**
 * Makes deliberately broken copies of a machine: transitions removed, led elsewhere or made to
 * enter anew, guards dropped or turned round, actions, delays and effects dropped, delays that are
 * a millisecond longer, other initial states, ends that are no ends, and events that are taken
 * where they should not be. Each copy is broken in one place; what would be no machine is left out.
 */
export function mutantsOf(machine: AnyStateMachine): readonly Mutant[] {
  const changes = [...nodesOf(machine.root)].flatMap((node) => [
    ...transitionChanges(node),
    ...stateChanges(node),
    ...strayChanges(node),
  ]);
  return [...changes.flatMap((change) => broken(machine, change)), ...longerDelays(machine)];
}

function broken(machine: AnyStateMachine, change: Change): readonly Mutant[] {
  const config = configOf(machine);
  if (!change.apply(config)) return [];
  const { id, about, transitionIds } = change;
  try {
    const copy = createMachine(config as never, machine.implementations as never);
    // States resolve their transitions when they are first asked for.
    for (const node of nodesOf(copy.root as AnyStateNode)) void node.transitions;
    return [{ id, about, transitionIds, machine: copy as unknown as AnyStateMachine }];
  } catch {
    return [];
  }
}

function longerDelays(machine: AnyStateMachine): readonly Mutant[] {
  const delays = machine.implementations.delays as Readonly<Record<string, unknown>>;
  return Object.entries(delays).map(([name, delay]) => {
    const longer =
      typeof delay === 'function'
        ? (...args: readonly unknown[]) => Number(Reflect.apply(delay, undefined, args)) + 1
        : Number(delay) + 1;
    return {
      id: `delay-longer:${name}`,
      about: `The delay ${name} is a millisecond longer.`,
      transitionIds: [],
      machine: machine.provide({ delays: { [name]: longer } } as never),
    };
  });
}
