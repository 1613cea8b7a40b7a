import { AppError } from '../common/error.ts';
import { sha256Hex } from '../common/hash.ts';

/** A position in a list that is sorted by time, newest first, and then by hexadecimal id. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A cursor after which the next page starts. */
export interface Mark extends Place {
  /** End of the time window of the first page. Newer items are not part of this list. */
  readonly until: number;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; `null` on the last page. */
  readonly next: string | null;
}

const WRITTEN = /^([0-9a-f]{16})[.](\d{1,15})[.](\d{1,15})[.]([0-9a-f]{1,64})$/;

/** Compares two items in list order. */
export function inOrder(one: Place, other: Place): number {
  return other.at - one.at || (one.id < other.id ? -1 : Number(one.id > other.id));
}

/** Returns one page of a sorted list. `question` binds the cursor to the request. */
export function pageOf<T>(
  items: readonly T[],
  placeOf: (item: T) => Place,
  cut: { readonly limit: number; readonly mark: Mark | undefined; readonly until: number } & {
    readonly question: string;
  },
): Page<T> {
  const { limit, mark, until, question } = cut;
  const rest =
    mark === undefined ? items : items.filter((item) => inOrder(placeOf(item), mark) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || rest.length <= limit) return { items: page, next: null };
  const { at, id } = placeOf(last);
  return { items: page, next: [hashOf(question), until, at, id].join('.') };
}

/**
 * Parses a cursor.
 *
 * @throws {AppError} `INPUT_INVALID` for a cursor of another server or another request.
 */
export function markOf(cursor: string, question: string): Mark {
  const [, of, until, at, id = ''] = WRITTEN.exec(cursor) ?? [];
  if (of === hashOf(question)) return { until: Number(until), at: Number(at), id };
  throw new AppError('INPUT_INVALID', {
    message: 'The cursor belongs to a different request.',
    data: { path: 'cursor', received: cursor.slice(0, 100), allowed: 'page.next_cursor' },
  });
}

function hashOf(question: string): string {
  return sha256Hex(`stoa page v1:${question}`).slice(0, 16);
}
