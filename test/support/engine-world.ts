import type { EngineNotice } from '../../src/runtime/engine/core.ts';
import type { EngineOptions } from '../../src/runtime/engine/engine.ts';
import { openEngine } from '../../src/runtime/engine/engine.ts';
import type { EngineError } from '../../src/runtime/engine/error.ts';
import type { EngineStore, RuntimeClock, SyncEngineStore } from '../../src/runtime/engine/ports.ts';
import type { ActorEngine, Definition, JournalEntry } from '../../src/runtime/engine/types.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { waitFor } from '../../src/runtime/timer/clock-steps.ts';
import { deferred } from './deferred.ts';
import type { Shelf } from './shelf.ts';

/** 2026-01-01T00:00:00Z. */
export const START = 1_767_225_600_000;

/** An engine with a clock that a test moves, and a process that a test can kill. */
export class EngineWorld {
  readonly notices: EngineNotice[] = [];
  readonly fatal: EngineError[] = [];
  readonly clock: SimulatedClock;
  readonly #shelf: Shelf;
  #life: Life = { isOver: true, commitsLeft: Number.POSITIVE_INFINITY, isLastWritten: false };
  #engine: ActorEngine | undefined;
  #store: SyncEngineStore | undefined;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    this.clock = new SimulatedClock(START, () => this.rest());
  }

  get engine(): ActorEngine {
    if (this.#engine === undefined) throw new Error('the world has no engine yet');
    return this.#engine;
  }

  get store(): SyncEngineStore {
    if (this.#store === undefined) throw new Error('the world has no store yet');
    return this.#store;
  }

  /** Whether the process has ended without a word. */
  get isOver(): boolean {
    return this.#life.isOver;
  }

  /** Starts an engine, after the end of the one before. */
  async start(
    definitions: readonly Definition[] | ((engine: ActorEngine) => readonly Definition[]),
    { wrapStore = (store) => store, ...options }: WorldOptions = {},
  ): Promise<ActorEngine> {
    const life: Life = {
      isOver: false,
      commitsLeft: Number.POSITIVE_INFINITY,
      isLastWritten: false,
    };
    this.#life = life;
    this.#store = await this.#shelf.open();
    const late = this.#shelf.late?.();
    const opened = openEngine({
      store: mortal(wrapStore(late?.store ?? this.#store), life),
      clock: mortalClock(this.clock, life),
      definitions: [],
      onNotice: (notice) => this.notices.push(notice),
      onFatal: (error) => this.fatal.push(error),
      ...options,
    });
    const { engine } = opened;
    this.#engine = engine;
    opened.define(...(typeof definitions === 'function' ? definitions(engine) : definitions));
    const started = opened.start();
    if (started instanceof Promise) await Promise.race([started, untilOver(life, started)]);
    return engine;
  }

  /** Ends the process without a word: nothing of it happens any more. */
  crash(): void {
    this.#life.isOver = true;
  }

  /** Lets `after` more commits through; the process ends before the next one reaches the disk. */
  crashBeforeNextCommit(after = 0): void {
    this.#life.commitsLeft = after;
  }

  /**
   * Lets `after` more commits through; the process ends right after the next one has reached the
   * disk, before it hears of it.
   */
  crashAfterNextCommit(after = 0): void {
    this.#life.commitsLeft = after;
    this.#life.isLastWritten = true;
  }

  /**
   * Lets `after` more commits through and holds the rest back, as a slow disk would.
   *
   * @returns Lets them go on.
   */
  holdCommits(after = 0): () => void {
    const life = this.#life;
    const gate = deferred<void>();
    life.hold = { left: after, gate: gate.promise };
    return () => {
      delete life.hold;
      gate.resolve();
    };
  }

  /** Waits until nothing is on its way to the disk and pending promises have run. */
  async rest(): Promise<void> {
    let calm = 0;
    for (let turn = 0; turn < 5_000 && calm < 8; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#life.last;
      const isOpen = !this.#life.isOver && this.#life.hold === undefined;
      const underway = this.#shelf.late?.()?.underway() ?? 0;
      const isBusy = isOpen && (this.#engine?.stats().pendingCommits ?? 0) + underway > 0;
      calm = isBusy ? 0 : calm + 1;
      if (isBusy && turn > 100) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async journal(id: string): Promise<readonly JournalEntry[]> {
    const rows: JournalEntry[] = [];
    for await (const row of this.engine.journal(id)) rows.push(row);
    return rows;
  }

  async end(): Promise<void> {
    if (!this.#life.isOver) await this.#engine?.close();
    await this.#shelf.remove();
  }
}

/** Options of an engine in a world. */
export interface WorldOptions extends Partial<EngineOptions> {
  readonly wrapStore?: (store: EngineStore) => EngineStore;
}

interface Life {
  isOver: boolean;
  /** Commits that still come through. */
  commitsLeft: number;
  /** Whether the commit that ends the process is written. */
  isLastWritten: boolean;
  last?: Promise<void>;
  hold?: { left: number; readonly gate: Promise<void> };
}

function mortal(store: EngineStore, life: Life): EngineStore {
  const commit = async (writes: Parameters<EngineStore['commit']>[0]): Promise<void> => {
    await heldBack(life);
    if (!life.isOver && life.commitsLeft > 0) {
      life.commitsLeft -= 1;
      await store.commit(writes);
      if (!life.isOver) return;
    } else if (!life.isOver) {
      life.isOver = true;
      if (life.isLastWritten) life.last = store.commit(writes);
    }
    await new Promise(() => undefined);
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (life.isOver) throw new Error('the process is gone');
        const answer = Reflect.apply(member, target, args) as unknown;
        if (!(answer instanceof Promise)) return answer;
        return answer.then((rows: unknown) => (life.isOver ? new Promise(() => undefined) : rows));
      };
    },
  });
}

/** Resolves when a process ends, which may happen while it starts. */
async function untilOver(life: Life, started: Promise<void>): Promise<void> {
  let isStarted = false;
  started.then(
    () => (isStarted = true),
    () => (isStarted = true),
  );
  while (!life.isOver && !isStarted) await new Promise((turn) => setImmediate(turn));
}

async function heldBack({ hold }: Life): Promise<void> {
  if (hold === undefined) return;
  hold.left -= 1;
  if (hold.left < 0) await hold.gate;
}

function mortalClock(clock: RuntimeClock, life: Life): RuntimeClock {
  return {
    now: () => clock.now(),
    at: (at, run) => clock.at(at, () => (life.isOver ? undefined : run())),
    after: (ms, run) => waitFor(clock, ms, () => (life.isOver ? undefined : run())),
    onSetBack: (listener) =>
      clock.onSetBack?.(() => (life.isOver ? undefined : listener())) ?? (() => undefined),
  };
}
