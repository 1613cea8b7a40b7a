import type { Database, Key } from 'lmdb';
import { EngineError } from '../runtime/error.ts';
import { storeFailure } from './store-failure.ts';
import type { Texts } from './table.ts';

/** Commits of one owner; the next owner counts from the next multiple on. */
const STRIDE = 2 ** 32;

/** One change of a commit; everything in it is computed before the first is made. */
export interface Op {
  readonly db: Texts;
  readonly key: Key;
  /** Removes the row when absent. */
  readonly text?: string;
}

/**
 * The commits of one owner, one behind the other. Each holds only where the one before it was
 * written: a number in the file is counted up by every commit, and expected by the next. So a
 * failed commit takes those with it that were begun behind it, and an owner who was followed by
 * another writes nothing more.
 */
export class CommitLine {
  readonly #path: string;
  readonly #epoch: number;
  #meta: Database<string, Key>;
  #version: number;
  #onTheirWay = 0;
  #idle: (() => void)[] = [];
  /** Commits that wait for the end of a pause. */
  #held: (() => void)[] | undefined;
  #failing: Promise<EngineError> | undefined;
  #recorder: ((ops: readonly Op[]) => void) | undefined;

  /** @param format - Written down for older programs. */
  constructor(path: string, meta: Database<string, Key>, format: number) {
    this.#path = path;
    this.#meta = meta;
    this.#version = takeOver(meta, format);
    this.#epoch = epochOf(this.#version);
  }

  /**
   * Writes all changes or none, and resolves when the disk has them.
   *
   * @throws {EngineError} `STORE_BUSY`, `STORE_FULL`, `STORE_FAILED`
   */
  commit(ops: readonly Op[]): Promise<void> {
    const held = this.#held;
    if (held === undefined) return this.#write(ops);
    return new Promise((resolve, reject) => {
      held.push(() => this.#write(ops).then(resolve, reject));
    });
  }

  /** Has `recorder` told of the changes of every commit that is begun from now on, in order. */
  record(recorder: ((ops: readonly Op[]) => void) | undefined): void {
    this.#recorder = recorder;
  }

  /** Lets later commits wait; resolves when none is on its way to the disk. */
  async pause(): Promise<void> {
    this.#held = [];
    if (this.#onTheirWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Lets the waiting commits go on, in order. */
  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const go of held) go();
  }

  /** Number of the last commit. */
  get version(): number {
    return this.#version;
  }

  /** Goes on in another file, which holds the same. */
  move(meta: Database<string, Key>): void {
    this.#meta = meta;
  }

  /** Refuses every commit from now on. */
  fail(thrown: unknown): void {
    this.#failing = storeFailure(thrown, this.#path);
  }

  /**
   * Runs something while no other process can write, if this one is still the owner.
   *
   * @throws {EngineError} `STORE_BUSY`
   */
  alone(run: () => void): void {
    this.#meta.transactionSync(() => {
      if (versionOf(this.#meta) !== this.#version) throw takenOver(this.#path);
      run();
    });
  }

  async #write(ops: readonly Op[]): Promise<void> {
    if (this.#failing !== undefined) throw await this.#failing;
    const expected = this.#version;
    const meta = this.#meta;
    this.#version = expected + 1;
    this.#onTheirWay += 1;
    this.#recorder?.(ops);
    try {
      const isNext = await meta.ifVersion('epoch', expected, () => {
        for (const { db, key, text } of ops) db.change(key, text);
        meta.put('epoch', '', expected + 1).catch(() => undefined);
      });
      if (!isNext) throw takenOver(this.#path);
    } catch (thrown) {
      // Those behind a failed commit fail because of it, not because of another owner.
      this.#failing ??= storeFailure(thrown, this.#path);
      throw await this.#failing;
    } finally {
      this.#onTheirWay -= 1;
      if (this.#onTheirWay === 0) this.#rest();
    }
  }

  #rest(): void {
    if (this.#failing !== undefined) this.#recover();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** With nothing on its way, the line goes on behind the last commit that was written. */
  #recover(): void {
    try {
      const version = this.#meta.transactionSync(() => versionOf(this.#meta));
      if (epochOf(version) !== this.#epoch) return;
      this.#version = version;
      this.#failing = undefined;
    } catch (thrown) {
      this.fail(thrown);
    }
  }
}

function takeOver(meta: Database<string, Key>, format: number): number {
  return meta.transactionSync(() => {
    const version = (epochOf(versionOf(meta)) + 1) * STRIDE;
    meta.putSync('epoch', '', version);
    meta.putSync('format', String(format), 1);
    return version;
  });
}

function versionOf(meta: Database<string, Key>): number {
  return meta.getEntry('epoch')?.version ?? 0;
}

function epochOf(version: number): number {
  return Math.floor(version / STRIDE);
}

function takenOver(path: string): EngineError {
  return new EngineError('STORE_BUSY', 'another process has taken the store over', {
    data: { path },
  });
}
