import { AppError } from '../../domain/common/error.ts';
import type { Paged, PageQuery } from '../../domain/hosting/hosting.ts';

const LIMIT_MAX = 100;

/** Stable position of an item in a list. */
export interface ListPosition {
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly createdAt: number;
}

/**
 * Returns one page of a list, oldest or newest first, ordered by time and then by id.
 *
 * @throws {AppError} `INPUT_INVALID` for an invalid limit or cursor.
 */
export function selectPage<Item extends ListPosition>(
  items: readonly Item[],
  { limit, cursor = '' }: PageQuery,
  order: 'oldest' | 'newest',
): { readonly rows: readonly Item[]; readonly hasMore: boolean } {
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw invalidInputError('limit', limit, `a whole number from 1 to ${LIMIT_MAX}`);
  }
  const sign = order === 'oldest' ? 1 : -1;
  const sorted = [...items].sort((one, other) => sign * comparePositions(one, other));
  const after = parseCursor(cursor);
  const rest =
    after === undefined ? sorted : sorted.filter((it) => sign * comparePositions(it, after) > 0);
  return { rows: rest.slice(0, limit), hasMore: rest.length > limit };
}

/** Loads the items of a page, each with its cursor. */
export async function loadPage<Row extends ListPosition, Item>(
  { rows, hasMore }: { readonly rows: readonly Row[]; readonly hasMore: boolean },
  read: (id: string) => Promise<Item>,
): Promise<Paged<Item>> {
  const items = await Promise.all(
    rows.map(async ({ id, createdAt }) => ({ item: await read(id), cursor: `${createdAt}.${id}` })),
  );
  return { items, hasMore };
}

/** Creates the error for an invalid input. */
export function invalidInputError(path: string, received: unknown, allowed: string): AppError {
  const shown = (JSON.stringify(received) ?? 'nothing').slice(0, 200);
  const message = `${path}: received ${shown}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}

/** Creates the error for an unknown resource. */
export function unknownResourceError(received: string): AppError {
  const message = `No resource has the id ${JSON.stringify(received.slice(0, 80))}.`;
  return new AppError('RESOURCE_UNKNOWN', {
    message,
    data: { received: received.slice(0, 80) },
  });
}

function comparePositions(one: ListPosition, other: ListPosition): number {
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

function parseCursor(cursor: string): ListPosition | undefined {
  if (cursor === '') return undefined;
  const [, at, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) {
    throw invalidInputError('cursor', cursor.slice(0, 80), 'a cursor of the previous page');
  }
  return { id, createdAt: Number(at) };
}
