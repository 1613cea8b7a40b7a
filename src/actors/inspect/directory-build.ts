import type { ActorRow, ActorsFrame } from '../../domain/inspect/wire.ts';
import type { ActorEngine, ActorStatus, ListChange, ListRow } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { DirectoryRows, ROWS_MAX } from './directory-rows.ts';
import { FRAME_INTERVAL_MS } from './frame-source.ts';
import { Throttle } from './throttle.ts';

/** Maximum number of rows per frame. */
const FRAME_ROWS_MAX = 2_000;
/** Number of actors per page while the directory is built; other work runs between pages. */
const PAGE_ROWS = 200;
/** Number of journals read for last events before other work runs. */
const JOURNALS_PER_BATCH = 50;
/** Active actors first, so that finished ones are dropped above the limit. */
const STATUSES: readonly ActorStatus[] = ['active', 'stuck', 'error', 'stopped', 'done'];

/** Dependencies of the directory. */
export interface ActorDirectoryDeps extends Pick<Services, 'clock' | 'engine'> {
  readonly rowsMax?: number;
}

/** A reader of the directory, which receives its changes. */
export interface DirectoryReader {
  /** Whether the reader has received everything and accepts more. */
  readonly isCurrent: boolean;
  /** Marks actors whose rows must be sent again. */
  markPending(ids: Iterable<string>): void;
  /** Sends frames that all up-to-date readers share. */
  pushFrames(frames: readonly ActorsFrame[]): void;
  /** Sends pending rows as far as the reader accepts them. */
  pump(): void;
}

/** The directory while it is in use: from the first console until some time after the last. */
export class DirectoryBuild {
  readonly #rows: DirectoryRows;
  readonly #rowsMax: number;
  readonly #engine: ActorEngine;
  readonly #readers: ReadonlySet<DirectoryReader>;
  readonly #throttle: Throttle;
  readonly #unwatch: () => void;
  /** Journal positions of rows counted during the build, as read from lists; see `#change`. */
  readonly #listed = new Map<string, number>();
  #settlesAt = Number.POSITIVE_INFINITY;
  /** Ids that changed since the last frame. */
  #changedIds = new Set<string>();
  #isStopped = false;
  #isLoaded = false;

  constructor(
    { engine, clock, rowsMax = ROWS_MAX }: ActorDirectoryDeps,
    readers: ReadonlySet<DirectoryReader>,
    fail: (thrown: unknown) => void,
  ) {
    this.#engine = engine;
    this.#readers = readers;
    this.#rowsMax = rowsMax;
    this.#rows = new DirectoryRows(rowsMax);
    this.#throttle = new Throttle(clock, FRAME_INTERVAL_MS, () => this.#publish());
    this.#unwatch = engine.watchList((change) => this.#onChange(change));
    this.#load().catch((thrown: unknown) => {
      if (!this.#isStopped) fail(thrown);
    });
  }

  /** Returns the ids of all actors with a row. */
  ids(): Iterable<string> {
    return this.#rows.ids();
  }

  /** Whether all existing actors have been read. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Builds a frame with the current state of actors, and removes their ids from `ids`. */
  createFrame(ids: Set<string>, isFirst: boolean): ActorsFrame {
    const rows: ActorRow[] = [];
    const gone: string[] = [];
    for (const id of ids) {
      if (rows.length + gone.length >= FRAME_ROWS_MAX) break;
      ids.delete(id);
      const row = this.#rows.get(id);
      if (row === undefined) gone.push(id);
      else rows.push(row);
    }
    return {
      topic: 'actors',
      isFirst,
      isWhole: this.#isLoaded && ids.size === 0,
      rows,
      gone,
      counts: this.#rows.counts(),
      rowsMax: this.#rowsMax,
    };
  }

  requestFrame(): void {
    this.#throttle.request();
  }

  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
    this.#throttle.stop();
  }

  async #load(): Promise<void> {
    for (const status of STATUSES) {
      let cursor: string | undefined;
      do {
        const at = cursor === undefined ? {} : { cursor };
        const page = await this.#engine.list({ status, limit: PAGE_ROWS, ...at });
        if (this.#isStopped) return;
        for (const row of page.rows) this.#add(row);
        cursor = page.cursor;
        await new Promise((resolve) => setImmediate(resolve));
      } while (cursor !== undefined && !this.#isStopped);
    }
    this.#rows.sortFinished();
    this.#isLoaded = true;
    this.#settlesAt = this.#engine.stats().globalSeq;
    this.requestFrame();
    await this.#loadLastEvents();
  }

  /** Lists do not contain last events, so they are read afterwards and the rows are sent again. */
  async #loadLastEvents(): Promise<void> {
    let looked = 0;
    for (const id of this.#rows.withoutLastEvent()) {
      if (this.#isStopped) return;
      const seq = this.#rows.get(id)?.seq;
      if (seq === undefined) continue;
      for await (const entry of this.#engine.journal(id, seq, 1)) {
        if (this.#rows.setLastEvent(id, entry.seq, entry.event.type)) this.#mark(id);
      }
      looked += 1;
      if (looked % JOURNALS_PER_BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #add(row: ListRow): void {
    if (this.#listed.has(row.id)) return;
    this.#listed.set(row.id, row.seq);
    this.#rows.count(row, 1);
    this.#put(row, null);
  }

  /**
   * Counts a change. During the build, lists and changes overlap: a list may contain a row whose
   * change arrives later, or a change may arrive before its row is listed. Whichever comes first is
   * counted.
   */
  #onChange({ before, after, entry }: ListChange): void {
    const id = after?.id ?? before?.id ?? '';
    const listedSeq = this.#listed.get(id);
    const isSettled = this.#listed.size === 0 && this.#isLoaded;
    if (listedSeq !== undefined && after !== undefined && after.seq <= listedSeq) return;
    const isCounted = isSettled || listedSeq !== undefined || before === undefined;
    if (isCounted && before !== undefined) this.#rows.count(before, -1);
    if (after === undefined) this.#remove(id);
    else {
      this.#rows.count(after, 1);
      if (!isSettled) this.#listed.set(id, after.seq);
      this.#put(after, entry?.event.type ?? null);
    }
    if (this.#isLoaded && (entry?.globalSeq ?? 0) > this.#settlesAt) this.#listed.clear();
    this.requestFrame();
  }

  #put(row: ListRow, lastEvent: string | null): void {
    this.#rows.put(row, lastEvent);
    this.#mark(row.id);
    for (const id of this.#rows.trim()) this.#mark(id);
  }

  #remove(id: string): void {
    this.#listed.delete(id);
    if (this.#rows.remove(id)) this.#mark(id);
  }

  #mark(id: string): void {
    this.#changedIds.add(id);
    this.requestFrame();
  }

  /**
   * Up-to-date readers share frames that are built once; the others continue at their own position.
   */
  #publish(): void {
    const fresh = this.#changedIds;
    this.#changedIds = new Set();
    let shared: readonly ActorsFrame[] | undefined;
    for (const reader of this.#readers) {
      if (reader.isCurrent) {
        shared ??= this.#createFrames(new Set(fresh));
        reader.pushFrames(shared);
      } else {
        reader.markPending(fresh);
        reader.pump();
      }
    }
  }

  #createFrames(ids: Set<string>): readonly ActorsFrame[] {
    const frames: ActorsFrame[] = [];
    while (ids.size > 0) frames.push(this.createFrame(ids, false));
    return frames;
  }
}
