import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** Where all addresses of the console begin. */
export const BASE = '/console/';

/** An address inside the console, taken apart. */
export interface Place {
  /** Parts of the path behind the base, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const href = signal(currentHref());

/** Where the page is. */
export const place: ReadonlySignal<Place> = computed(() => placeOf(href.value));

/** Takes an address of the form `/console/actor/<id>?at=12` apart. */
export function placeOf(address: string): Place {
  const url = new URL(address, 'http://console.invalid');
  const path = url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length) : '';
  return {
    parts: path.split('/').filter(Boolean).map(decodePart),
    query: url.searchParams,
  };
}

/** Members of a query; those that are not set are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Writes the address of a page, its parts encoded. */
export function addressOf(parts: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const tail = search.size === 0 ? '' : `?${search}`;
  return `${BASE}${parts.map(encodePart).join('/')}${tail}`;
}

/** Goes to an address; `replace` leaves no step back, for positions inside a page. */
export function go(
  address: string,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  href.value = currentHref();
}

/**
 * Lets links inside the console change the page without a load, and follows the back button.
 *
 * @returns Stops it.
 */
export function followLinks(target: Document): () => void {
  const clicked = (event: MouseEvent): void => {
    const address = addressOfClick(event);
    if (address === null) return;
    event.preventDefault();
    go(address);
  };
  const moved = (): void => {
    href.value = currentHref();
  };
  target.addEventListener('click', clicked);
  addEventListener('popstate', moved);
  return () => {
    target.removeEventListener('click', clicked);
    removeEventListener('popstate', moved);
  };
}

function addressOfClick(event: MouseEvent): string | null {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  if (!isPlain || event.altKey || event.defaultPrevented) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null;
  const isOurs = link.origin === location.origin && link.pathname.startsWith(BASE);
  const isFile =
    /\.\w+$/.test(link.pathname) || link.getAttribute('href')?.startsWith('#') === true;
  return isOurs && !isFile ? link.pathname + link.search : null;
}

function currentHref(): string {
  // Tests of pure parts load this module where there is no page.
  return typeof location === 'undefined' ? BASE : location.pathname + location.search;
}

// A dot would make the server take the end of an id for a file's. Browsers take a part of dots
// alone for a step in the tree, encoded or not: a mark stands before those, and before itself.
function encodePart(part: string): string {
  const marked = /^(\.{1,2}$|~)/.test(part) ? `~${part}` : part;
  return encodeURIComponent(marked).replaceAll('.', '%2E');
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replace(/^~/, '');
  } catch {
    return part;
  }
}
