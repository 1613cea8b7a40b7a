import { createMachine } from 'xstate';
import type { LoadedActor } from '../journal/load-actor.ts';
import { loadActor } from '../journal/load-actor.ts';
import type { ActorChange, Recorder } from '../journal/recorder.ts';
import { effectMap, lastKnownActor, stateWithoutMachine, timerMap } from '../journal/replay.ts';
import type { Need } from '../load/loader.ts';
import { Loader } from '../load/loader.ts';
import type { ActorCell } from './actor-cell.ts';
import { createCell, isEvictable } from './actor-cell.ts';
import type { Subject } from './actor-state.ts';
import { diffStates, toJournalEntry, toListRow, toSnapshotRow } from './actor-state.ts';
import type { Core } from './core.ts';
import { EngineError } from './error.ts';
import type { StoredActor, Write } from './ports.ts';
import type { Definition } from './types.ts';

/** Maximum actors in memory. Above it, idle actors are evicted early. */
export const LIVE_MAX = 50_000;

/**
 * Cache of the actors in memory. Loads the others from the store: on one that answers later, only
 * those that `prepare` has read.
 */
export class ActorCache {
  readonly loader: Loader;
  readonly #core: Core;
  readonly #recorder: Recorder;
  readonly #cells = new Map<string, ActorCell>();
  /** Actors whose purge is not on disk yet. */
  readonly #purging = new Set<string>();
  /** Undefined kinds that have already been reported. */
  readonly #missingKinds = new Set<string>();
  /** Called when the first actor is loaded into memory. */
  onFirst: () => void = () => undefined;

  constructor(core: Core, recorder: Recorder) {
    this.#core = core;
    this.#recorder = recorder;
    this.loader = new Loader({
      isKnown: (id) => this.#cells.has(id) || this.#purging.has(id),
      load: (id) => core.store.load(id),
      settled: () => core.committer.settled(),
      onFailed: (error) => core.committer.fail(error),
    });
  }

  /** Returns whether a section that needs only this actor runs at once, as `prepare` would do. */
  isReady(id: string): boolean {
    return this.#cells.has(id) && this.loader.isFree(id);
  }

  /** Runs a section once the actors and rows that it needs are there, see `Loader.prepare`. */
  prepare<R, Rows = undefined>(need: Need<Rows>, run: (rows: Rows) => R): R | Promise<Awaited<R>> {
    return this.loader.prepare(need, run);
  }

  get size(): number {
    return this.#cells.size;
  }

  /** Returns an actor that is already in memory. */
  peek(id: string): ActorCell | undefined {
    return this.#cells.get(id);
  }

  /**
   * Returns an actor from memory or from the store.
   *
   * @throws {EngineError} `ACTOR_KIND_UNKNOWN`, `MIGRATION_MISSING`, `REPLAY_VERSION_GONE`;
   * `STORE_FAILED` if the store answers later and no section was prepared for the actor.
   */
  find(id: string): ActorCell | undefined {
    const cell = this.#cells.get(id) ?? this.#load(id);
    if (cell !== undefined) cell.usedAt = this.#core.clock.now();
    return cell;
  }

  /**
   * Returns an existing actor.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`, and the errors of `find`.
   */
  get(id: string): ActorCell {
    const cell = this.find(id);
    if (cell !== undefined) return cell;
    throw new EngineError('ACTOR_UNKNOWN', `No actor has the id ${id}.`, { data: { id } });
  }

  /**
   * Returns an actor that is about to be stopped or purged. If its definition is missing, the cell
   * is built from its rows alone and is not added to the cache.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`
   */
  getForRemoval(id: string): ActorCell {
    try {
      return this.get(id);
    } catch (cause) {
      const stored = this.#loadForRemoval(id);
      if (stored === undefined || this.#purging.has(id)) throw cause;
      const { kind, version, createdAt, seq } = stored.snapshot;
      const subject: Subject = {
        id,
        definition: placeholderDefinition(kind, version),
        version,
        createdAt,
      };
      const atRest = lastKnownActor(stored);
      const timers = timerMap(stored.timers);
      const effects = effectMap(stored.effects);
      const state = stateWithoutMachine({ ...atRest, timers, effects }, this.#core.hash);
      return createCell(subject, state, {
        committed: state,
        snapshotSeq: seq,
        indexRow: toListRow(subject, state),
        usedAt: this.#core.clock.now(),
      });
    }
  }

  /** Reports that an actor cannot be loaded. An undefined kind is reported only once. */
  reportUnloadable(id: string, cause: unknown): void {
    if (cause instanceof EngineError && cause.code === 'ACTOR_KIND_UNKNOWN') {
      const kind = String(cause.data['kind']);
      if (this.#missingKinds.has(kind)) return;
      this.#missingKinds.add(kind);
    }
    const message = cause instanceof Error ? cause.message : String(cause);
    this.#core.notice({ kind: 'actor_unloadable', actorId: id, message, cause });
  }

  /** Replaces an actor that has ended by a new one with the same id. */
  replace(cell: ActorCell): void {
    this.#cells.set(cell.subject.id, cell);
  }

  add(cell: ActorCell): void {
    if (this.#cells.has(cell.subject.id)) return;
    if (this.#cells.size >= LIVE_MAX) this.evictIdle(0);
    this.#cells.set(cell.subject.id, cell);
    if (this.#cells.size === 1) this.onFirst();
  }

  /**
   * Evicts an actor whose rows are about to be removed and hides the rows until they are.
   *
   * @returns A function to call once the rows are removed.
   */
  hide(id: string): () => void {
    this.#cells.delete(id);
    this.#purging.add(id);
    return () => {
      this.#purging.delete(id);
    };
  }

  /** Evicts actors that nobody accessed in the last `idleMs` milliseconds. */
  evictIdle(idleMs: number): void {
    const before = this.#core.clock.now() - idleMs;
    for (const [id, cell] of this.#cells) {
      const isIdle = cell.usedAt <= before && isEvictable(cell);
      if (isIdle && !this.loader.isPinned(id)) this.#cells.delete(id);
    }
  }

  /** Writes a snapshot of every actor that has rows after its last snapshot. */
  writeSnapshots(): void {
    for (const cell of this.#cells.values()) {
      if (cell.live.seq === cell.snapshotSeq) continue;
      cell.snapshotSeq = cell.live.seq;
      const row = toSnapshotRow(cell.subject, cell.live);
      this.#core.committer.submit([{ put: 'snapshot', id: cell.subject.id, row }], {
        done: () => undefined,
        failed: () => undefined,
      });
    }
  }

  #load(id: string): ActorCell | undefined {
    if (this.#purging.has(id)) return undefined;
    const stored = this.loader.take(id);
    if (stored === undefined) return undefined;
    const { kind } = stored.snapshot;
    const definition = this.#core.definitions.get(kind);
    if (definition === undefined) {
      throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} of ${id} is not defined.`, {
        data: { id, kind },
      });
    }
    const { hash, clock, committer } = this.#core;
    const stamp = () => ({ at: clock.now(), globalSeq: committer.globalSeq + 1 });
    const revived = loadActor(definition, id, stored, { hash, stamp });
    const cell = this.#createCell(revived, stored);
    this.add(cell);
    this.#recordMigration(cell, revived, stored.snapshot.seq);
    return cell;
  }

  #loadForRemoval(id: string): StoredActor | undefined {
    try {
      return this.loader.take(id);
    } catch (cause) {
      const stored = this.#core.store.loadDamaged?.(id);
      if (stored === undefined) throw cause;
      return stored;
    }
  }

  #createCell({ subject, state, migrated }: LoadedActor, stored: StoredActor): ActorCell {
    const atRest = migrated?.before ?? state;
    return createCell(subject, atRest, {
      committed: migrated === undefined ? state : undefined,
      snapshotSeq: stored.snapshot.seq,
      indexRow: toListRow(subject, atRest),
      usedAt: this.#core.clock.now(),
    });
  }

  #recordMigration(
    cell: ActorCell,
    { subject, state, migrated }: LoadedActor,
    snapshotSeq: number,
  ): void {
    if (migrated === undefined) return;
    const { from, before, row, stamp } = migrated;
    const { id } = subject;
    // The last state of the old version stays readable, although its rows cannot be replayed here.
    const last: Write = { put: 'snapshot', id, row: toSnapshotRow(from, before) };
    const freedSlots = state.snapshot.status === 'active' ? [] : this.#core.slots.free(id);
    const change: ActorChange = {
      moment: state,
      entry: toJournalEntry(subject, state, row, { stamp, entry: 'event' }),
      rows: diffStates(id, before, state),
      sends: [],
      extra: [...(before.seq === snapshotSeq ? [] : [last]), ...freedSlots],
      snapshot: true,
    };
    cell.ready = new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
    // There may be no waiter; a failed commit stops the engine anyway.
    cell.ready.catch(() => undefined);
  }
}

/** Creates a placeholder for a kind without a definition. Its actors can only be stopped. */
function placeholderDefinition(kind: string, version: number): Definition {
  return { kind, version, machine: NO_MACHINE, effects: {}, children: {}, migrations: [] };
}

const NO_MACHINE = createMachine({});
