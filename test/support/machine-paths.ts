import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from 'xstate';
import { getShortestPaths, getSimplePaths } from 'xstate/graph';
import type { Ev } from '../../src/runtime/types.ts';

/** What to try on a machine: all payload variants of each event that it may meet. */
export interface PathPlan {
  readonly input: unknown;
  /** Variants by event type. Timer events and types without variants go without payload. */
  readonly variants: Readonly<Record<string, readonly Ev[]>>;
  /** `shortest`: one path to each state. `simple`: every path without a repeated state. */
  readonly kind: 'shortest' | 'simple';
}

/** A path as a list of events, with its name for the test title. */
export interface MachinePath {
  readonly name: string;
  readonly events: readonly Ev[];
}

/** Walks a machine with xstate/graph; delays, done and error of effects are events of a path. */
export function machinePaths(machine: AnyStateMachine, plan: PathPlan): readonly MachinePath[] {
  const walk = plan.kind === 'shortest' ? getShortestPaths : getSimplePaths;
  const paths = walk(machine, {
    input: plan.input,
    events: (state) => nextEvents(state as AnyMachineSnapshot, plan.variants),
    serializeState: (state) => textOf(state as AnyMachineSnapshot),
  });
  return maximal(
    paths.map((path) => {
      const events = path.steps.map(({ event }) => event as Ev).filter(isOwn);
      return { name: [...path.steps, path].map(({ state }) => textOf(state)).join(' → '), events };
    }),
  );
}

/** Leaves out paths that another one begins with: every step of a path is looked at anyway. */
function maximal(paths: readonly MachinePath[]): readonly MachinePath[] {
  const keys = paths.map(({ events }) => events.map((event) => JSON.stringify(event)));
  const begun = new Set(keys.flatMap((key) => key.map((_, end) => key.slice(0, end).join())));
  return paths.filter((_, at) => !begun.has(keys[at]?.join() ?? ''));
}

/** State value as one short text. */
export function textOf(state: { readonly value: unknown }): string {
  return typeof state.value === 'string' ? state.value : JSON.stringify(state.value);
}

/** What a machine becomes by a list of events, by XState's pure functions alone. */
export function pureState(machine: AnyStateMachine, input: unknown, events: readonly Ev[]) {
  let [state] = initialTransition(machine, input as never);
  for (const event of events) [state] = transition(machine, state, event);
  const { value, context, status } = state;
  return JSON.parse(JSON.stringify({ value, context, status })) as Record<string, unknown>;
}

function isOwn({ type }: Ev): boolean {
  return type !== 'xstate.init';
}

function nextEvents(state: AnyMachineSnapshot, variants: PathPlan['variants']): Ev[] {
  if (state.status !== 'active') return [];
  const types = new Set(state._nodes.flatMap((node) => node.ownEvents));
  return [...types].flatMap((type) => variants[type] ?? [{ type }]);
}
