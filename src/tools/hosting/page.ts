import type { Paged } from '../../domain/hosting/hosting.ts';

/** The paging members of an answer. */
export interface Paging {
  readonly hasMore: boolean;
  readonly cursor?: string;
}

/**
 * Returns the rows of a page and its paging members.
 *
 * @param when - `also_last` returns a cursor on the last page too, because later events, or events
 * older than the default window of the first page, can follow it.
 */
export function toPage<Item>(page: Paged<Item>, when: 'if_more' | 'also_last' = 'if_more') {
  const items = page.items.map(({ item }) => item);
  const cursor = page.items.at(-1)?.cursor;
  const isNamed = cursor !== undefined && (page.hasMore || when === 'also_last');
  const more: Paging = { hasMore: page.hasMore, ...(isNamed ? { cursor } : {}) };
  return { items, more };
}

/** Returns the first line of a list: the count, the kind of rows, and whether more follow. */
export function formatCount(count: number, what: string, of: string, more: Paging): string {
  const rest = more.hasMore ? `; for more, pass cursor ${more.cursor}` : '';
  return `${count} ${what} of ${of}${rest}.`;
}
