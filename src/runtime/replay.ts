import type { AnyMachineSnapshot } from 'xstate';
import { EngineError } from './error.ts';
import type { Incoming, Moment, Subject } from './moment.ts';
import { advance, standStill } from './moment.ts';
import type { StoredActor } from './ports.ts';
import { restore } from './snapshot.ts';
import type { StateHash } from './state-hash.ts';
import type { JournalEntry, PersistedSnapshot } from './types.ts';

/**
 * Computes the moment after the last row of `stored`, from its snapshot and the rows behind it.
 * Every row must give the hash that it was written with.
 *
 * @throws {EngineError} `REPLAY_VERSION_GONE` when the machine no longer does what the rows say.
 */
export function replay(subject: Subject, stored: StoredActor, hash: StateHash): Moment {
  let moment = momentAtRest(subject, stored, hash);
  for (const entry of stored.tail) moment = after(subject, moment, entry, hash);
  return moment;
}

/** The snapshot of an actor that has ended: it is only looked at, so any machine will do. */
export function endedSnapshot(persisted: PersistedSnapshot): AnyMachineSnapshot {
  return { ...persisted, children: {}, tags: new Set<string>() } as unknown as AnyMachineSnapshot;
}

/** The moment of a snapshot row. */
export function momentAtRest(subject: Subject, stored: StoredActor, hash: StateHash): Moment {
  const { snapshot: row } = stored;
  return {
    snapshot: snapshotAtRest(subject, stored),
    seq: row.seq,
    at: row.at,
    stuck: row.stuck,
    hash: hash(row.snapshot),
    timers: new Map(row.timers.map((timer) => [timer.timerId, timer])),
    effects: new Map(row.effects.map((effect) => [effect.childId, effect])),
    trace: row.trace,
  };
}

function snapshotAtRest(subject: Subject, { snapshot: row }: StoredActor): AnyMachineSnapshot {
  if (row.snapshot.status !== 'active') return endedSnapshot(row.snapshot);
  try {
    return restore(subject.definition, row.snapshot, row.effects);
  } catch (cause) {
    throw gone(subject, row.seq, 'its state does not exist any more', cause);
  }
}

function after(subject: Subject, before: Moment, entry: JournalEntry, hash: StateHash): Moment {
  const { at, globalSeq } = entry;
  const stamp = { at, globalSeq };
  if (entry.entry !== 'event') return standStill(before, stamp);
  let moment: Moment;
  try {
    const context = { stamp, hash };
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
