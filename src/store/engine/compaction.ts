import { mkdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Key } from 'lmdb';
import { EngineError } from '../../runtime/engine/error.ts';
import type { Compacted } from '../../runtime/engine/ports.ts';
import { DATA_FILE } from '../common/folder.ts';
import type { Lmdb } from '../common/open-lmdb.ts';
import { openLmdb, openTextDatabase } from '../common/open-lmdb.ts';
import { type TextTable, writeRow } from '../common/text-table.ts';
import type { CommitQueue, Op } from './commit-queue.ts';

/** Folder, inside the store's folder, of a file being compacted. */
export const COMPACTION_FOLDER = 'compacting';
/** Maximum changes recorded while the copy is made. */
const CHANGES_MAX = 1_000_000;
/** Changes applied to the copy per transaction. */
const BATCH = 5_000;
/** Maximum changes left for the pause of commits. */
const PAUSE_CHANGES_MAX = 5_000;
/** Maximum rounds of catching up with the writers before the compaction fails. */
const ROUNDS_MAX = 1_000;

/** Dependencies of a compaction. */
export interface CompactionParts {
  /** Folder of the store. */
  readonly path: string;
  readonly line: CommitQueue;
  readonly clock: { now(): number };
  /** Writes a compact snapshot of the file to a folder. */
  copy(target: string): Promise<void>;
  /** Replaces the current file with the one of a folder, within one turn of the event loop. */
  swap(next: string): void;
}

/**
 * Rewrites a file without its free pages. It copies a snapshot and applies the changes made since
 * then until few are left. Commits pause for those, and the synced copy replaces the file. A change
 * holds the final content of its row, so applying one that the copy already has is harmless.
 */
export class Compaction {
  readonly #parts: CompactionParts;
  readonly #target: string;
  readonly #failures: number;
  #changes: Op[] = [];
  #hasOverflowed = false;

  constructor(parts: CompactionParts) {
    this.#parts = parts;
    this.#target = join(parts.path, COMPACTION_FOLDER);
    this.#failures = parts.line.failures;
  }

  /**
   * Runs the compaction.
   *
   * @throws {EngineError} The errors of `Environment.compact`.
   */
  async run(): Promise<Compacted> {
    const { path, line } = this.#parts;
    const beforeBytes = fileSize(path);
    this.#clear();
    mkdirSync(this.#target);
    line.record((ops) => this.#recordChanges(ops));
    try {
      // Commits that started before the recording must be in the copy.
      await line.commit([]);
      await this.#parts.copy(this.#target);
      const copy = new CompactedFile(this.#target);
      try {
        await this.#catchUp(copy);
        await copy.sync();
        const pausedMs = await this.#finish(copy);
        return { beforeBytes, afterBytes: fileSize(path), pausedMs };
      } finally {
        await copy.close();
      }
    } finally {
      line.record(undefined);
      this.#clear();
    }
  }

  #recordChanges(ops: readonly Op[]): void {
    if (this.#changes.length + ops.length > CHANGES_MAX) this.#hasOverflowed = true;
    if (this.#hasOverflowed) this.#changes = [];
    else for (const op of ops) this.#changes.push(op);
  }

  async #catchUp(copy: CompactedFile): Promise<void> {
    for (let round = 0; this.#changes.length > PAUSE_CHANGES_MAX; round += 1) {
      this.#assertFeasible(round >= ROUNDS_MAX);
      await copy.apply(this.#changes.splice(0, BATCH));
    }
    this.#assertFeasible(false);
  }

  async #finish(copy: CompactedFile): Promise<number> {
    const { line, clock } = this.#parts;
    const startedAt = clock.now();
    await line.pause();
    try {
      this.#assertFeasible(false);
      await copy.apply(this.#changes);
      await copy.close();
      await copy.sync();
      this.#parts.swap(this.#target);
    } finally {
      line.resume();
    }
    return clock.now() - startedAt;
  }

  #assertFeasible(isOverLimit: boolean): void {
    const { path, line } = this.#parts;
    // The failed change is among the recorded ones and must not be applied.
    if (line.failures !== this.#failures) {
      const message = 'A commit failed during the compaction.';
      throw new EngineError('STORE_FAILED', message, { data: { path } });
    }
    if (!isOverLimit && !this.#hasOverflowed) return;
    const message = 'Too many changes during the compaction; the old file is kept.';
    throw new EngineError('STORE_BUSY', message, { data: { path, changesMax: CHANGES_MAX } });
  }

  #clear(): void {
    rmSync(this.#target, { recursive: true, force: true });
  }
}

/** The new file under construction. Nothing in it must be on disk before the end. */
class CompactedFile {
  readonly #path: string;
  readonly #root: Lmdb;
  readonly #databases = new Map<string, Database<string, Key>>();
  #closed: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#root = openLmdb({ path, unsynced: true });
  }

  async apply(ops: readonly Op[]): Promise<void> {
    // A database cannot be opened within a batch.
    const changes = ops.map((op) => ({ ...op, database: this.#database(op.db) }));
    await this.#root.batch(() => {
      for (const { database, db, key, text } of changes) {
        writeRow(database, key, db.encode(key, text)).catch(() => undefined);
      }
    });
  }

  async sync(): Promise<void> {
    const file = await open(join(this.#path, DATA_FILE), 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#root.close();
    return this.#closed;
  }

  #database({ name, options }: TextTable): Database<string, Key> {
    const known = this.#databases.get(name);
    if (known !== undefined) return known;
    const database = openTextDatabase(this.#root, name, options) as Database<string, Key>;
    this.#databases.set(name, database);
    return database;
  }
}

function fileSize(path: string): number {
  return statSync(join(path, DATA_FILE)).size;
}
