import type { Clock } from '../../domain/common/clock.ts';
import type { JournalRow } from '../../domain/inspect/wire.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import type { Outlet, PushSource } from './outlet.ts';
import { Throttle } from './throttle.ts';

/** Number of recent rows kept in memory; a client further behind reads the journal. */
const RECENT_MAX = 2_048;
/** Maximum number of rows per push. */
const BATCH_MAX = 256;
/** Minimum interval between pushes of new rows, in milliseconds. */
const PUSH_INTERVAL_MS = 50;

/** Source of journal rows: one actor or all. */
export interface RowReader {
  positionOf(row: { readonly seq: number; readonly globalSeq: number }): number;
  /** Reads committed rows from a position on. Returns fewer than `limit` only at the end. */
  read(from: number, limit: number): Promise<readonly JournalEntry[]>;
  /** Calls the listener for every row from a position on, in order. */
  watch(from: number, listener: (entry: JournalEntry) => void): () => void;
  toRow(entry: JournalEntry): JournalRow;
}

/** New rows, redacted once for all clients. */
export class RowSource {
  readonly reader: RowReader;
  readonly #throttle: Throttle;
  readonly #cursors = new Set<RowCursor>();
  readonly #stop: () => void;
  #recent: JournalRow[] = [];
  #recentFrom: number;
  #next: number;
  #batch: { readonly from: number; readonly next: number; readonly rows: JournalRow[] } | undefined;

  /** @param next - Position of the next row; all earlier rows are on disk. */
  constructor(origin: RowReader, clock: Clock, next: number) {
    this.reader = origin;
    this.#next = next;
    this.#recentFrom = next;
    this.#throttle = new Throttle(clock, PUSH_INTERVAL_MS, () => {
      for (const cursor of this.#cursors) cursor.pump();
    });
    this.#stop = origin.watch(next, (entry) => this.#onEntry(entry));
  }

  /** Position of the next new row. */
  get next(): number {
    return this.#next;
  }

  get isWatched(): boolean {
    return this.#cursors.size > 0;
  }

  add(cursor: RowCursor): void {
    this.#cursors.add(cursor);
    this.#throttle.request();
  }

  remove(cursor: RowCursor): void {
    this.#cursors.delete(cursor);
    if (this.#cursors.size > 0) return;
    this.#stop();
    this.#throttle.stop();
  }

  /**
   * Returns a batch of rows from memory; `undefined` if they must be read from disk. Equal calls
   * share one array.
   */
  recent(from: number): readonly JournalRow[] | undefined {
    if (from < this.#recentFrom) return undefined;
    const batch = this.#batch;
    if (batch?.from === from && batch.next === this.#next) return batch.rows;
    const first = this.#firstAt(from);
    const rows = this.#recent.slice(first, first + BATCH_MAX);
    this.#batch = { from, next: this.#next, rows };
    return rows;
  }

  #onEntry(entry: JournalEntry): void {
    const row = this.reader.toRow(entry);
    this.#recent.push(row);
    this.#next = this.reader.positionOf(row) + 1;
    if (this.#recent.length >= 2 * RECENT_MAX) {
      this.#recent = this.#recent.slice(-RECENT_MAX);
      const [oldest] = this.#recent;
      if (oldest !== undefined) this.#recentFrom = this.reader.positionOf(oldest);
    }
    this.#throttle.request();
  }

  /**
   * Positions usually increase by one, but a purge may leave gaps, so this searches from the
   * expected index.
   */
  #firstAt(from: number): number {
    const [oldest] = this.#recent;
    if (oldest === undefined) return 0;
    let at = Math.min(from - this.reader.positionOf(oldest), this.#recent.length);
    const positionAt = (index: number): number => {
      const row = this.#recent[index];
      return row === undefined ? Number.NEGATIVE_INFINITY : this.reader.positionOf(row);
    };
    while (at > 0 && positionAt(at - 1) >= from) at -= 1;
    return Math.max(0, at);
  }
}

/** One client's cursor over the rows. A slow client still receives every row. */
export class RowCursor implements PushSource {
  readonly #source: RowSource;
  readonly #outlet: Outlet;
  readonly #push: (rows: readonly JournalRow[], nextSeq: number) => void;
  readonly #fail: (thrown: unknown) => void;
  #next: number;
  #isReading = false;
  #isStopped = false;

  constructor(
    source: RowSource,
    from: number,
    to: {
      readonly outlet: Outlet;
      push(rows: readonly JournalRow[], nextSeq: number): void;
      fail(thrown: unknown): void;
    },
  ) {
    this.#source = source;
    // A position in the future means that the journal was recreated; start at its end.
    this.#next = Math.min(from, source.next);
    this.#outlet = to.outlet;
    this.#push = to.push;
    this.#fail = to.fail;
    source.add(this);
  }

  pump(): void {
    while (this.#outlet.isOpen && !this.#isReading && !this.#isStopped) {
      const rows = this.#source.recent(this.#next);
      if (rows === undefined) {
        this.#read();
        return;
      }
      if (rows.length === 0) return;
      this.#pushRows(rows);
    }
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#source.remove(this);
  }

  #read(): void {
    const { reader } = this.#source;
    const end = this.#source.next;
    this.#isReading = true;
    reader
      .read(this.#next, BATCH_MAX)
      .then((entries) => {
        this.#isReading = false;
        if (this.#isStopped) return;
        // The rows no longer exist because of a purge or a trim, so skip them.
        if (entries.length === 0) this.#next = Math.max(this.#next, end);
        // If the outlet closed meanwhile, the rows are read again when it reopens.
        else if (this.#outlet.isOpen) this.#pushRows(entries.map((entry) => reader.toRow(entry)));
        this.pump();
      })
      .catch((thrown: unknown) => {
        this.#isReading = false;
        if (!this.#isStopped) this.#fail(thrown);
      });
  }

  #pushRows(rows: readonly JournalRow[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#next = this.#source.reader.positionOf(last) + 1;
    this.#push(rows, this.#next);
  }
}
