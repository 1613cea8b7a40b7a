import { AppError } from '../../../src/domain/common/error.ts';
import type { Paged, PageQuery } from '../../../src/domain/hosting/hosting.ts';

/** A record and its sequence number in insertion order. */
export interface StoredRow<Item> {
  readonly seq: number;
  item: Item;
}

const PAGE_MAX = 100;
const CURSOR = /^after-(\d{1,15})$/;

/**
 * Returns one page of rows. A cursor is a position rather than a row, so concurrent inserts and
 * removals neither repeat nor hide rows.
 *
 * @param order - `oldest` or `newest` first.
 * @throws {AppError} `INPUT_INVALID` for an invalid limit or cursor.
 */
export function toPage<Item>(
  rows: Iterable<StoredRow<Item>>,
  query: PageQuery,
  order: 'oldest' | 'newest',
): Paged<Item> {
  const { limit } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAX) {
    throw invalidParameter('limit', limit, `an integer from 1 to ${PAGE_MAX}`);
  }
  const after = parseCursor(query.cursor ?? '');
  const sign = order === 'oldest' ? 1 : -1;
  const rest = [...rows]
    .filter(({ seq }) => after === undefined || (seq - after) * sign > 0)
    .sort((one, other) => (one.seq - other.seq) * sign);
  const items = rest.slice(0, limit).map(({ seq, item }) => ({ item, cursor: `after-${seq}` }));
  return { items, hasMore: rest.length > limit };
}

/** Creates the error for an invalid value of an order or a query. */
export function invalidParameter(path: string, received: unknown, allowed: string): AppError {
  const quoted = JSON.stringify(received) ?? 'nothing';
  const message = `${path}: received ${quoted.slice(0, 100)}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}

/** Creates the error for an unknown resource. */
export function missingResourceError(id: string): AppError {
  const message = `There is no resource ${JSON.stringify(id.slice(0, 100))}.`;
  return new AppError('RESOURCE_UNKNOWN', { message, data: { received: id.slice(0, 100) } });
}

function parseCursor(cursor: string): number | undefined {
  if (cursor === '') return undefined;
  const found = CURSOR.exec(cursor)?.[1];
  if (found === undefined)
    throw invalidParameter('cursor', cursor, 'the cursor of the previous page');
  return Number(found);
}
