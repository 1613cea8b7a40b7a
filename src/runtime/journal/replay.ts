import type { AnyMachineSnapshot } from 'xstate';
import type { ActorState, Incoming, Subject } from '../engine/actor-state.ts';
import { advance } from '../engine/actor-state.ts';
import { EngineError } from '../engine/error.ts';
import type { SnapshotRow, StoredActor, TailRow } from '../engine/ports.ts';
import { persist, restore } from '../engine/snapshot.ts';
import { isEffectResult } from '../engine/step.ts';
import type { EffectRow, JournalEntry, PersistedSnapshot, TimerRow } from '../engine/types.ts';
import { deepFreeze } from '../value/plain.ts';
import type { StateHash } from '../value/state-hash.ts';
import type { ActorAtRest } from './change.ts';
import { applyChange } from './change.ts';

/**
 * Returns the state after the last row of `stored`, from its snapshot and the stored changes of
 * later rows. No user code is run.
 *
 * @throws {EngineError} `REPLAY_VERSION_GONE` if the machine no longer has the state or no longer
 * reproduces rows of an older program; `DATA_DAMAGED` if the rows do not match their hash.
 */
export function replay(subject: Subject, stored: StoredActor, hash: StateHash): ActorState {
  return restoreState(subject, replayAtRest(subject, stored, hash), hash);
}

/** Does the same without restoring the machine, which only rows of older programs need. */
export function replayAtRest(subject: Subject, stored: StoredActor, hash: StateHash): ActorAtRest {
  let rest = toActorAtRest(stored.snapshot);
  for (const entry of stored.tail) rest = replayEntry(subject, rest, entry, hash);
  const last = stored.tail.at(-1);
  if (last === undefined || hash(rest.snapshot).hash === last.hash) return rest;
  const { id } = subject;
  throw new EngineError('DATA_DAMAGED', `${id} is damaged: its rows do not match their hash.`, {
    data: { id, seq: last.seq },
  });
}

/**
 * Returns the last state known without a machine. It is complete except for context changes in rows
 * of older programs.
 */
export function lastKnownActor({ snapshot, tail }: StoredActor): ActorAtRest {
  let rest = toActorAtRest(snapshot);
  for (const entry of tail) {
    const isKnown = entry.entry !== 'event' || entry.change !== undefined;
    rest = isKnown ? applyEntry(rest, entry) : applyChange(rest, entry, {});
  }
  return rest;
}

/** Converts a snapshot row to an actor at rest. */
export function toActorAtRest(row: SnapshotRow): ActorAtRest {
  const { seq, at, stuck, trace } = row;
  return {
    snapshot: deepFreeze(row.snapshot),
    seq,
    at,
    stuck,
    timers: timerMap(row.timers),
    effects: effectMap(row.effects),
    trace,
  };
}

/** Creates a read-only snapshot that needs no machine. */
export function detachedSnapshot(persisted: PersistedSnapshot): AnyMachineSnapshot {
  const snapshot: object = { ...persisted, children: {}, tags: new Set<string>() };
  // Only its data are read; its methods need the machine.
  return snapshot as AnyMachineSnapshot;
}

/** Restores the state of a snapshot row. */
export function stateFromSnapshot(subject: Subject, row: SnapshotRow, hash: StateHash): ActorState {
  return restoreState(subject, toActorAtRest(row), hash);
}

/** Creates a read-only state that needs no machine. */
export function stateWithoutMachine(rest: ActorAtRest, hash: StateHash): ActorState {
  return { ...rest, snapshot: detachedSnapshot(rest.snapshot), ...hash(rest.snapshot) };
}

/** Returns pending timers by id, in the order in which they were set. */
export function timerMap(rows: readonly TimerRow[]): ReadonlyMap<string, TimerRow> {
  const ordered = rows.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return new Map(ordered.map((row) => [row.timerId, deepFreeze(row)]));
}

/** Returns running effects by id. */
export function effectMap(rows: readonly EffectRow[]): ReadonlyMap<string, EffectRow> {
  return new Map(rows.map((row) => [row.childId, deepFreeze(row)]));
}

function restoreState(subject: Subject, rest: ActorAtRest, hash: StateHash): ActorState {
  if (rest.snapshot.status !== 'active') return stateWithoutMachine(rest, hash);
  try {
    const snapshot = restore(subject.definition, rest.snapshot, rest.effects.values());
    return { ...rest, snapshot, ...hash(rest.snapshot) };
  } catch (cause) {
    throw replayError(subject, rest.seq, 'its state no longer exists', cause);
  }
}

function replayEntry(
  subject: Subject,
  rest: ActorAtRest,
  entry: TailRow,
  hash: StateHash,
): ActorAtRest {
  if (entry.entry !== 'event' || entry.change !== undefined) return applyEntry(rest, entry);
  const state = rerunEvent(subject, restoreState(subject, rest, hash), entry, hash);
  return { ...state, snapshot: deepFreeze(persist(state.snapshot)) };
}

function applyEntry(rest: ActorAtRest, entry: TailRow): ActorAtRest {
  const { seq, at, change } = entry;
  return entry.entry === 'event' && change !== undefined
    ? applyChange(rest, entry, change)
    : { ...rest, seq, at };
}

/** Runs a row again if its program did not store the change. */
function rerunEvent(
  subject: Subject,
  before: ActorState,
  entry: TailRow,
  hash: StateHash,
): ActorState {
  const { at, globalSeq } = entry;
  const context = { stamp: { at, globalSeq }, hash };
  let moment: ActorState;
  try {
    moment = advance(subject, before, toIncoming(before, entry), context).state;
  } catch (cause) {
    throw replayError(subject, entry.seq, 'the machine no longer handles the event', cause);
  }
  if (moment.hash === entry.hash) return moment;
  throw replayError(subject, entry.seq, 'the machine computes another state than before');
}

/** Returns a recorded event with the timer or effect row of `before` that it consumed. */
export function toIncoming(before: ActorState, { event, cause, trace }: JournalEntry): Incoming {
  const incoming = trace === undefined ? { event, cause } : { event, cause, trace };
  if (cause.by === 'timer') {
    const row = [...before.timers.values()].find(({ token }) => token === cause.token);
    return row === undefined ? incoming : { ...incoming, timerId: row.timerId };
  }
  if (cause.by === 'effect' && isEffectResult(event)) {
    const row = [...before.effects.values()].find(({ token }) => token === cause.token);
    return row === undefined ? incoming : { ...incoming, childId: row.childId };
  }
  return incoming;
}

function replayError(subject: Subject, seq: number, why: string, cause?: unknown): EngineError {
  const { id, definition } = subject;
  return new EngineError('REPLAY_VERSION_GONE', `${id} cannot be replayed at row ${seq}: ${why}`, {
    data: { id, seq, kind: definition.kind, version: definition.version },
    cause,
  });
}
