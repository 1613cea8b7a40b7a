import type { JournalRow } from '../../../src/domain/inspect/wire.ts';

/** Which rows of a journal are listed; `all` leaves none out. */
export interface RowFilter {
  readonly entry: 'all' | 'event' | 'stale' | 'poison';
  /** Who caused the row, as `cause.by` names it. */
  readonly by: string;
}

/** Leaves no row out. */
export const ALL_ROWS: RowFilter = { entry: 'all', by: 'all' };

/** Newest rows among which a filter looks. */
export const FILTER_ROWS_MAX = 20_000;

/** Causes of rows, with the words of the filter. */
export const CAUSES: readonly (readonly [string, string])[] = [
  ['all', 'any cause'],
  ['create', 'created'],
  ['outside', 'from outside'],
  ['timer', 'timers'],
  ['effect', 'effects'],
  ['actor', 'other actors'],
  ['retry', 'retries'],
  ['engine', 'the engine'],
];

/** Kinds of rows, with the words of the filter. */
export const ENTRIES: readonly (readonly [RowFilter['entry'], string])[] = [
  ['all', 'all rows'],
  ['event', 'events'],
  ['stale', 'stale'],
  ['poison', 'poison'],
];

/** Tells whether a filter leaves rows out. */
export function isFiltering(filter: RowFilter): boolean {
  return filter.entry !== 'all' || filter.by !== 'all';
}

/** Tells whether a row is listed. */
export function isListed(row: JournalRow, { entry, by }: RowFilter): boolean {
  return (entry === 'all' || row.entry === entry) && (by === 'all' || row.cause['by'] === by);
}
