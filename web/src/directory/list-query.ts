import { consoleUrl, navigate } from '../shell/router.ts';
import type { Filter } from './directory.ts';
import { DEFAULT_SORT, formatSort, parseSort, type Sort } from './sort.ts';

/** Filter and order of the list, as encoded in its URL. */
export interface ListQuery {
  readonly filter: Filter;
  readonly sort: Sort;
}

/** Parses filter and order from a query. */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const [kind, state, status] = [query.get('kind'), query.get('state'), query.get('status')];
  const text = query.get('q');
  return {
    filter: {
      ...(kind ? { kind } : {}),
      ...(state ? { state } : {}),
      ...(status ? { status } : {}),
      ...(text ? { text } : {}),
    },
    sort: parseSort(query.get('sort')),
  };
}

/** Returns the URL of the list with a filter and order. */
export function listUrl({ filter, sort }: ListQuery): string {
  const { text, ...rest } = filter;
  const isUsual = formatSort(sort) === formatSort(DEFAULT_SORT);
  return consoleUrl(['actors'], { ...rest, q: text, sort: isUsual ? undefined : formatSort(sort) });
}

/** Writes filter and order to the address bar, so that a reload or a link restores them. */
export function storeListQuery(wish: ListQuery): void {
  navigate(listUrl(wish), { replace: true });
}
