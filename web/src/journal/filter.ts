import type { JournalRow } from '../../../src/domain/inspect/wire.ts';

/** Filter of journal rows; `all` matches every row. */
export interface RowFilter {
  readonly entry: 'all' | 'event' | 'stale' | 'poison';
  /** Cause of the row: a value of `cause.by`. */
  readonly by: string;
}

/** The filter that matches all rows. */
export const ALL_ROWS: RowFilter = { entry: 'all', by: 'all' };

/** Number of newest rows that a filter searches. */
export const FILTER_ROWS_MAX = 20_000;

/** Causes with their labels in the filter. */
export const CAUSE_LABELS: readonly (readonly [string, string])[] = [
  ['all', 'any cause'],
  ['create', 'created'],
  ['outside', 'from outside'],
  ['timer', 'timers'],
  ['effect', 'effects'],
  ['actor', 'other actors'],
  ['retry', 'retries'],
  ['engine', 'the engine'],
];

/** Kinds of rows with their labels in the filter. */
export const ENTRY_LABELS: readonly (readonly [RowFilter['entry'], string])[] = [
  ['all', 'all rows'],
  ['event', 'events'],
  ['stale', 'stale'],
  ['poison', 'poison'],
];

/** Returns true if the filter may exclude rows. */
export function isFilterActive(filter: RowFilter): boolean {
  return filter.entry !== 'all' || filter.by !== 'all';
}

/** Returns true if a row matches the filter. */
export function matchesFilter(row: JournalRow, { entry, by }: RowFilter): boolean {
  return (entry === 'all' || row.entry === entry) && (by === 'all' || row.cause['by'] === by);
}
