import type { PersistedActor } from '../engine/types.ts';

/**
 * Renames timers and effects for a new machine, inside a migration. Due times, inputs and tokens
 * stay the same.
 *
 * @param names - New name by old name. For a timer this is the type of its event, such as
 * `xstate.after.2000.order.waiting`; for an effect the id of its child, such as `0.order.waiting`.
 * @example
 * migrate: (actor) => renameRows(actor, { '0.order.waiting': '0.order.pending' });
 */
export function renameRows(
  actor: PersistedActor,
  names: Readonly<Record<string, string>>,
): PersistedActor {
  const rename = (name: string): string =>
    Object.hasOwn(names, name) ? String(names[name]) : name;
  return {
    ...actor,
    timers: actor.timers.map((row) => ({
      ...row,
      timerId: rename(row.timerId),
      event: { ...row.event, type: rename(row.event.type) },
    })),
    effects: actor.effects.map((row) => ({ ...row, childId: rename(row.childId) })),
  };
}
