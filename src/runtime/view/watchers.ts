import { toListRow } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import type { Ev, JournalEntry, ListChange, ListRow } from '../engine/types.ts';
import type { Committed } from '../journal/recorder.ts';

/** Rows read from the store per batch while a watcher catches up. */
const BATCH = 256;

/** Notifies subscribers of one actor or of all actors. */
export class Watchers {
  readonly #core: Core;
  readonly #byActor = new Map<string, Set<Listener>>();
  readonly #feed = new Set<Listener>();
  readonly #views = new Map<string, Set<() => void>>();
  readonly #shown = new Map<string, Set<(event: Ev) => void>>();
  readonly #list = new Set<(change: ListChange) => void>();
  readonly #purges = new Set<(id: string) => void>();
  #closed = false;
  /** Position of the last row known to be on disk. */
  #committedSeq: number;

  constructor(core: Core) {
    this.#core = core;
    this.#committedSeq = core.store.lastGlobalSeq();
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
  feedRows(fromGlobalSeq: number, limit: number): readonly JournalEntry[] {
    const rows = this.#core.store.feed(fromGlobalSeq, limit);
    return rows.filter(({ globalSeq }) => globalSeq <= this.#committedSeq);
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

  /** A damaged row of one actor must not end the process. */
  #tryRead(read: () => readonly JournalEntry[]): readonly JournalEntry[] | undefined {
    let rows: readonly JournalEntry[] | undefined;
    this.runListener('', () => {
      rows = read();
    });
    return rows;
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
    readFrom: (from: number) => readonly JournalEntry[],
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
      this.runListener(entry.id, () => listener(entry));
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
      const read = this.#tryRead(() => readFrom(next));
      if (read === undefined) {
        ended = true;
        return;
      }
      const rows = read.filter((entry) => entry.globalSeq <= this.#committedSeq);
      for (const entry of rows) deliver(entry);
      buffered = buffered.filter((entry) => positionOf(entry) >= next);
      if (rows.length === BATCH || isRetry) setImmediate(catchUp);
      else goLive();
    };
    queueMicrotask(catchUp);
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
