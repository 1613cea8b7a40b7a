import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Key } from 'lmdb';
import { EngineError } from '../../runtime/engine/error.ts';
import type { Compacted, FamilySize } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { Changes, Op } from '../engine/commit-queue.ts';
import { CommitQueue } from '../engine/commit-queue.ts';
import { COMPACTION_FOLDER, Compaction } from '../engine/compaction.ts';
import { rejectDamagedFile } from '../engine/damaged-file.ts';
import type { RowCheck } from '../engine/row-check.ts';
import { DiskSpace, RESERVE_BYTES } from './disk-space.ts';
import type { EnvironmentOptions } from './environment-options.ts';
import { toStoreError } from './failure-to-store-error.ts';
import { createFolder, DATA_FILE, LOCK_FILE, syncFolder, syncNewFolder } from './folder.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import type { Lmdb, TextTableOptions } from './open-lmdb.ts';
import { openLmdb, openMetaDatabase, openTextDatabase } from './open-lmdb.ts';
import type { TreeStats } from './text-table.ts';
import { countPages, TextTable } from './text-table.ts';

/** Minimum file size for a compaction, in bytes. */
export const COMPACT_BYTES_MIN = 4 * 1024 * 1024;
/** Meta pages, which every file has. */
const META_PAGES = 2;

/** Space usage of a file. */
export interface FileUsage {
  readonly sizeBytes: number;
  readonly freeBytes: number;
}

/**
 * An LMDB environment with a format version and an owner. Opening it for writing takes ownership,
 * which only the end of its process or `close` gives up. If two machines share a folder over a
 * network, later commits of the previous owner fail.
 */
export class Environment {
  readonly #options: EnvironmentOptions;
  readonly #clock = systemClock();
  readonly #diskSpace: DiskSpace;
  readonly #tables = new Map<string, TextTable>();
  readonly #line: CommitQueue | undefined;
  readonly #lock: FolderLock | undefined;
  #root: Lmdb;
  #compacting: Promise<Compacted> | undefined;

  /**
   * @param format - Format that this program writes. Raise it if older programs would misread the
   * file.
   * @param rows - Gets the rows of the file.
   * @throws {EngineError} `STORE_NEWER` if a newer program has written to this store; `STORE_BUSY`
   * if a process already has it open for writing; `DATA_DAMAGED` if the file is damaged, with the
   * place; `STORE_FULL`, `STORE_FAILED`.
   */
  constructor(options: EnvironmentOptions, format: number, rows?: RowCheck) {
    const { path, readOnly = false } = options;
    this.#options = options;
    this.#diskSpace = new DiskSpace(path, options.reserveBytes ?? RESERVE_BYTES, this.#clock);
    const { isNew } = createFolder(path);
    try {
      // Nothing in the folder of another owner may change.
      if (!readOnly) this.#lock = lockFolder(path, { isNew });
      rejectDamagedFile(path, this.#lock, rows);
      if (!readOnly) {
        rmSync(join(path, COMPACTION_FOLDER), { recursive: true, force: true });
        this.#diskSpace.reserveOps();
      }
      const { root, line } = openOwned(options, format);
      this.#root = root;
      this.#line = line;
      if (line !== undefined) line.onBroken = () => this.#reopen(line);
      if (isNew && !readOnly) syncNewFolder(path);
      this.#lock?.finish();
    } catch (thrown) {
      this.#lock?.release();
      throw toStoreError(thrown, path);
    }
  }

  /** Path of the data file. */
  get file(): string {
    return join(this.#options.path, DATA_FILE);
  }

  /**
   * Opens a text table by name.
   *
   * @throws {EngineError} `STORE_FULL`, `STORE_FAILED`
   */
  openTable(name: string, options: TextTableOptions = {}): TextTable {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = new TextTable(name, options);
    try {
      table.attach(openTextDatabase(this.#root, name, options));
    } catch (thrown) {
      throw toStoreError(thrown, this.#options.path);
    }
    this.#tables.set(name, table);
    return table;
  }

  /**
   * Writes all changes or none, and resolves when they are on disk.
   *
   * @param reservedBytes - Space for the changes that a function computes, besides removals.
   * @throws {EngineError} `STORE_BUSY` if another process has taken ownership; `STORE_FULL` if
   * there is no space; `STORE_FAILED`. Commits queued behind a failed one fail with it.
   */
  async commit(changes: Changes, reservedBytes = 0): Promise<void> {
    if (this.#line === undefined) {
      throw new EngineError('STORE_FAILED', 'The store is open read-only.');
    }
    if (typeof changes === 'function') this.#diskSpace.reserve(reservedBytes);
    else this.#diskSpace.reserveOps(changes);
    await this.#line.commit(changes);
  }

  /** Writes without waiting; `onDisk` is called when the changes are on disk. */
  write(ops: readonly Op[], onDisk: () => void = () => undefined): void {
    // Callers accept losing such a write; `close` waits for all pending ones.
    this.commit(ops).then(onDisk, () => undefined);
  }

  /** Returns `false` while the file system has less free space than the reserve. */
  hasRoom(): boolean {
    return this.#diskSpace.hasReserve();
  }

  /** Returns the space usage of the file. LMDB never returns space to the file system by itself. */
  usage(): FileUsage {
    const stats = this.#root.getStats() as FileStats;
    const { pageSize, lastPageNumber, root, free } = stats;
    let used = META_PAGES + countPages(root) + countPages(free);
    for (const table of this.#tables.values()) used += table.pages();
    const pages = lastPageNumber + 1;
    return { sizeBytes: pages * pageSize, freeBytes: Math.max(0, pages - used) * pageSize };
  }

  /** Returns rows and bytes of every key family, including the one for format and owner. */
  sizes(): readonly FamilySize[] {
    const { pageSize } = this.#root.getStats() as FileStats;
    const meta = this.#line?.metaSize() ?? { rows: 0, pages: 0 };
    const tables = [...this.#tables.values()].map((table) => ({
      family: table.name,
      ...table.size(),
    }));
    return [...tables, { family: 'meta', ...meta }].map(({ family, rows, pages }) => ({
      family,
      rows,
      bytes: pages * pageSize,
    }));
  }

  /**
   * Rewrites the file without its free pages. Reads and commits continue, except for a short pause
   * of commits at the end. The old file stays in use until the new one is complete on disk.
   *
   * @returns `undefined` if less than half of the file is free and `force` is not set.
   * @throws {EngineError} `STORE_BUSY` if too much is written in the meantime; `STORE_FULL`,
   * `STORE_FAILED`. The old file is kept then.
   */
  async compact({ force = false } = {}): Promise<Compacted | undefined> {
    if (!force && !this.#isCompactionDue()) return undefined;
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = undefined;
    });
    return await this.#compacting;
  }

  async close(): Promise<void> {
    await this.#compacting?.catch(() => undefined);
    await this.#line?.close();
    await this.#root.close();
    this.#lock?.release();
  }

  #isCompactionDue(): boolean {
    const use = this.usage();
    return use.sizeBytes >= COMPACT_BYTES_MIN && use.freeBytes * 2 > use.sizeBytes;
  }

  async #compact(): Promise<Compacted> {
    const { path } = this.#options;
    const line = this.#line;
    if (line === undefined) {
      throw new EngineError('STORE_FAILED', 'The store is open read-only.');
    }
    const former = this.#root;
    const compaction = new Compaction({
      path,
      line,
      clock: this.#clock,
      copy: (target) => former.backup(target, true),
      swap: (next) => this.#swap(line, next),
    });
    try {
      const use = this.usage();
      this.#diskSpace.reserve(use.sizeBytes - use.freeBytes);
      const compacted = await compaction.run();
      await former.close();
      return compacted;
    } catch (thrown) {
      throw toStoreError(thrown, path);
    }
  }

  /** Replaces the current file with a complete, synced one within one turn of the event loop. */
  #swap(line: CommitQueue, next: string): void {
    const { path } = this.#options;
    line.runExclusively(() => {
      renameSync(join(next, DATA_FILE), join(path, DATA_FILE));
      // The lock file counts the commits of the old file.
      rmSync(join(path, LOCK_FILE), { force: true });
    });
    try {
      syncFolder(path);
      this.#open(line);
    } catch (thrown) {
      // Further writes would go to a file that no longer has a name.
      line.fail(toStoreError(thrown, path));
      throw thrown;
    }
  }

  /**
   * If LMDB could not write a file's meta page, it reads nothing more until the file is reopened.
   */
  async #reopen(line: CommitQueue): Promise<void> {
    await this.#root.close();
    this.#open(line);
  }

  #open(line: CommitQueue): void {
    const root = openLmdb(this.#options);
    line.switchTo(openMetaDatabase(root) as Database<string, Key>);
    for (const table of this.#tables.values()) {
      table.attach(openTextDatabase(root, table.name, table.options));
    }
    this.#root = root;
  }
}

/**
 * Reads the rows whose key starts with `prefix`, in order, until the end or until the
 * callback returns `false`.
 */
export function scan(
  db: TextTable,
  prefix: readonly Key[],
  visit: (key: readonly Key[], text: string) => boolean | undefined,
): void {
  for (const { key, value } of db.getRange({ start: [...prefix] })) {
    const parts = key as readonly Key[];
    if (!prefix.every((part, at) => parts[at] === part)) return;
    if (visit(parts, value) === false) return;
  }
}

/** Yields the keys that start with `prefix`, in order. */
export function* scanKeys(db: TextTable, prefix: readonly Key[]): Iterable<readonly Key[]> {
  for (const key of db.getKeys({ start: [...prefix] })) {
    const parts = key as readonly Key[];
    if (!prefix.every((part, at) => parts[at] === part)) return;
    yield parts;
  }
}

interface FileStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

/** Opens the file, and takes ownership if it is opened for writing. */
function openOwned(
  options: EnvironmentOptions,
  format: number,
): { root: Lmdb; line?: CommitQueue } {
  const file = join(options.path, DATA_FILE);
  for (;;) {
    const before = getInode(file);
    const root = openLmdb(options);
    try {
      const meta = openMetaDatabase(root);
      assertKnownFormat(meta, format, options.path);
      if (options.readOnly === true || meta === undefined) return { root };
      const line = new CommitQueue(options.path, meta, format);
      // Its owner may have replaced the file with a compacted one while this one was opened.
      if (before === undefined || getInode(file) === before) return { root, line };
    } catch (thrown) {
      root.close().catch(() => undefined);
      throw thrown;
    }
    root.close().catch(() => undefined);
  }
}

function assertKnownFormat(
  meta: Database<string, Key> | undefined,
  supported: number,
  path: string,
): void {
  const found = Number(meta?.get('format') ?? 0);
  if (found <= supported) return;
  const message = `The store has format ${found}; this program supports up to ${supported}.`;
  throw new EngineError('STORE_NEWER', message, { data: { found, known: supported, path } });
}

function getInode(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
