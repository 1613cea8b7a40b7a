import type { ActorRow } from '../../../src/domain/inspect/wire.ts';

/** Columns that actors can be sorted by. */
export const SORT_COLUMNS = ['id', 'kind', 'state', 'status', 'seq', 'at', 'createdAt'] as const;
/** See {@link SORT_COLUMNS}. */
export type SortColumn = (typeof SORT_COLUMNS)[number];

/** The order of the list. */
export interface Sort {
  readonly by: SortColumn;
  readonly isDescending: boolean;
}

/** What has moved last comes first. */
export const FIRST_SORT: Sort = { by: 'at', isDescending: true };

/** Writes an order into an address: `at`, or `-at` for the falling one. */
export function sortText({ by, isDescending }: Sort): string {
  return isDescending ? `-${by}` : by;
}

/** Reads an order out of an address; anything else is {@link FIRST_SORT}. */
export function sortOf(text: string | null): Sort {
  const name = text?.replace(/^-/, '');
  const by = SORT_COLUMNS.find((column) => column === name);
  return by === undefined ? FIRST_SORT : { by, isDescending: text?.startsWith('-') === true };
}

/** The order that a press on a column's head asks for: times and counts begin with the largest. */
export function turnedSort(current: Sort, by: SortColumn): Sort {
  if (current.by === by) return { by, isDescending: !current.isDescending };
  return { by, isDescending: by === 'at' || by === 'createdAt' || by === 'seq' };
}

/** Compares two rows; equal ones stand by their ids, so that an order is the only one. */
export function comparing({ by, isDescending }: Sort): (left: ActorRow, right: ActorRow) => number {
  const sign = isDescending ? -1 : 1;
  return (left, right) => {
    const [one, other] = [left[by], right[by]];
    if (one < other) return -sign;
    if (one > other) return sign;
    return left.id < right.id ? -1 : Number(left.id > right.id);
  };
}
