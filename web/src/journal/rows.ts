import { type ReadonlySignal, signal } from '@preact/signals';
import type { JournalRow, ReadResults } from '../../../src/domain/inspect/wire.ts';

/** Rows per page, the unit of reading a journal. */
export const PAGE_ROWS = 200;
/** Most pages in memory; the page written longest ago is dropped first. */
export const PAGES_MAX = 300;

/** One page of a journal, with the range of rows that the server keeps. */
export type JournalPage = ReadResults['journal'];

/** Reads at most `limit` rows, starting at row `from`. */
export type ReadPage = (from: number, limit: number) => Promise<JournalPage>;

/**
 * The loaded part of an actor's journal. Pushed rows are added as they arrive; older rows are
 * loaded in pages on demand.
 */
export interface Rows {
  /** First row kept by the server and newest known row; 0 and -1 before the first page. */
  readonly span: ReadonlySignal<{ readonly firstSeq: number; readonly lastSeq: number }>;
  /** Increases with every change; read it to subscribe. */
  readonly change: ReadonlySignal<number>;
  /** Returns a row, or `null` while it is missing; a missing row starts loading. */
  row(seq: number): JournalRow | null;
  /** Returns a row if it is loaded; never starts loading. */
  peek(seq: number): JournalRow | null;
  /** Adds pushed rows; known rows stay the same. */
  push(rows: readonly JournalRow[]): void;
  /** Updates the range of rows that the server keeps. */
  extend(firstSeq: number, lastSeq: number): void;
  /** Resolves when the pages of these rows are loaded or failed to load. */
  load(fromSeq: number, toSeq: number): Promise<void>;
}

/** Creates an empty journal. */
export function createRows(readPage: ReadPage): Rows {
  const { keep, peek } = createPages();
  const loading = new Map<number, Promise<void>>();
  const span = signal({ firstSeq: 0, lastSeq: -1 });
  const change = signal(0);

  function extend(firstSeq: number, lastSeq: number): void {
    const known = span.peek();
    const next = {
      firstSeq: known.lastSeq < 0 ? firstSeq : Math.max(known.firstSeq, firstSeq),
      lastSeq: Math.max(known.lastSeq, lastSeq),
    };
    if (next.firstSeq !== known.firstSeq || next.lastSeq !== known.lastSeq) span.value = next;
  }

  function loadPage(index: number): Promise<void> {
    const running = loading.get(index);
    if (running !== undefined) return running;
    const begun = readPage(index * PAGE_ROWS, PAGE_ROWS)
      .then((page) => {
        for (const row of page.rows) keep(row);
        extend(page.firstSeq, page.lastSeq);
        change.value += 1;
      })
      // The next access to the row retries.
      .catch(() => undefined)
      .finally(() => loading.delete(index));
    loading.set(index, begun);
    return begun;
  }

  function isMissing(seq: number): boolean {
    const { firstSeq, lastSeq } = span.peek();
    return seq >= firstSeq && seq <= lastSeq && peek(seq) === null;
  }

  return {
    span,
    change,
    peek,
    extend,
    row: (seq) => {
      if (isMissing(seq)) void loadPage(Math.floor(seq / PAGE_ROWS));
      return peek(seq);
    },
    push: (rows) => {
      const last = rows.at(-1);
      const first = rows[0];
      if (first === undefined || last === undefined) return;
      for (const row of rows) keep(row);
      extend(span.peek().lastSeq < 0 ? first.seq : span.peek().firstSeq, last.seq);
      change.value += 1;
    },
    load: async (fromSeq, toSeq) => {
      const wanted = new Set<number>();
      for (let seq = fromSeq; seq <= toSeq; seq += 1) {
        if (isMissing(seq)) wanted.add(Math.floor(seq / PAGE_ROWS));
      }
      await Promise.all([...wanted].map(loadPage));
    },
  };
}

/** Creates a bounded store of pages; drops the page that was written longest ago. */
function createPages() {
  const pages = new Map<number, (JournalRow | undefined)[]>();
  return {
    keep: (row: JournalRow): void => {
      const index = Math.floor(row.seq / PAGE_ROWS);
      const page = pages.get(index) ?? [];
      page[row.seq % PAGE_ROWS] = row;
      pages.delete(index);
      pages.set(index, page);
      const [oldest] = pages.keys();
      if (pages.size > PAGES_MAX && oldest !== undefined) pages.delete(oldest);
    },
    peek: (seq: number): JournalRow | null =>
      pages.get(Math.floor(seq / PAGE_ROWS))?.[seq % PAGE_ROWS] ?? null,
  };
}
