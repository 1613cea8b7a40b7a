import { EngineError } from '../engine/error.ts';
import { isInState } from '../engine/snapshot.ts';
import type { ListQuery, ListRow, Page } from '../engine/types.ts';
import type { SearchRange, SearchValue } from './search-types.ts';
import {
  compareTexts,
  compareValues,
  isWellFormed,
  meetsConditions,
  toRange,
} from './search-values.ts';

/** Where a page continues: after this value and id. */
export type SearchPlace = readonly [value: SearchValue | null, id: string];

/** A part of the index of one attribute, in order. */
export interface IndexScan {
  readonly kind: string;
  readonly attribute: string;
  readonly range: SearchRange;
  readonly after?: SearchPlace | undefined;
  readonly descending: boolean;
}

/** The index of search attributes in a store. Texts are sorted by `toIndexValue`. */
export interface SearchIndex {
  /** Yields values and ids of actors in a range of an attribute, by value and then id. */
  scan(scan: IndexScan): Iterable<readonly [SearchValue, string]>;
  /** Yields the ids of a kind in order. */
  ids(kind: string, after: string | undefined, descending: boolean): Iterable<string>;
  /** Returns the index row of an actor; `seq` and `at` need not be its last ones. */
  row(kind: string, id: string): ListRow | undefined;
  /** Returns the row with the last `seq` and `at`. */
  complete(row: ListRow): ListRow;
}

const LIMIT = 100;
const LIMIT_MAX = 1_000;
/** If a condition has at most this many actors, they are read, checked and sorted. */
const FEW = 1_000;
/** Maximum actors checked per page. A page can be short because of it and continues by cursor. */
const SCAN_MAX = 10_000;
/** Maximum characters of a text in the index. Readers check the whole text. */
const INDEX_CHARS_MAX = 64;

/** Returns a value as the index sorts it. */
export function toIndexValue(value: SearchValue): SearchValue {
  if (typeof value !== 'string' || value.length <= INDEX_CHARS_MAX) return value;
  const isWhole = isWellFormed(value.slice(0, INDEX_CHARS_MAX));
  return value.slice(0, isWhole ? INDEX_CHARS_MAX : INDEX_CHARS_MAX - 1);
}

/**
 * Reads a page of actors by their attributes. Its cost follows from the size of the smallest
 * condition or of the page, not from the number of actors.
 */
export function searchActors(index: SearchIndex, query: ListQuery): Page<ListRow> {
  const limit = Math.min(query.limit ?? LIMIT, LIMIT_MAX);
  const rows: ListRow[] = [];
  let seen = 0;
  let last: SearchPlace | undefined;
  for (const place of findPlaces(index, query)) {
    if (rows.length >= limit || seen >= SCAN_MAX) {
      return { rows, cursor: JSON.stringify(last) };
    }
    seen += 1;
    last = place;
    const row = index.row(query.kind ?? '', place[1]);
    if (row !== undefined && isMatch(row, query, place)) rows.push(index.complete(row));
  }
  return { rows };
}

/** Yields the places of actors that may match, in the order of the query. */
function* findPlaces(index: SearchIndex, query: ListQuery): Iterable<SearchPlace> {
  const { kind = '', orderBy, descending = false } = query;
  const after = query.cursor === undefined ? undefined : parsePlace(query.cursor);
  const few = findFew(index, query);
  if (few !== undefined) {
    const sign = descending ? -1 : 1;
    const places = few
      .map((id) => toPlace(index.row(kind, id), orderBy))
      .filter((place) => place !== undefined)
      .sort((a, b) => sign * comparePlaces(a, b));
    yield* after === undefined
      ? places
      : places.filter((place) => sign * comparePlaces(place, after) > 0);
    return;
  }
  if (orderBy === undefined) {
    for (const id of index.ids(kind, after?.[1], descending)) yield [null, id];
    return;
  }
  const range = toIndexRange(query.where?.[orderBy]);
  yield* index.scan({ kind, attribute: orderBy, range, after, descending });
}

/** @throws {EngineError} `QUERY_INVALID` if it is no cursor of a page. */
function parsePlace(cursor: string): SearchPlace {
  try {
    const place: unknown = JSON.parse(cursor);
    if (Array.isArray(place) && place.length === 2 && typeof place[1] === 'string')
      return [place[0] as SearchPlace[0], place[1]];
  } catch {
    // Not JSON: the error below says what is allowed.
  }
  const message = `cursor is ${cursor.slice(0, 40)}; it must be the cursor of the page before.`;
  throw new EngineError('QUERY_INVALID', message);
}

/** Returns the actors of the smallest condition, if they are few. */
function findFew(index: SearchIndex, { kind = '', where = {} }: ListQuery) {
  let few: readonly string[] | undefined;
  for (const [attribute, condition] of Object.entries(where)) {
    const max = few?.length ?? FEW + 1;
    const ids: string[] = [];
    const range = toIndexRange(condition);
    for (const [, id] of index.scan({ kind, attribute, range, descending: false })) {
      if (ids.push(id) >= max) break;
    }
    if (ids.length < max) few = ids;
  }
  return few;
}

function toIndexRange(condition: Parameters<typeof toRange>[0] | undefined): SearchRange {
  const { from, to } = condition === undefined ? {} : toRange(condition);
  return {
    ...(from === undefined ? undefined : { from: toIndexValue(from) }),
    ...(to === undefined ? undefined : { to: toIndexValue(to) }),
  };
}

function toPlace(row: ListRow | undefined, orderBy: string | undefined): SearchPlace | undefined {
  if (row === undefined) return undefined;
  if (orderBy === undefined) return [null, row.id];
  const value = row.attributes?.[orderBy];
  return value === undefined ? undefined : [toIndexValue(value), row.id];
}

function comparePlaces([a, idA]: SearchPlace, [b, idB]: SearchPlace): number {
  const order = a === null || b === null ? 0 : compareValues(a, b);
  return order === 0 ? compareTexts(idA, idB) : order;
}

/** The index can be outdated, so the row itself decides. */
function isMatch(row: ListRow, query: ListQuery, place: SearchPlace): boolean {
  const { state, status, prefix = '', where, orderBy } = query;
  const found = toPlace(row, orderBy);
  if (found === undefined || comparePlaces(found, place) !== 0) return false;
  if (state !== undefined && !isInState(row.state, state)) return false;
  if (status !== undefined && row.status !== status) return false;
  return row.id.startsWith(prefix) && meetsConditions(row.attributes ?? {}, where);
}
