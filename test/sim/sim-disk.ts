import type { SyncEngineStore, Write } from '../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import type { Chance } from './chance.ts';
import type { Life } from './life.ts';

/**
 * A disk as an engine may meet it: what is committed is read at once but survives a power loss only
 * later, and the answer comes later still, not always in order.
 */
export class SimDisk {
  /** `quick` passes everything on at once; `held` waits for `pump`. */
  mode: 'quick' | 'held' = 'quick';
  /** What `hasRoom` answers. */
  hasRoom = true;
  readonly #now: () => number;
  readonly #onDurable: (writes: readonly Write[], at: number) => void;
  readonly #durable: Write[] = [];
  #commits: Commit[] = [];
  #isBroken = false;
  #isFrozen = false;
  #store: SyncEngineStore = memoryStore();

  /** @param onDurable - Told of every commit that is safe, and of when it was begun. */
  constructor(now: () => number, onDurable: (writes: readonly Write[], at: number) => void) {
    this.#now = now;
    this.#onDurable = onDurable;
  }

  /** Commits that are not answered yet. */
  get pending(): number {
    return this.#commits.length;
  }

  /** True when every commit fails, until the power is back. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The rows as a process reads them now. */
  get rows(): SyncEngineStore {
    return this.#store;
  }

  /** The store as one process has it; after its life nothing is written any more. */
  open(life: Life): SyncEngineStore {
    return new Proxy(this.#store, {
      get: (target, name) => {
        if (name === 'commit') return (writes: readonly Write[]) => this.#commit(writes, life);
        if (name === 'hasRoom') return () => this.hasRoom;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Moves some commits on, in order; answers may overtake each other. */
  pump(chance: Chance): void {
    for (const commit of this.#commits) {
      if (commit.stage === 'queued' && chance.isTrue(0.7)) this.#apply(commit);
      else if (commit.stage === 'queued') break;
    }
    for (const commit of this.#commits) {
      if (commit.stage === 'visible' && chance.isTrue(0.7)) this.#flush(commit);
      else if (commit.stage !== 'durable') break;
    }
    const durable = this.#commits.filter(({ stage }) => stage === 'durable');
    for (const commit of chance.shuffle(durable)) if (chance.isTrue(0.8)) this.#answer(commit);
  }

  /** Moves every commit on by one stage. */
  pumpAll(): void {
    for (const commit of [...this.#commits]) {
      if (commit.stage === 'queued') this.#apply(commit);
      else if (commit.stage === 'visible') this.#flush(commit);
      if (commit.stage === 'durable') this.#answer(commit);
    }
  }

  /** Nothing moves on any more until the power is back, see `lose`. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** The next commits fail, and all that follow. Those on their way may be on the disk or not. */
  breakDown(): void {
    this.#isBroken = true;
    for (const commit of [...this.#commits]) {
      if (commit.stage === 'durable') this.#answer(commit);
      else commit.reject(new Error('the disk is gone'));
    }
  }

  /** The power goes: of what was on its way to the disk, a part from the beginning survives. */
  async lose(chance: Chance): Promise<void> {
    let isAsSeen = true;
    for (const { stage, captured, writes, at } of this.#commits) {
      if (stage === 'durable') continue;
      // What was not written yet can have reached the disk all the same, and what readers saw not.
      if (chance.isTrue(0.5)) {
        isAsSeen &&= stage === 'queued';
        break;
      }
      this.#keep(captured ?? (JSON.parse(JSON.stringify(writes)) as Write[]), at);
      isAsSeen &&= stage !== 'queued';
    }
    this.#commits = [];
    this.#isBroken = false;
    this.#isFrozen = false;
    if (isAsSeen) return;
    this.#store = memoryStore();
    await this.#store.commit(this.#durable);
  }

  #commit(writes: readonly Write[], life: Life): Promise<void> {
    if (life.isOver) return new Promise(() => undefined);
    if (this.#isBroken) return Promise.reject(new Error('the disk is gone'));
    return new Promise((resolve, reject) => {
      const at = this.#now();
      const commit: Commit = { writes, at, stage: 'queued', captured: undefined, resolve, reject };
      this.#commits.push(commit);
      if (this.mode === 'quick') queueMicrotask(() => this.#hurry(commit));
    });
  }

  #hurry(commit: Commit): void {
    // A commit that still waits from a slower time goes first, by `pump`.
    if (this.#commits[0] !== commit || this.#isFrozen) return;
    if (commit.stage === 'queued') this.#apply(commit);
    if (commit.stage === 'applying') {
      queueMicrotask(() => this.#hurry(commit));
      return;
    }
    if (commit.stage === 'visible') this.#flush(commit);
    if (commit.stage === 'durable') this.#answer(commit);
    const next = this.#commits[0];
    if (next !== undefined && this.mode === 'quick') queueMicrotask(() => this.#hurry(next));
  }

  #apply(commit: Commit): void {
    commit.stage = 'applying';
    const store = this.#store;
    commit.captured = JSON.parse(JSON.stringify(commit.writes)) as readonly Write[];
    store.commit(commit.writes).then(
      () => {
        if (commit.stage === 'applying') commit.stage = 'visible';
      },
      (error: unknown) => commit.reject(error),
    );
  }

  #flush(commit: Commit): void {
    commit.stage = 'durable';
    this.#keep(commit.captured ?? [], commit.at);
  }

  #keep(rows: readonly Write[], at: number): void {
    for (const row of rows) this.#durable.push(row);
    this.#onDurable(rows, at);
  }

  #answer(commit: Commit): void {
    this.#commits = this.#commits.filter((each) => each !== commit);
    commit.resolve();
  }
}

interface Commit {
  readonly writes: readonly Write[];
  /** When it was begun, in milliseconds. */
  readonly at: number;
  stage: 'queued' | 'applying' | 'visible' | 'durable';
  /** The rows as they are at rest. */
  captured: readonly Write[] | undefined;
  resolve(): void;
  reject(error: unknown): void;
}
