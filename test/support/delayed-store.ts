import type { EngineStore, SyncEngineStore, Write } from '../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { seeded } from './seeded.ts';
import type { Shelf } from './shelf.ts';

/** A store that answers later, and what is on its way to it and back. */
export interface DelayedStore {
  readonly store: EngineStore;
  /** Number of reads and commits that are not answered yet. */
  readonly underway: () => number;
  /** Resolves when every commit has landed. */
  readonly landed: () => Promise<unknown>;
}

/** Members that a store answers at once. */
const AT_ONCE = ['hasRoom', 'sizes', 'close', 'compact'];
const TURNS_MAX = 3;
const MILLISECONDS_MAX = 3;
/** One delay in so many is in milliseconds, the others are in turns of the event loop. */
const SLOW_EVERY = 40;

/**
 * Wraps a store so that every read is answered by a promise: after a delay, as it was at some
 * moment of the delay. Commits land in order; their answers may come in another one.
 */
export function delayedStore(inner: SyncEngineStore, seed: number): DelayedStore {
  const chance = seeded(seed);
  let underway = 0;
  let landed: Promise<unknown> = Promise.resolve();
  const pause = async (): Promise<void> => {
    const isSlow = chance() < 1 / SLOW_EVERY;
    if (isSlow) await sleep(chance() * MILLISECONDS_MAX);
    const turns = isSlow ? 0 : Math.floor(chance() * (TURNS_MAX + 1));
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
  };
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    underway += 1;
    try {
      return await work();
    } finally {
      underway -= 1;
    }
  };
  const commit = (writes: readonly Write[]): Promise<void> =>
    counted(async () => {
      const landing = landed.then(pause).then(() => inner.commit(writes));
      landed = landing.catch(() => undefined);
      await landing;
      await pause();
    });
  const answerLater = (read: () => unknown): Promise<unknown> =>
    counted(async () => {
      await pause();
      const answer = read();
      await pause();
      return answer;
    });
  const store = new Proxy<EngineStore>(inner, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      if (AT_ONCE.includes(String(name))) return member.bind(target) as unknown;
      return (...args: unknown[]) => answerLater(() => Reflect.apply(member, target, args));
    },
  });
  return { store, underway: () => underway, landed: () => landed };
}

/** A shelf in memory whose engines read and write with delays. */
export function delayedShelf(seed = 1): Shelf {
  const store = memoryStore();
  let delayed: DelayedStore | undefined;
  let processes = 0;
  return {
    open: async () => {
      await delayed?.landed();
      processes += 1;
      delayed = delayedStore(store, seed * 1_000 + processes);
      return store;
    },
    late: () => delayed,
    remove: () => store.close(),
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
