import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** Base path of all console URLs. */
export const BASE = '/console/';

/** A parsed console URL. */
export interface ConsoleLocation {
  /** Decoded path segments after the base. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** Properties of a page. */
export interface PageProps {
  /** Decoded path segments after the page's name, such as an id. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const href = signal(currentHref());

/** The current location. */
export const currentLocation: ReadonlySignal<ConsoleLocation> = computed(() =>
  parseUrl(href.value),
);

/** Parses a URL of the form `/console/actor/<id>?at=12`. */
export function parseUrl(address: string): ConsoleLocation {
  const url = new URL(address, 'http://console.invalid');
  const path = url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length) : '';
  return {
    parts: path.split('/').filter(Boolean).map(decodePart),
    query: url.searchParams,
  };
}

/** Query parameters; `undefined` ones are omitted. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Builds the URL of a page; encodes the parts. */
export function consoleUrl(parts: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const tail = search.size === 0 ? '' : `?${search}`;
  return `${BASE}${parts.map(encodePart).join('/')}${tail}`;
}

/** Navigates to a URL; `replace` adds no history entry, for positions inside a page. */
export function navigate(
  address: string,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  href.value = currentHref();
}

/**
 * Handles clicks on console links and the back button without a page load.
 *
 * @returns A function that removes the handlers.
 */
export function handleLinks(target: Document): () => void {
  const clicked = (event: MouseEvent): void => {
    const address = urlOfClick(event);
    if (address === null) return;
    event.preventDefault();
    navigate(address);
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

function urlOfClick(event: MouseEvent): string | null {
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
  // Unit tests load this module without a browser.
  return typeof location === 'undefined' ? BASE : location.pathname + location.search;
}

// Dots are encoded, because the server treats a path with a dot as a file. Browsers resolve the
// segments `.` and `..` even if encoded, so those get the prefix `~`, and so does `~` itself.
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
