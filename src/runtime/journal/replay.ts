import type { AnyMachineSnapshot } from 'xstate';
import type { ActorAtRest } from '../engine/change.ts';
import { applyChange } from '../engine/change.ts';
import { EngineError } from '../engine/error.ts';
import type { Incoming, Moment, Subject } from '../engine/moment.ts';
import { advance } from '../engine/moment.ts';
import { freeze } from '../engine/plain.ts';
import type { SnapshotRow, StoredActor, TailRow } from '../engine/ports.ts';
import { persist, restore } from '../engine/snapshot.ts';
import type { StateHash } from '../engine/state-hash.ts';
import type { EffectRow, JournalEntry, PersistedSnapshot, TimerRow } from '../engine/types.ts';

/**
 * Gives the moment after the last row of `stored`, from its snapshot and what each row behind it
 * changed. Nothing of the machine's owner is run.
 *
 * @throws {EngineError} `REPLAY_VERSION_GONE` when the machine does not have the state any more, or
 * no longer does what the rows of an older program say; `DATA_DAMAGED` when the rows do not add up
 * to their hash.
 */
export function replay(subject: Subject, stored: StoredActor, hash: StateHash): Moment {
  return wake(subject, replayAtRest(subject, stored, hash), hash);
}

/** The same without the machine; rows of an older program need it still. */
export function replayAtRest(subject: Subject, stored: StoredActor, hash: StateHash): ActorAtRest {
  let rest = restOf(stored.snapshot);
  for (const entry of stored.tail) rest = follow(subject, rest, entry, hash);
  const last = stored.tail.at(-1);
  if (last === undefined || hash(rest.snapshot) === last.hash) return rest;
  const { id } = subject;
  throw new EngineError('DATA_DAMAGED', `${id} is damaged: its rows do not add up to their hash`, {
    data: { id, seq: last.seq },
  });
}

/**
 * What is known of an actor without any program: all of it, but for a context that rows of an older
 * program changed.
 */
export function lastKnown({ snapshot, tail }: StoredActor): ActorAtRest {
  let rest = restOf(snapshot);
  for (const entry of tail) {
    const isKnown = entry.entry !== 'event' || entry.change !== undefined;
    rest = isKnown ? standOrApply(rest, entry) : applyChange(rest, entry, {});
  }
  return rest;
}

/** An actor as its snapshot row says. */
export function restOf(row: SnapshotRow): ActorAtRest {
  const { seq, at, stuck, trace } = row;
  return {
    snapshot: freeze(row.snapshot),
    seq,
    at,
    stuck,
    timers: timerMap(row.timers),
    effects: effectMap(row.effects),
    trace,
  };
}

/** The snapshot of an actor that is only looked at, so any machine will do. */
export function endedSnapshot(persisted: PersistedSnapshot): AnyMachineSnapshot {
  return { ...persisted, children: {}, tags: new Set<string>() } as unknown as AnyMachineSnapshot;
}

/** The moment of a snapshot row. */
export function momentAtRest(subject: Subject, row: SnapshotRow, hash: StateHash): Moment {
  return wake(subject, restOf(row), hash);
}

/** The moment of an actor that is only looked at. */
export function momentWithoutMachine(rest: ActorAtRest, hash: StateHash): Moment {
  return { ...rest, snapshot: endedSnapshot(rest.snapshot), hash: hash(rest.snapshot) };
}

/** Pending timers by their ids, in the order in which they were set. */
export function timerMap(rows: readonly TimerRow[]): ReadonlyMap<string, TimerRow> {
  const ordered = rows.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return new Map(ordered.map((row) => [row.timerId, freeze(row)]));
}

/** Running effects by their ids. */
export function effectMap(rows: readonly EffectRow[]): ReadonlyMap<string, EffectRow> {
  return new Map(rows.map((row) => [row.childId, freeze(row)]));
}

function wake(subject: Subject, rest: ActorAtRest, hash: StateHash): Moment {
  if (rest.snapshot.status !== 'active') return momentWithoutMachine(rest, hash);
  try {
    const snapshot = restore(subject.definition, rest.snapshot, rest.effects.values());
    return { ...rest, snapshot, hash: hash(rest.snapshot) };
  } catch (cause) {
    throw gone(subject, rest.seq, 'its state does not exist any more', cause);
  }
}

function follow(subject: Subject, rest: ActorAtRest, entry: TailRow, hash: StateHash): ActorAtRest {
  if (entry.entry !== 'event' || entry.change !== undefined) return standOrApply(rest, entry);
  const moment = runAgain(subject, wake(subject, rest, hash), entry, hash);
  return { ...moment, snapshot: freeze(persist(moment.snapshot)) };
}

function standOrApply(rest: ActorAtRest, entry: TailRow): ActorAtRest {
  const { seq, at, change } = entry;
  return entry.entry === 'event' && change !== undefined
    ? applyChange(rest, entry, change)
    : { ...rest, seq, at };
}

/** Rows of programs that did not store what they changed are run again. */
function runAgain(subject: Subject, before: Moment, entry: TailRow, hash: StateHash): Moment {
  const { at, globalSeq } = entry;
  const context = { stamp: { at, globalSeq }, hash };
  let moment: Moment;
  try {
    moment = advance(subject, before, incomingOf(before, entry), context).moment;
  } catch (cause) {
    throw gone(subject, entry.seq, 'the machine does not take the event any more', cause);
  }
  if (moment.hash === entry.hash) return moment;
  throw gone(subject, entry.seq, 'the machine gives another state than it did');
}

/** An event as it came, with the row of `before` that it was about to take away. */
export function incomingOf(before: Moment, { event, cause, trace }: JournalEntry): Incoming {
  const incoming = trace === undefined ? { event, cause } : { event, cause, trace };
  if (cause.by === 'timer') {
    const row = [...before.timers.values()].find(({ token }) => token === cause.token);
    return row === undefined ? incoming : { ...incoming, timerId: row.timerId };
  }
  if (cause.by === 'effect') {
    const row = [...before.effects.values()].find(({ token }) => token === cause.token);
    return row === undefined ? incoming : { ...incoming, childId: row.childId };
  }
  return incoming;
}

function gone(subject: Subject, seq: number, why: string, cause?: unknown): EngineError {
  const { id, definition } = subject;
  return new EngineError('REPLAY_VERSION_GONE', `${id} cannot be replayed at row ${seq}: ${why}`, {
    data: { id, seq, kind: definition.kind, version: definition.version },
    cause,
  });
}
