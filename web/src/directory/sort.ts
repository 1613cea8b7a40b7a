import type { ActorRow } from '../../../src/domain/inspect/wire.ts';

/** Sortable columns of the actor list. */
export const SORT_COLUMNS = ['id', 'kind', 'state', 'status', 'seq', 'at', 'createdAt'] as const;
/** Name of a sortable column. */
export type SortColumn = (typeof SORT_COLUMNS)[number];

/** Order of the actor list. */
export interface Sort {
  readonly by: SortColumn;
  readonly isDescending: boolean;
}

/** Default order: last updated first. */
export const DEFAULT_SORT: Sort = { by: 'at', isDescending: true };

/** Formats an order for a URL: `at`, or `-at` for descending. */
export function formatSort({ by, isDescending }: Sort): string {
  return isDescending ? `-${by}` : by;
}

/** Parses an order from a URL; invalid text gives {@link DEFAULT_SORT}. */
export function parseSort(text: string | null): Sort {
  const name = text?.replace(/^-/, '');
  const by = SORT_COLUMNS.find((column) => column === name);
  return by === undefined ? DEFAULT_SORT : { by, isDescending: text?.startsWith('-') === true };
}

/** Returns the order after a press on a column header; times and counts start descending. */
export function nextSort(current: Sort, by: SortColumn): Sort {
  if (current.by === by) return { by, isDescending: !current.isDescending };
  return { by, isDescending: by === 'at' || by === 'createdAt' || by === 'seq' };
}

/** Creates a comparator for rows; ties are broken by id, so that the order is total. */
export function createComparator({
  by,
  isDescending,
}: Sort): (left: ActorRow, right: ActorRow) => number {
  const sign = isDescending ? -1 : 1;
  return (left, right) => {
    const [one, other] = [left[by], right[by]];
    if (one < other) return -sign;
    if (one > other) return sign;
    return left.id < right.id ? -1 : Number(left.id > right.id);
  };
}
