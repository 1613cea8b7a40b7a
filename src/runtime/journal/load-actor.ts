import type { ActorState, Incoming, JournalPosition, Subject } from '../engine/actor-state.ts';
import { EngineError } from '../engine/error.ts';
import type { StoredActor } from '../engine/ports.ts';
import { persist, restore } from '../engine/snapshot.ts';
import type { Definition, EffectRow, JournalEntry, PersistedActor } from '../engine/types.ts';
import { assertClaimed } from '../engine/unclaimed.ts';
import { copyPlain, toStorable } from '../value/plain.ts';
import type { StateHash } from '../value/state-hash.ts';
import { effectMap, replay, replayAtRest, stateWithoutMachine, timerMap } from './replay.ts';

/** A loaded actor. */
export interface LoadedActor {
  readonly subject: Subject;
  readonly state: ActorState;
  /** Present if the actor was migrated: its previous state, and the row to write. */
  readonly migrated?: {
    readonly from: Subject;
    readonly before: ActorState;
    readonly row: Incoming;
    readonly stamp: JournalPosition;
  };
}

/**
 * Loads a stored actor and migrates it if its version is older.
 *
 * @param context.stamp - Called when a migration adds a row.
 * @throws {EngineError} `MIGRATION_MISSING` if there is no path from its version to this one;
 * `REPLAY_VERSION_GONE` if the machine of the same version no longer reproduces its rows.
 */
export function loadActor(
  newest: Definition,
  id: string,
  stored: StoredActor,
  context: { readonly hash: StateHash; readonly stamp: () => JournalPosition },
): LoadedActor {
  const { snapshot } = stored;
  const { createdAt, version, parent } = snapshot;
  // An actor of an earlier version that the definition keeps stays what it is.
  const definition = newest.earlier?.find((each) => each.version === version) ?? newest;
  const base = { id, definition, version, createdAt };
  const subject: Subject = parent === undefined ? base : { ...base, parent };
  const ended = snapshot.snapshot.status !== 'active';
  if (version === definition.version || ended) {
    const moment = withStoredRows(stored, replay(subject, stored, context.hash));
    assertClaimed(subject, moment);
    return { subject, state: moment };
  }
  return migrateActor(subject, stored, context);
}

/**
 * Returns the state after a journal row that records a migration.
 *
 * @throws {EngineError} `MIGRATION_MISSING`
 */
export function replayMigration(
  subject: Subject,
  before: ActorState,
  { event, at }: JournalEntry,
  hash: StateHash,
): ActorState {
  const [from, to] = [Number(event['from']), Number(event['to'])];
  const actor: PersistedActor = {
    snapshot: persist(before.snapshot),
    timers: [...before.timers.values()],
    effects: [...before.effects.values()],
  };
  const of = { ...subject, version: from };
  if (to > subject.definition.version) throw migrationError(of, `the row leads to version ${to}`);
  return migratedState(subject, before, migrateAll(of, actor, { from, to }), { at, hash });
}

function migrateAll(
  subject: Subject,
  atRest: PersistedActor,
  { from, to }: { readonly from: number; readonly to: number },
): PersistedActor {
  let actor = atRest;
  for (let version = from; version < to; version += 1) {
    actor = migrateOnce(subject, version, actor);
  }
  refuseUnknownEffects(subject, actor.effects);
  return actor;
}

function migratedState(
  subject: Subject,
  before: ActorState,
  actor: PersistedActor,
  { at, hash }: { readonly at: number; readonly hash: StateHash },
): ActorState {
  return {
    snapshot: restoreMigratedState(subject, actor),
    seq: before.seq + 1,
    at,
    stuck: before.stuck,
    ...hash(actor.snapshot),
    timers: timerMap(actor.timers),
    effects: effectMap(actor.effects),
    trace: before.trace,
  };
}

/** Stored rows contain attempts and waits that no journal row records. */
function withStoredRows({ timers, effects }: StoredActor, state: ActorState): ActorState {
  return { ...state, timers: timerMap(timers), effects: effectMap(effects) };
}

function migrateActor(
  subject: Subject,
  stored: StoredActor,
  { hash, stamp }: { readonly hash: StateHash; readonly stamp: () => JournalPosition },
): LoadedActor {
  const { definition, version } = subject;
  const before = lastState(subject, stored, hash);
  const { timers, effects } = stored;
  const atRest: PersistedActor = { snapshot: persist(before.snapshot), timers, effects };
  const actor = migrateAll(subject, atRest, { from: version, to: definition.version });
  const stamped = stamp();
  const at = Math.max(stamped.at, before.at);
  const moment = migratedState(subject, before, actor, { at, hash });
  assertClaimed(subject, moment);
  const event = { type: 'engine.migrate', from: version, to: definition.version };
  const row: Incoming = { event, cause: { by: 'engine', why: 'migrate' } };
  return {
    subject: { ...subject, version: definition.version },
    state: moment,
    migrated: { from: subject, before, row, stamp: { ...stamped, at } },
  };
}

function lastState(subject: Subject, stored: StoredActor, hash: StateHash): ActorState {
  const { snapshot: row, tail } = stored;
  if (row.version > subject.definition.version) {
    throw migrationError(subject, `its rows come from the newer version ${row.version}`);
  }
  try {
    const rest = replayAtRest(subject, stored, hash);
    return withStoredRows(stored, stateWithoutMachine(rest, hash));
  } catch (cause) {
    if (cause instanceof EngineError && cause.code === 'DATA_DAMAGED') throw cause;
    const why = `${tail.length} rows after its last snapshot need version`;
    throw migrationError(subject, `${why} ${row.version}; start and close that once`, cause);
  }
}

function migrateOnce(subject: Subject, from: number, actor: PersistedActor): PersistedActor {
  const migration = subject.definition.migrations.find((each) => each.from === from);
  if (migration === undefined)
    throw migrationError(subject, `there is no migration from version ${from}`);
  try {
    return normalizeActor(actor, migration.migrate(copyPlain(actor)));
  } catch (cause) {
    throw migrationError(subject, `the migration from version ${from} failed`, cause);
  }
}

/** Normalizes the result of a migration to its stored form. */
function normalizeActor(before: PersistedActor, after: PersistedActor): PersistedActor {
  return {
    snapshot: toStorable(after.snapshot, 'snapshot'),
    timers: reuseRows(before.timers, toStorable(after.timers, 'timers')),
    effects: reuseRows(before.effects, toStorable(after.effects, 'effects')),
  };
}

/** Unchanged rows keep their identity, so they are not written again. */
function reuseRows<Row extends { readonly token: string }>(
  before: readonly Row[],
  after: readonly Row[],
): readonly Row[] {
  const previous = new Map(before.map((row) => [row.token, row]));
  return after.map((row) => {
    const old = previous.get(row.token);
    return JSON.stringify(old) === JSON.stringify(row) && old !== undefined ? old : row;
  });
}

function refuseUnknownEffects(subject: Subject, effects: readonly EffectRow[]): void {
  for (const { src } of effects) {
    if (!(src in subject.definition.effects)) {
      throw migrationError(subject, `it runs the effect ${src}, which no longer exists`);
    }
  }
}

function restoreMigratedState(subject: Subject, actor: PersistedActor): ActorState['snapshot'] {
  try {
    return restore(subject.definition, actor.snapshot, actor.effects);
  } catch (cause) {
    throw migrationError(subject, 'its state no longer exists', cause);
  }
}

function migrationError(subject: Subject, why: string, cause?: unknown): EngineError {
  const { id, version, definition } = subject;
  const { kind, version: wanted } = definition;
  const message = `${id} (${kind}, version ${version}) cannot become version ${wanted}: ${why}`;
  return new EngineError('MIGRATION_MISSING', message, {
    data: { id, kind, version, wanted },
    cause,
  });
}
