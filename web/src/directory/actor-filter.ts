import { addressOf, go } from '../shell/router.ts';
import type { Filter } from './directory.ts';
import { FIRST_SORT, type Sort, sortOf, sortText } from './sort.ts';

/** Filter and order of the list, as encoded in its URL. */
export interface Wish {
  readonly filter: Filter;
  readonly sort: Sort;
}

/** Parses filter and order from a query. */
export function wishOf(query: URLSearchParams): Wish {
  const [kind, state, status] = [query.get('kind'), query.get('state'), query.get('status')];
  const text = query.get('q');
  return {
    filter: {
      ...(kind ? { kind } : {}),
      ...(state ? { state } : {}),
      ...(status ? { status } : {}),
      ...(text ? { text } : {}),
    },
    sort: sortOf(query.get('sort')),
  };
}

/** Returns the URL of the list with a filter and order. */
export function addressOfWish({ filter, sort }: Wish): string {
  const { text, ...rest } = filter;
  const isUsual = sortText(sort) === sortText(FIRST_SORT);
  return addressOf(['actors'], { ...rest, q: text, sort: isUsual ? undefined : sortText(sort) });
}

/** Writes filter and order to the address bar, so that a reload or a link restores them. */
export function keepWish(wish: Wish): void {
  go(addressOfWish(wish), { replace: true });
}
