import type { Database, Key } from 'lmdb';
import { EngineError } from '../../runtime/engine/error.ts';
import { storeFailure } from '../common/store-failure.ts';
import type { Texts, TreeSize } from '../common/table.ts';
import { treeSize } from '../common/table.ts';

/** Changes after which a transaction takes no more commits in. */
const GATHERED_MAX = 4_096;

/** One change of a commit; everything in it is computed before the first is made. */
export interface Op {
  readonly db: Texts;
  readonly key: Key;
  /** A text, or bytes; removes the row when absent. */
  readonly text?: string | Uint8Array;
}

/** The changes of a commit, or what computes them from the rows as the commits before left them. */
export type Changes = readonly Op[] | (() => readonly Op[]);

/**
 * The commits of one owner, in order. One transaction is on its way at a time, and takes in what
 * came meanwhile: so when one fails, none that was built on it is written. And LMDB can be opened
 * anew then, which it cannot while something waits behind a failed transaction.
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
  /** Opens the file anew, when LMDB takes nothing more from this one. */
  onBroken: () => Promise<void> = async () => undefined;

  /** @param format - Written down for older programs. */
  constructor(path: string, meta: Database<string, Key>, format: number) {
    this.#path = path;
    this.#meta = meta;
    this.#epoch = takeOver(meta, format);
  }

  /**
   * Writes all changes or none, and resolves when the disk has them. Those behind a failed commit
   * fail with it.
   *
   * @param changes - A function must not throw. It is called when the disk has every commit before
   * it, and its changes are a transaction of their own.
   * @throws {EngineError} `STORE_BUSY`, `STORE_FULL`, `STORE_FAILED`
   */
  commit(changes: Changes): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#queue.push({ changes, resolve, reject });
      this.#next();
    });
  }

  /** Has `recorder` told of the changes of every transaction from now on, in order. */
  record(recorder: ((ops: readonly Op[]) => void) | undefined): void {
    this.#recorder = recorder;
  }

  /** Lets commits wait; resolves when none is on its way to the disk. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#rest();
  }

  /** Lets the waiting commits go on. */
  resume(): void {
    this.#isPaused = false;
    this.#next();
  }

  /** Waits for everything that was begun, and takes nothing more. */
  async close(): Promise<void> {
    while (this.#isBusy) await this.#rest();
    this.fail(
      new EngineError('STORE_FAILED', 'the store is closed', { data: { path: this.#path } }),
    );
  }

  /** Transactions that failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Size of the rows that say format and owner. */
  metaSize(): TreeSize {
    return treeSize(this.#meta);
  }

  /** Goes on in another file, which holds the same. */
  move(meta: Database<string, Key>): void {
    this.#meta = meta;
  }

  /** Refuses every commit from now on. */
  fail(failure: EngineError): void {
    this.#failure = failure;
    for (const { reject } of this.#queue.splice(0)) reject(failure);
  }

  /**
   * Runs something while no other process can write, if this one is still the owner. Nothing may
   * be on its way.
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
        // The next one begins before those who wait are told: what they do has time until it ends.
        this.#over();
        for (const { resolve } of commits) resolve();
      },
      async (thrown: unknown) => {
        this.#failures += 1;
        const failure = await storeFailure(thrown, this.#path);
        const failed = [...commits, ...this.#queue.splice(0)];
        await this.#mend();
        // Who hears of a failure may read at once, and reads from the file that is opened anew.
        for (const { reject } of [...failed, ...this.#queue.splice(0)]) reject(failure);
        this.#over();
      },
    );
  }

  /** Resolves when the transaction that is on its way is over. */
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
  return new EngineError('STORE_BUSY', 'another process has taken the store over', {
    data: { path },
  });
}
