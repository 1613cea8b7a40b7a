import type { Database, Key } from 'lmdb';
import { EngineError } from '../../runtime/engine/error.ts';
import { resolveStoreError } from '../common/failure-to-store-error.ts';
import type { TextTable, TreeSize } from '../common/text-table.ts';
import { readTreeSize } from '../common/text-table.ts';

/** Number of changes above which a transaction accepts no further commits. */
const BATCH_CHANGES_MAX = 4_096;

/** One change of a commit. All values of a commit are computed before the first change is made. */
export interface Op {
  readonly db: TextTable;
  readonly key: Key;
  /** A text, or bytes; if absent, the row is removed. */
  readonly text?: string | Uint8Array;
}

/** The changes of a commit, or a function that computes them after all earlier commits. */
export type Changes = readonly Op[] | (() => readonly Op[]);

/**
 * The commits of one owner, in order. Only one transaction is in flight; it includes all commits
 * queued until it starts. If it fails, nothing built on it is written. LMDB can then be reopened,
 * which is impossible while other transactions wait behind a failed one.
 */
export class CommitQueue {
  readonly #path: string;
  readonly #epoch: number;
  #meta: Database<string, Key>;
  #queue: QueuedCommit[] = [];
  #isBusy = false;
  #isPaused = false;
  #idle: (() => void)[] = [];
  #failure: EngineError | undefined;
  #failures = 0;
  #recorder: ((ops: readonly Op[]) => void) | undefined;
  /** Reopens the file if LMDB accepts no further writes to it. */
  onBroken: () => Promise<void> = async () => undefined;

  /** @param format - Recorded for older programs. */
  constructor(path: string, meta: Database<string, Key>, format: number) {
    this.#path = path;
    this.#meta = meta;
    this.#epoch = takeOwnership(meta, format);
  }

  /**
   * Writes all changes or none, and resolves when they are on disk. Commits queued behind a failed
   * one fail with it.
   *
   * @param changes - A function must not throw. It is called once every earlier commit is on disk,
   * and its changes form a separate transaction.
   * @throws {EngineError} `STORE_BUSY`, `STORE_FULL`, `STORE_FAILED`
   */
  commit(changes: Changes): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#queue.push({ changes, resolve, reject });
      this.#writeNext();
    });
  }

  /** Calls `recorder` with the changes of every transaction from now on, in order. */
  record(recorder: ((ops: readonly Op[]) => void) | undefined): void {
    this.#recorder = recorder;
  }

  /** Pauses commits; resolves when none is in flight. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#waitUntilIdle();
  }

  /** Resumes the paused commits. */
  resume(): void {
    this.#isPaused = false;
    this.#writeNext();
  }

  /** Waits for everything in flight and rejects later commits. */
  async close(): Promise<void> {
    while (this.#isBusy) await this.#waitUntilIdle();
    this.fail(
      new EngineError('STORE_FAILED', 'The store is closed.', { data: { path: this.#path } }),
    );
  }

  /** Number of failed transactions. */
  get failures(): number {
    return this.#failures;
  }

  /** Returns the size of the rows with format and owner. */
  metaSize(): TreeSize {
    return readTreeSize(this.#meta);
  }

  /** Continues in another file with the same content. */
  switchTo(meta: Database<string, Key>): void {
    this.#meta = meta;
  }

  /** Rejects every commit from now on. */
  fail(failure: EngineError): void {
    this.#failure = failure;
    for (const { reject } of this.#queue.splice(0)) reject(failure);
  }

  /**
   * Runs a function while no other process can write, if this one is still the owner. Nothing may
   * be in flight.
   *
   * @throws {EngineError} `STORE_BUSY`
   */
  runExclusively(run: () => void): void {
    this.#meta.transactionSync(() => {
      if (readEpoch(this.#meta) !== this.#epoch) throw ownershipLostError(this.#path);
      run();
    });
  }

  #writeNext(): void {
    if (this.#isBusy || this.#isPaused || this.#queue.length === 0) return;
    this.#isBusy = true;
    const commits = this.#takeBatch();
    this.#write(commits.map(({ changes }) => resolveOps(changes))).then(
      () => {
        // The next write starts before the waiters are notified, so that their work overlaps with
        // it.
        this.#finish();
        for (const { resolve } of commits) resolve();
      },
      async (thrown: unknown) => {
        this.#failures += 1;
        const failure = await resolveStoreError(thrown, this.#path);
        const failed = [...commits, ...this.#queue.splice(0)];
        await this.#recover();
        // Reads that follow a rejection must already use the reopened file.
        for (const { reject } of [...failed, ...this.#queue.splice(0)]) reject(failure);
        this.#finish();
      },
    );
  }

  /** Resolves when the transaction in flight is over. */
  async #waitUntilIdle(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #takeBatch(): readonly QueuedCommit[] {
    let count = 0;
    let changeCount = 0;
    for (const { changes } of this.#queue) {
      const isSeparate = typeof changes === 'function';
      if (changeCount > BATCH_CHANGES_MAX || (isSeparate && count > 0)) break;
      count += 1;
      if (isSeparate) break;
      changeCount += changes.length;
    }
    return this.#queue.splice(0, count);
  }

  async #write(commits: readonly (readonly Op[])[]): Promise<void> {
    const isOwner = await this.#meta.ifVersion('epoch', this.#epoch, () => {
      for (const ops of commits) {
        this.#recorder?.(ops);
        for (const { db, key, text } of ops) db.change(key, text);
      }
    });
    if (!isOwner) throw ownershipLostError(this.#path);
  }

  #finish(): void {
    this.#isBusy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
    this.#writeNext();
  }

  async #recover(): Promise<void> {
    try {
      this.runExclusively(() => undefined);
    } catch (thrown) {
      if (thrown instanceof EngineError) return;
      await this.onBroken().catch(async (cause: unknown) => {
        this.fail(await resolveStoreError(cause, this.#path));
      });
    }
  }
}

interface QueuedCommit {
  readonly changes: Changes;
  resolve(): void;
  reject(error: EngineError): void;
}

function resolveOps(changes: Changes): readonly Op[] {
  return typeof changes === 'function' ? changes() : changes;
}

function takeOwnership(meta: Database<string, Key>, format: number): number {
  return meta.transactionSync(() => {
    const epoch = readEpoch(meta) + 1;
    meta.putSync('epoch', '', epoch);
    meta.putSync('format', String(format), 1);
    return epoch;
  });
}

function readEpoch(meta: Database<string, Key>): number {
  return meta.getEntry('epoch')?.version ?? 0;
}

function ownershipLostError(path: string): EngineError {
  return new EngineError('STORE_BUSY', 'Another process has taken over the store.', {
    data: { path },
  });
}
