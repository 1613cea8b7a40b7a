import { type ReadonlySignal, signal } from '@preact/signals';
import type { JournalRow } from '../../../src/domain/inspect/wire.ts';

/** Rows of one page, the unit in which a journal is read. */
export const PAGE_ROWS = 200;
/** Most pages held at once; those that were looked at longest ago go first. */
export const PAGES_MAX = 300;

/** A reading of the wire: rows from `from` on, and what the server keeps. */
export interface JournalPage {
  readonly rows: readonly JournalRow[];
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** Reads at most `limit` rows from the row `from` on. */
export type ReadPage = (from: number, limit: number) => Promise<JournalPage>;

/**
 * The journal of one actor as far as it was read. Rows that were pushed are kept as they come;
 * older ones are read by pages when they are asked for.
 */
export interface Rows {
  /** First row that the server keeps, and the newest known one; 0 and -1 before the first page. */
  readonly span: ReadonlySignal<{ readonly firstSeq: number; readonly lastSeq: number }>;
  /** Rises with every change; read it to be told. */
  readonly change: ReadonlySignal<number>;
  /** `null` until the page that holds it has come; asking for it makes it come. */
  row(seq: number): JournalRow | null;
  /** The row if it is here; nothing is read. */
  peek(seq: number): JournalRow | null;
  /** Takes rows that were pushed; those that are known already change nothing. */
  push(rows: readonly JournalRow[]): void;
  /** Takes what the server says it keeps. */
  extend(firstSeq: number, lastSeq: number): void;
  /** Resolves when the pages of these rows are here, or could not be read. */
  load(fromSeq: number, toSeq: number): Promise<void>;
}

/** Begins with no row known. */
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
      // Asked for again when the row is looked at again.
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

/** Rows by pages; the page that was added to longest ago gives way. */
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
