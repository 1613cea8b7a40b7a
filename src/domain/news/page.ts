import { AppError } from '../common/error.ts';
import { sha256Hex } from '../common/hash.ts';

/** A position in a list that is sorted by time, newest first, and then by hexadecimal id. */
export interface PageKey {
  readonly at: number;
  readonly id: string;
}

/** A cursor after which the next page starts. */
export interface PageCursor extends PageKey {
  /** End of the time window of the first page. Newer items are not part of this list. */
  readonly until: number;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; `null` on the last page. */
  readonly next: string | null;
}

const CURSOR_PATTERN = /^([0-9a-f]{16})[.](\d{1,15})[.](\d{1,15})[.]([0-9a-f]{1,64})$/;

/** Compares two items in list order. */
export function comparePageKeys(one: PageKey, other: PageKey): number {
  return other.at - one.at || (one.id < other.id ? -1 : Number(one.id > other.id));
}

/** Returns one page of a sorted list. `question` binds the cursor to the request. */
export function slicePage<T>(
  items: readonly T[],
  keyOf: (item: T) => PageKey,
  cut: { readonly limit: number; readonly mark: PageCursor | undefined; readonly until: number } & {
    readonly question: string;
  },
): Page<T> {
  const { limit, mark, until, question } = cut;
  const remaining =
    mark === undefined ? items : items.filter((item) => comparePageKeys(keyOf(item), mark) > 0);
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || remaining.length <= limit) return { items: page, next: null };
  const { at, id } = keyOf(last);
  return { items: page, next: [hashQuestion(question), until, at, id].join('.') };
}

/**
 * Parses a cursor.
 *
 * @throws {AppError} `INPUT_INVALID` for a cursor of another server or another request.
 */
export function parseCursor(cursor: string, question: string): PageCursor {
  const [, of, until, at, id = ''] = CURSOR_PATTERN.exec(cursor) ?? [];
  if (of === hashQuestion(question)) return { until: Number(until), at: Number(at), id };
  throw new AppError('INPUT_INVALID', {
    message: 'The cursor belongs to a different request.',
    data: { path: 'cursor', received: cursor.slice(0, 100), allowed: 'page.next_cursor' },
  });
}

function hashQuestion(question: string): string {
  return sha256Hex(`stoa page v1:${question}`).slice(0, 16);
}
