import { AppError } from '../common/error.ts';
import { sha256Hex } from '../common/hash.ts';

/** A place in a list by time, the newest first, and by name (hex digits) where times are equal. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A mark behind which a next page begins. */
export interface Mark extends Place {
  /** The end of the window of the first page: what is newer belongs to a scan of its own. */
  readonly until: number;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; `null` on the last. */
  readonly next: string | null;
}

const WRITTEN = /^([0-9a-f]{16})[.](\d{1,15})[.](\d{1,15})[.]([0-9a-f]{1,64})$/;

/** The order of a list in pages. */
export function inOrder(one: Place, other: Place): number {
  return other.at - one.at || (one.id < other.id ? -1 : Number(one.id > other.id));
}

/** Cuts one page out of a list that is in order. `question` binds the mark to what was asked. */
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
 * Reads a mark.
 *
 * @throws {AppError} `INPUT_INVALID` for a mark that this server did not make, or made for
 * something else.
 */
export function markOf(cursor: string, question: string): Mark {
  const [, of, until, at, id = ''] = WRITTEN.exec(cursor) ?? [];
  if (of === hashOf(question)) return { until: Number(until), at: Number(at), id };
  throw new AppError('INPUT_INVALID', {
    message: 'The cursor is none of this question.',
    data: { path: 'cursor', received: cursor.slice(0, 100), allowed: 'page.next_cursor' },
  });
}

function hashOf(question: string): string {
  return sha256Hex(`stoa page v1:${question}`).slice(0, 16);
}
