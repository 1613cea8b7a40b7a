import type { Database, Key } from 'lmdb';
import { EngineError } from '../../runtime/engine/error.ts';
import { storeFailure } from '../common/store-failure.ts';
import type { Texts, TreeSize } from '../common/table.ts';
import { treeSize } from '../common/table.ts';

/** Number of changes above which a transaction accepts no further commits. */
const GATHERED_MAX = 4_096;

/** One change of a commit. All values of a commit are computed before the first change is made. */
export interface Op {
  readonly db: Texts;
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
export class CommitLine {
  readonly #path: string;
  readonly #epoch: number;
  #meta: Database<string, Key>;
  #queue: Commit[] = [];
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
    this.#epoch = takeOver(meta, format);
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
      this.#next();
    });
  }

  /** Calls `recorder` with the changes of every transaction from now on, in order. */
  record(recorder: ((ops: readonly Op[]) => void) | undefined): void {
    this.#recorder = recorder;
  }

  /** Pauses commits; resolves when none is in flight. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#rest();
  }

  /** Resumes the paused commits. */
  resume(): void {
    this.#isPaused = false;
    this.#next();
  }

  /** Waits for everything in flight and rejects later commits. */
  async close(): Promise<void> {
    while (this.#isBusy) await this.#rest();
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
    return treeSize(this.#meta);
  }

  /** Continues in another file with the same content. */
  move(meta: Database<string, Key>): void {
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
  alone(run: () => void): void {
    this.#meta.transactionSync(() => {
      if (epochOf(this.#meta) !== this.#epoch) throw takenOver(this.#path);
      run();
    });
  }

  #next(): void {
    if (this.#isBusy || this.#isPaused || this.#queue.length === 0) return;
    this.#isBusy = true;
    const commits = this.#gather();
    this.#write(commits.map(({ changes }) => opsOf(changes))).then(
      () => {
        // The next write starts before the waiters are notified, so that their work overlaps with
        // it.
        this.#over();
        for (const { resolve } of commits) resolve();
      },
      async (thrown: unknown) => {
        this.#failures += 1;
        const failure = await storeFailure(thrown, this.#path);
        const failed = [...commits, ...this.#queue.splice(0)];
        await this.#mend();
        // Reads that follow a rejection must already use the reopened file.
        for (const { reject } of [...failed, ...this.#queue.splice(0)]) reject(failure);
        this.#over();
      },
    );
  }

  /** Resolves when the transaction in flight is over. */
  async #rest(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #gather(): readonly Commit[] {
    let count = 0;
    let gathered = 0;
    for (const { changes } of this.#queue) {
      const isAlone = typeof changes === 'function';
      if (gathered > GATHERED_MAX || (isAlone && count > 0)) break;
      count += 1;
      if (isAlone) break;
      gathered += changes.length;
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
    if (!isOwner) throw takenOver(this.#path);
  }

  #over(): void {
    this.#isBusy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
    this.#next();
  }

  async #mend(): Promise<void> {
    try {
      this.alone(() => undefined);
    } catch (thrown) {
      if (thrown instanceof EngineError) return;
      await this.onBroken().catch(async (cause: unknown) => {
        this.fail(await storeFailure(cause, this.#path));
      });
    }
  }
}

interface Commit {
  readonly changes: Changes;
  resolve(): void;
  reject(error: EngineError): void;
}

function opsOf(changes: Changes): readonly Op[] {
  return typeof changes === 'function' ? changes() : changes;
}

function takeOver(meta: Database<string, Key>, format: number): number {
  return meta.transactionSync(() => {
    const epoch = epochOf(meta) + 1;
    meta.putSync('epoch', '', epoch);
    meta.putSync('format', String(format), 1);
    return epoch;
  });
}

function epochOf(meta: Database<string, Key>): number {
  return meta.getEntry('epoch')?.version ?? 0;
}

function takenOver(path: string): EngineError {
  return new EngineError('STORE_BUSY', 'Another process has taken over the store.', {
    data: { path },
  });
}
