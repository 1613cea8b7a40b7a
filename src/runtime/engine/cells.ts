import { createMachine } from 'xstate';
import type { Change, Recorder } from '../journal/recorder.ts';
import { effectMap, lastKnown, momentWithoutMachine, timerMap } from '../journal/replay.ts';
import type { Revived } from '../journal/revive.ts';
import { revive } from '../journal/revive.ts';
import type { Cell } from './cell.ts';
import { isIdle, newCell } from './cell.ts';
import type { Core } from './core.ts';
import { EngineError } from './error.ts';
import type { Subject } from './moment.ts';
import { journalEntry, listRow, rowsBetween, snapshotRow } from './moment.ts';
import type { StoredActor, Write } from './ports.ts';
import type { Definition } from './types.ts';

/** Most actors in memory; above it, idle ones leave before their time. */
export const LIVE_MAX = 50_000;

/** The actors in memory, and the way for the others to get there. */
export class Cells {
  readonly #core: Core;
  readonly #recorder: Recorder;
  readonly #cells = new Map<string, Cell>();
  /** Actors whose purge is not on disk yet. */
  readonly #leaving = new Set<string>();
  /** Kinds that are not defined, and were reported. */
  readonly #missingKinds = new Set<string>();
  /** Called when the first actor comes into memory. */
  onFirst: () => void = () => undefined;

  constructor(core: Core, recorder: Recorder) {
    this.#core = core;
    this.#recorder = recorder;
  }

  get size(): number {
    return this.#cells.size;
  }

  /** An actor that is in memory already. */
  peek(id: string): Cell | undefined {
    return this.#cells.get(id);
  }

  /**
   * An actor, from memory or from the store.
   *
   * @throws {EngineError} `ACTOR_KIND_UNKNOWN`, `MIGRATION_MISSING`, `REPLAY_VERSION_GONE`
   */
  find(id: string): Cell | undefined {
    const cell = this.#cells.get(id) ?? this.#load(id);
    if (cell !== undefined) cell.usedAt = this.#core.clock.now();
    return cell;
  }

  /** @throws {EngineError} `ACTOR_UNKNOWN`, and those of `find` */
  get(id: string): Cell {
    const cell = this.find(id);
    if (cell !== undefined) return cell;
    throw new EngineError('ACTOR_UNKNOWN', `no actor has the id ${id}`, { data: { id } });
  }

  /**
   * An actor that is to be stopped or purged: where its program is gone, as far as its rows tell of
   * it. Such a cell is not in memory yet.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`
   */
  getToEnd(id: string): Cell {
    try {
      return this.get(id);
    } catch (cause) {
      const stored = this.#core.store.load(id);
      if (stored === undefined || this.#leaving.has(id)) throw cause;
      const { kind, version, createdAt, seq } = stored.snapshot;
      const subject: Subject = {
        id,
        definition: withoutProgram(kind, version),
        version,
        createdAt,
      };
      const rest = lastKnown(stored);
      const timers = timerMap(stored.timers);
      const effects = effectMap(stored.effects);
      const moment = momentWithoutMachine({ ...rest, timers, effects }, this.#core.hash);
      return newCell(subject, moment, {
        committed: moment,
        snapshotSeq: seq,
        listed: listRow(subject, moment),
        usedAt: this.#core.clock.now(),
      });
    }
  }

  /** Reports that an actor cannot be loaded: once for all those of a kind that is not defined. */
  reportUnloadable(id: string, cause: unknown): void {
    if (cause instanceof EngineError && cause.code === 'ACTOR_KIND_UNKNOWN') {
      const kind = String(cause.data['kind']);
      if (this.#missingKinds.has(kind)) return;
      this.#missingKinds.add(kind);
    }
    const message = cause instanceof Error ? cause.message : String(cause);
    this.#core.notice({ kind: 'actor_unloadable', actorId: id, message, cause });
  }

  add(cell: Cell): void {
    if (this.#cells.has(cell.subject.id)) return;
    if (this.#cells.size >= LIVE_MAX) this.sweep(0);
    this.#cells.set(cell.subject.id, cell);
    if (this.#cells.size === 1) this.onFirst();
  }

  /**
   * Lets an actor go whose rows are about to be removed: until they are, they are not read.
   *
   * @returns Call it when they are gone.
   */
  purge(id: string): () => void {
    this.#cells.delete(id);
    this.#leaving.add(id);
    return () => {
      this.#leaving.delete(id);
    };
  }

  /** Lets actors go that nobody asked for since `idleMs`. */
  sweep(idleMs: number): void {
    const before = this.#core.clock.now() - idleMs;
    for (const [id, cell] of this.#cells) {
      if (cell.usedAt <= before && isIdle(cell)) this.#cells.delete(id);
    }
  }

  /** Writes a snapshot of every actor that has rows behind its last one. */
  writeSnapshots(): void {
    for (const cell of this.#cells.values()) {
      if (cell.live.seq === cell.snapshotSeq) continue;
      cell.snapshotSeq = cell.live.seq;
      const row = snapshotRow(cell.subject, cell.live);
      this.#core.committer.submit([{ put: 'snapshot', id: cell.subject.id, row }], {
        done: () => undefined,
        failed: () => undefined,
      });
    }
  }

  #load(id: string): Cell | undefined {
    if (this.#leaving.has(id)) return undefined;
    const stored = this.#core.store.load(id);
    if (stored === undefined) return undefined;
    const { kind } = stored.snapshot;
    const definition = this.#core.definitions.get(kind);
    if (definition === undefined) {
      throw new EngineError('ACTOR_KIND_UNKNOWN', `${id} is a ${kind}, which is not defined here`, {
        data: { id, kind },
      });
    }
    const { hash, clock, committer } = this.#core;
    const stamp = () => ({ at: clock.now(), globalSeq: committer.globalSeq + 1 });
    const revived = revive(definition, id, stored, { hash, stamp });
    const cell = this.#cellOf(revived, stored);
    this.add(cell);
    this.#recordMigration(cell, revived, stored.snapshot.seq);
    return cell;
  }

  #cellOf({ subject, moment, migrated }: Revived, stored: StoredActor): Cell {
    const atRest = migrated?.before ?? moment;
    return newCell(subject, atRest, {
      committed: migrated === undefined ? moment : undefined,
      snapshotSeq: stored.snapshot.seq,
      listed: listRow(subject, atRest),
      usedAt: this.#core.clock.now(),
    });
  }

  #recordMigration(cell: Cell, { subject, moment, migrated }: Revived, snapshotSeq: number): void {
    if (migrated === undefined) return;
    const { from, before, row, stamp } = migrated;
    const { id } = subject;
    // The last moment of the old version stays readable, though its rows cannot be replayed here.
    const last: Write = { put: 'snapshot', id, row: snapshotRow(from, before) };
    const freed = moment.snapshot.status === 'active' ? [] : this.#core.slots.free(id);
    const change: Change = {
      moment,
      entry: journalEntry(subject, moment, row, { stamp, entry: 'event' }),
      rows: rowsBetween(id, before, moment),
      sends: [],
      extra: [...(before.seq === snapshotSeq ? [] : [last]), ...freed],
      snapshot: true,
    };
    cell.ready = new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
    // Nobody may be waiting; a failed commit ends the engine anyway.
    cell.ready.catch(() => undefined);
  }
}

/** A kind whose program is gone: its actors can only be ended. */
function withoutProgram(kind: string, version: number): Definition {
  return { kind, version, machine: NO_MACHINE, effects: {}, migrations: [] };
}

const NO_MACHINE = createMachine({});
