import { toListRow } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Ev, JournalEntry, ListChange, ListRow } from '../engine/types.ts';
import type { Committed } from '../journal/recorder.ts';
import type { Awaitable } from '../load/awaitable.ts';
import { chain, isPromise } from '../load/awaitable.ts';
import type { Loader } from '../load/loader.ts';
import { decodeRow } from '../value/typed-value.ts';

/** Rows read from the store per batch while a watcher catches up. */
const BATCH = 256;

/** Notifies subscribers of one actor or of all actors. */
export class Watchers {
  readonly #core: Core;
  readonly #loader: Loader;
  readonly #byActor = new Map<string, Set<Listener>>();
  readonly #feed = new Set<Listener>();
  readonly #views = new Map<string, Set<() => void>>();
  readonly #shown = new Map<string, Set<(event: Ev) => void>>();
  readonly #list = new Set<(change: ListChange) => void>();
  readonly #purges = new Set<(id: string) => void>();
  #closed = false;
  /** Position of the last row known to be on disk. */
  #committedSeq = 0;

  constructor(core: Core, loader: Loader) {
    this.#core = core;
    this.#loader = loader;
  }

  /** Starts with the rows that are in the store. */
  open(): void {
    this.#committedSeq = this.#core.committer.globalSeq;
  }

  /** Notifies subscribers of a committed row. */
  onCommitted({ entry, cell: { subject }, before, after }: Committed): void {
    this.#committedSeq = Math.max(this.#committedSeq, entry.globalSeq);
    for (const listener of this.#byActor.get(entry.id) ?? []) listener(entry);
    this.onViewChanged(entry.id);
    for (const listener of this.#feed) listener(entry);
    if (this.#list.size === 0) return;
    const row = before === undefined ? undefined : toListRow(subject, before);
    this.#notifyList({ before: row, after: toListRow(subject, after), entry });
  }

  /** Implements `ActorEngine.watchList`. */
  watchList(listener: (change: ListChange) => void): () => void {
    // A separate function per call, so that subscribing twice creates two subscriptions.
    const subscription = (change: ListChange): void => listener(change);
    this.#list.add(subscription);
    return () => {
      this.#list.delete(subscription);
    };
  }

  /** Implements `ActorEngine.watchPurges`. */
  watchPurges(listener: (id: string) => void): () => void {
    const own = (id: string): void => listener(id);
    this.#purges.add(own);
    return () => {
      this.#purges.delete(own);
    };
  }

  /** Notifies subscribers that an actor and its rows were removed. */
  onPurged(row: ListRow): void {
    for (const listener of this.#purges) this.runListener(row.id, () => listener(row.id));
    this.#notifyList({ before: row, after: undefined, entry: undefined });
  }

  /** Implements `ActorEngine.feedRows`. */
  feedRows(fromGlobalSeq: number, limit: number): Awaitable<readonly JournalEntry[]> {
    return this.#loader.whenOpen(() => {
      const isOnDisk = this.#createDiskFilter();
      const rows = this.#core.store.feed(fromGlobalSeq, limit);
      return chain(rows, (found) => found.filter(isOnDisk).map(decodeRow));
    });
  }

  /**
   * Accepts the rows that are on disk when a read starts. A later row may be in the answer before
   * an earlier one is, and its row arrives live.
   */
  #createDiskFilter(): (entry: JournalEntry) => boolean {
    const committedSeq = this.#committedSeq;
    return ({ globalSeq }) => globalSeq <= committedSeq;
  }

  /** Notifies those who wait for a view: a row, or a row of an effect without one, is on disk. */
  onViewChanged(id: string): void {
    for (const listener of this.#views.get(id) ?? []) listener();
  }

  /** Calls `listener` after every committed change of the actor's view from now on. */
  listenView(id: string, listener: () => void): () => void {
    return addListener(this.#views, id, listener);
  }

  /** Implements `ActorEngine.watch`. */
  watch(id: string, fromSeq: number, listener: (entry: JournalEntry) => void): () => void {
    const read = (from: number) => this.#core.store.readJournal(id, from, BATCH);
    const follower = this.#createFollower(fromSeq, (entry) => entry.seq, read, listener);
    const remove = addListener(this.#byActor, id, follower.live);
    return () => {
      follower.end();
      remove();
    };
  }

  /** Implements `ActorEngine.feed`. */
  feed(fromGlobalSeq: number, listener: (entry: JournalEntry) => void): () => void {
    const read = (from: number) => this.#core.store.feed(from, BATCH);
    const follower = this.#createFollower(
      fromGlobalSeq,
      (entry) => entry.globalSeq,
      read,
      listener,
    );
    this.#feed.add(follower.live);
    return () => {
      follower.end();
      this.#feed.delete(follower.live);
    };
  }

  watchShown(id: string, listener: (event: Ev) => void): () => void {
    return addListener(this.#shown, id, listener);
  }

  /** Forwards a transient event to current subscribers. */
  show(id: string, event: Ev): void {
    for (const listener of this.#shown.get(id) ?? []) {
      this.runListener(id, () => listener(event));
    }
  }

  close(): void {
    this.#closed = true;
    this.#byActor.clear();
    this.#views.clear();
    this.#feed.clear();
    this.#shown.clear();
    this.#list.clear();
    this.#purges.clear();
  }

  /** Runs a foreign listener: an exception becomes a notice and affects no other listener. */
  runListener(id: string, run: () => void): void {
    try {
      run();
    } catch (cause) {
      const message = `A listener of ${id} failed: ${String(cause)}`;
      this.#core.notice({ kind: 'listener_failed', actorId: id, message, cause });
    }
  }

  /** A damaged row of one actor must not end the engine; a store that cannot be read does. */
  #reportUnread(cause: unknown): void {
    if (!(cause instanceof EngineError) || cause.code === 'STORE_FAILED') {
      this.#core.committer.fail(cause);
      return;
    }
    this.runListener('', () => {
      throw cause;
    });
  }

  #notifyList(change: ListChange): void {
    const id = change.after?.id ?? change.before?.id ?? '';
    for (const listener of this.#list) this.runListener(id, () => listener(change));
  }

  /**
   * Creates a follower that reads old rows first, then receives live ones, each once and in order.
   */
  #createFollower(
    from: number,
    positionOf: (entry: JournalEntry) => number,
    read: (from: number) => Awaitable<readonly JournalEntry[]>,
    listener: (entry: JournalEntry) => void,
  ): { live: Listener; end: () => void } {
    let next = from;
    let ended = false;
    let isLive = false;
    // Rows committed while catching up; a read in the same turn may not return them yet.
    let buffered: JournalEntry[] = [];
    const deliver = (entry: JournalEntry): void => {
      if (ended || positionOf(entry) < next) return;
      next = positionOf(entry) + 1;
      this.runListener(entry.id, () => listener(decodeRow(entry)));
    };
    const goLive = (): void => {
      const entries = buffered;
      buffered = [];
      isLive = true;
      for (const entry of entries) deliver(entry);
    };
    let hasDropped = false;
    const catchUp = (): void => {
      if (ended || this.#closed) return;
      const isRetry = hasDropped;
      hasDropped = false;
      // The store may already return rows that are not flushed yet; those arrive live.
      const isOnDisk = this.#createDiskFilter();
      const end = (cause: unknown): void => {
        ended = true;
        this.#reportUnread(cause);
      };
      try {
        const caughtUp = chain(read(next), (found) => {
          const rows = found.filter(isOnDisk);
          for (const entry of rows) deliver(entry);
          buffered = buffered.filter((entry) => positionOf(entry) >= next);
          if (rows.length === BATCH || isRetry || hasDropped) setImmediate(catchUp);
          else goLive();
        });
        if (isPromise(caughtUp)) caughtUp.catch(end);
      } catch (cause) {
        end(cause);
      }
    };
    queueMicrotask(() => this.#catchUpWhenOpen(catchUp));
    return {
      live: (entry) => {
        if (isLive) {
          deliver(entry);
          return;
        }
        buffered.push(entry);
        if (buffered.length <= BATCH) return;
        // Too many to buffer: one more read finds them.
        buffered.shift();
        hasDropped = true;
      },
      end: () => {
        ended = true;
      },
    };
  }

  #catchUpWhenOpen(catchUp: () => void): void {
    const opened = this.#loader.whenOpen(catchUp);
    // An engine that does not open rejects its start.
    if (isPromise(opened)) opened.catch(() => undefined);
  }
}

type Listener = (entry: JournalEntry) => void;

function addListener<T>(map: Map<string, Set<T>>, id: string, listener: T): () => void {
  const set = map.get(id) ?? new Set<T>();
  map.set(id, set.add(listener));
  return () => {
    set.delete(listener);
    if (set.size === 0 && map.get(id) === set) map.delete(id);
  };
}
