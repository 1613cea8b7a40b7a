import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import { walkNodes } from '../view/inspect-machine.ts';
import type { ActorState, Subject } from './actor-state.ts';
import { EngineError } from './error.ts';
import type { EffectRow, TimerRow } from './types.ts';

/** Maximum allowed names listed in an error. */
const ALLOWED_NAMES_MAX = 20;

/**
 * Rejects an actor that would wait forever: a pending timer or a running effect that no state
 * handles. This happens if a state, the machine id or a delay was renamed and no migration renamed
 * the rows.
 *
 * @throws {EngineError} `MIGRATION_MISSING` with `data.unclaimed`, the name of the row.
 */
export function assertClaimed(subject: Subject, state: ActorState): void {
  const { snapshot, timers, effects } = state;
  if (snapshot.status !== 'active' || (timers.size === 0 && effects.size === 0)) return;
  const { machine } = subject.definition;
  const active = snapshot._nodes as readonly AnyStateNode[];
  for (const timer of timers.values()) {
    if (!isTimerClaimed(active, timer)) {
      throw unclaimedError(subject, snapshot, {
        what: 'timer',
        name: timer.timerId,
        allowed: active.flatMap((node) => [...node.transitions.keys()].filter(isAfterEvent)),
      });
    }
  }
  for (const effect of effects.values()) {
    if (!isEffectClaimed(machine, active, effect)) {
      throw unclaimedError(subject, snapshot, {
        what: 'effect',
        name: effect.childId,
        allowed: active.flatMap((node) => node.invoke.map(({ id }) => id)),
      });
    }
  }
}

/** Returns the row that an error reports as unclaimed; `undefined` for any other error. */
export function unclaimedName(error: unknown): string | undefined {
  const name = error instanceof EngineError ? error.data['unclaimed'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Returns texts that change whenever a machine's timers, effects or states are renamed. */
export function listRowNames(machine: AnyStateMachine): readonly string[] {
  return [...walkNodes(machine.root)].flatMap((node) => [
    node.id,
    ...node.transitions.keys(),
    ...node.invoke.map(({ id, src }) => `${id}=${typeof src === 'string' ? src : ''}`),
  ]);
}

function isTimerClaimed(active: readonly AnyStateNode[], { event: { type } }: TimerRow): boolean {
  // Leaving a state removes its timers, so only an active one can have them. As in XState, it is
  // valid that no transition handles an event raised by the machine itself.
  if (isAfterEvent(type)) return active.some((node) => node.transitions.has(type));
  return true;
}

function isEffectClaimed(
  machine: AnyStateMachine,
  active: readonly AnyStateNode[],
  { childId }: EffectRow,
): boolean {
  const invokes = (node: AnyStateNode): boolean => node.invoke.some(({ id }) => id === childId);
  if (active.some(invokes)) return true;
  const nodes = [...walkNodes(machine.root)];
  // XState names invoked children with an index and the state.
  const number = childId.slice(0, Math.max(0, childId.indexOf('.')));
  const isInvokeName = number !== '' && Number.isSafeInteger(Number(number));
  if (isInvokeName || nodes.some(invokes)) return false;
  const ends = [`xstate.done.actor.${childId}`, `xstate.error.actor.${childId}`];
  return nodes.some((node) => ends.some((type) => node.transitions.has(type)) || canSpawn(node));
}

/** Returns whether an action of the state can start a child with any name. */
function canSpawn(node: AnyStateNode): boolean {
  const transitions = [...node.transitions.values(), node.always ?? []].flat();
  const actions = [...node.entry, ...node.exit, ...transitions.flatMap((each) => each.actions)];
  return actions.some((action) => {
    const resolved =
      typeof action === 'function' ? (action as { readonly type?: unknown }) : action;
    const type = typeof resolved === 'string' ? resolved : String(resolved.type);
    return !['xstate.assign', 'xstate.raise', 'xstate.cancel', 'xstate.emit'].includes(type);
  });
}

function isAfterEvent(type: string): boolean {
  return type.startsWith('xstate.after.');
}

function unclaimedError(
  { id, version, definition }: Subject,
  { value }: AnyMachineSnapshot,
  row: { readonly what: string; readonly name: string; readonly allowed: readonly string[] },
): EngineError {
  const { kind, version: wanted } = definition;
  const allowed = row.allowed.slice(0, ALLOWED_NAMES_MAX);
  const names = allowed.length === 0 ? `no ${row.what}` : allowed.join(', ');
  const message =
    `${id} (${kind}, version ${version}) cannot run on version ${wanted}: no state handles its ` +
    `${row.what} ${row.name}; ${JSON.stringify(value)} handles ${names}. Rename or drop it in ` +
    'the migration, see renameRows; a changed machine needs a new version.';
  return new EngineError('MIGRATION_MISSING', message, {
    data: { id, kind, version, wanted, unclaimed: row.name, allowed },
  });
}
