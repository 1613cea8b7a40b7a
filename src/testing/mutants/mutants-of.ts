import { type AnyStateMachine, createMachine } from 'xstate';
import { iterateNodes } from '../../machines/graph/machine-graph.ts';
import { listTransitionChanges } from './candidate-changes.ts';
import type { Change } from './change.ts';
import { copyConfig } from './config.ts';
import { listStateChanges } from './state-changes.ts';
import { listStrayChanges } from './stray-changes.ts';

/** A machine with one mutation. */
export interface Mutant {
  /** The mutation and its place, such as `target:settling|WORK.DONE|0`. */
  readonly id: string;
  /** Description of the mutation. */
  readonly about: string;
  /** Changed transitions. Paths through them detect the mutant first. */
  readonly transitionIds: readonly string[];
  readonly machine: AnyStateMachine;
}

/**
 * Creates mutants of a machine, each with one change. Changes are: removed or redirected
 * transitions, changed reentry, removed or negated guards, removed actions, delays and effects,
 * delays that are 1 ms longer, other initial states, removed final states, and events accepted in
 * additional states. Invalid machines are omitted.
 */
export function mutantsOf(machine: AnyStateMachine): readonly Mutant[] {
  const changes = [...iterateNodes(machine.root)].flatMap((node) => [
    ...listTransitionChanges(node),
    ...listStateChanges(node),
    ...listStrayChanges(node),
  ]);
  return [...changes.flatMap((change) => applyChange(machine, change)), ...lengthenDelays(machine)];
}

function applyChange(machine: AnyStateMachine, change: Change): readonly Mutant[] {
  const config = copyConfig(machine);
  if (!change.apply(config)) return [];
  const { id, about, transitionIds } = change;
  try {
    const made: object = createMachine(config as never, machine.implementations as never);
    const copy = made as AnyStateMachine;
    // XState resolves transitions lazily, on first access.
    for (const node of iterateNodes(copy.root)) void node.transitions;
    return [{ id, about, transitionIds, machine: copy }];
  } catch {
    return [];
  }
}

function lengthenDelays(machine: AnyStateMachine): readonly Mutant[] {
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
