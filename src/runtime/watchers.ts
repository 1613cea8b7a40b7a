import type { Core } from './core.ts';
import type { Committed } from './recorder.ts';
import type { Ev, JournalEntry } from './types.ts';

/** Rows read from the store in one go while a watcher catches up. */
const BATCH = 256;

/** Those who follow one actor, or all of them. */
export class Watchers {
  readonly #core: Core;
  readonly #byActor = new Map<string, Set<Listener>>();
  readonly #feed = new Set<Listener>();
  readonly #shown = new Map<string, Set<(event: Ev) => void>>();
  #closed = false;
  /** Position of the last row that is known to be on disk. */
  #committedSeq: number;

  constructor(core: Core) {
    this.#core = core;
    this.#committedSeq = core.store.lastGlobalSeq();
  }

  /** Passes a committed row on. */
  follow({ entry }: Committed): void {
    this.#committedSeq = Math.max(this.#committedSeq, entry.globalSeq);
    for (const listener of this.#byActor.get(entry.id) ?? []) listener(entry);
    for (const listener of this.#feed) listener(entry);
  }

  /** Calls `listener` for rows that are committed from now on. */
  listen(id: string, listener: (entry: JournalEntry) => void): () => void {
    return addTo(this.#byActor, id, listener);
  }

  /** See `ActorEngine.watch`. */
  watch(id: string, fromSeq: number, listener: (entry: JournalEntry) => void): () => void {
    const read = (from: number) => this.#core.store.journal(id, from, BATCH);
    const follower = this.#follower(fromSeq, (entry) => entry.seq, read, listener);
    const remove = addTo(this.#byActor, id, follower.live);
    return () => {
      follower.end();
      remove();
    };
  }

  /** See `ActorEngine.feed`. */
  feed(fromGlobalSeq: number, listener: (entry: JournalEntry) => void): () => void {
    const read = (from: number) => this.#core.store.feed(from, BATCH);
    const follower = this.#follower(fromGlobalSeq, (entry) => entry.globalSeq, read, listener);
    this.#feed.add(follower.live);
    return () => {
      follower.end();
      this.#feed.delete(follower.live);
    };
  }

  watchShown(id: string, listener: (event: Ev) => void): () => void {
    return addTo(this.#shown, id, listener);
  }

  /** Passes on what is not kept. */
  show(id: string, event: Ev): void {
    for (const listener of this.#shown.get(id) ?? []) {
      this.guarded(id, () => listener(event));
    }
  }

  close(): void {
    this.#closed = true;
    this.#byActor.clear();
    this.#feed.clear();
    this.#shown.clear();
  }

  /** Runs a listener of a stranger: what it throws is a notice, and harms nobody else. */
  guarded(id: string, run: () => void): void {
    try {
      run();
    } catch (cause) {
      const message = `a listener of ${id} failed: ${String(cause)}`;
      this.#core.notice({ kind: 'listener_failed', actorId: id, message, cause });
    }
  }

  /** Reads old rows first, then takes live ones, each once and in order. */
  #follower(
    from: number,
    positionOf: (entry: JournalEntry) => number,
    read: (from: number) => readonly JournalEntry[],
    listener: (entry: JournalEntry) => void,
  ): { live: Listener; end: () => void } {
    let next = from;
    let ended = false;
    let isLive = false;
    const give = (entry: JournalEntry): void => {
      if (ended || positionOf(entry) < next) return;
      next = positionOf(entry) + 1;
      this.guarded(entry.id, () => listener(entry));
    };
    const catchUp = (): void => {
      if (ended || this.#closed) return;
      // The store may already show rows that are not safe on disk yet: those come live.
      const rows = read(next).filter((entry) => entry.globalSeq <= this.#committedSeq);
      for (const entry of rows) give(entry);
      if (rows.length === BATCH) setImmediate(catchUp);
      else isLive = true;
    };
    queueMicrotask(catchUp);
    return {
      live: (entry) => {
        if (isLive) give(entry);
      },
      end: () => {
        ended = true;
      },
    };
  }
}

type Listener = (entry: JournalEntry) => void;

function addTo<T>(map: Map<string, Set<T>>, id: string, listener: T): () => void {
  const set = map.get(id) ?? new Set<T>();
  map.set(id, set.add(listener));
  return () => {
    set.delete(listener);
    if (set.size === 0 && map.get(id) === set) map.delete(id);
  };
}
