import type { AnyMachineSnapshot } from 'xstate';
import type { ActorReference } from '../child/actor-ref.ts';
import { referTo } from '../child/actor-ref.ts';
import { inertScope } from './scope.ts';
import type { Definition, EffectRow, PersistedSnapshot } from './types.ts';

/**
 * Converts a snapshot to plain JSON, without children: the rows of running effects replace them.
 */
export function persist(snapshot: AnyMachineSnapshot): PersistedSnapshot {
  const { status, value, context, output, error } = snapshot;
  const historyValue = persistHistory(snapshot.historyValue);
  return {
    status,
    value,
    context,
    ...(historyValue === undefined ? {} : { historyValue }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Restores a persisted snapshot with a child for every running effect, so that leaving a state
 * still stops its effects. Nothing is started.
 *
 * @throws If the machine no longer has the state.
 */
export function restore(
  definition: Definition,
  persisted: PersistedSnapshot,
  effects: Iterable<EffectRow>,
): AnyMachineSnapshot {
  const children: Record<string, ActorReference> = {};
  for (const { childId } of effects) children[childId] = referTo(childId);
  const { machine } = definition;
  const complete = {
    historyValue: {},
    output: undefined,
    error: undefined,
    ...persisted,
    // XState would replace references in the context by actors.
    context: {},
    children: {},
  };
  const snapshot = machine.restoreSnapshot(complete as never, inertScope(machine) as never);
  return Object.assign(snapshot, { context: persisted.context, children });
}

/**
 * Returns the name of a state value: `open`, `open.idle` for nested states, `a.x,b.y` for parallel
 * states.
 */
export function stateName(value: unknown): string {
  if (typeof value === 'string') return value;
  return Object.entries(value as Record<string, unknown>)
    .map(([key, inner]) => {
      const below = stateName(inner);
      if (below === '') return key;
      // Regions of a nested parallel state each keep their whole path, so that `list` finds them.
      return `${key}.${below.replaceAll(',', `,${key}.`)}`;
    })
    .join(',');
}

/** Returns whether a state name equals the given state or lies inside it. */
export function isInState(name: string, asked: string): boolean {
  return name.split(',').some((part) => part === asked || part.startsWith(`${asked}.`));
}

type History = Readonly<Record<string, readonly { readonly id: string }[]>>;

/** Converts the history of a snapshot to the ids of its states. */
export function persistHistory(history: AnyMachineSnapshot['historyValue']): unknown {
  const entries = Object.entries((history ?? {}) as History);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([key, nodes]) => [key, nodes.map(({ id }) => ({ id }))]));
}
