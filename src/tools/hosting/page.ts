import type { Paged } from '../../domain/hosting/hosting.ts';

/** Where a list goes on, as it stands in an answer. */
export interface More {
  readonly hasMore: boolean;
  readonly cursor?: string;
}

/**
 * The rows of a page, and where it goes on.
 *
 * @param when - `also_last` gives a cursor behind the last row too: events that come later, or that
 * are older than the first page reached, follow it.
 */
export function pageOf<Item>(page: Paged<Item>, when: 'if_more' | 'also_last' = 'if_more') {
  const items = page.items.map(({ item }) => item);
  const cursor = page.items.at(-1)?.cursor;
  const isNamed = cursor !== undefined && (page.hasMore || when === 'also_last');
  const more: More = { hasMore: page.hasMore, ...(isNamed ? { cursor } : {}) };
  return { items, more };
}

/** The first line of a list: how many, of what, and whether there is more. */
export function countLine(count: number, what: string, of: string, more: More): string {
  const rest = more.hasMore ? `; there are more: pass cursor ${more.cursor}` : '';
  return `${count} ${what} of ${of}${rest}.`;
}
