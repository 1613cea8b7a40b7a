import LinkifyIt from 'linkify-it';

/** A link with the address that stands for it. */
export interface FoundLink {
  /** As it was given or found. */
  readonly url: string;
  /** What to ask, without fragment; equal addresses are asked once. `null`: it cannot be read. */
  readonly address: URL | null;
}

// Only what says http(s) itself: guessing would take `README.md` for a host in Moldova.
const finder = new LinkifyIt({}, { fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  .add('ftp:', null)
  .add('mailto:', null)
  .add('//', null);

/** Finds the http and https links of a text in any markup, each address once, in order. */
export function findLinks(text: string): readonly FoundLink[] {
  // A backtick is no boundary to the finder, and emphasis may stick to a link's end.
  const matches = finder.match(text.replaceAll('`', ' ')) ?? [];
  return toLinks(matches.map((match) => match.raw.replace(/[*~]+$/, '')));
}

/** Makes links of given addresses, each once, in order. */
export function toLinks(urls: readonly string[]): readonly FoundLink[] {
  const found = new Map<string, FoundLink>();
  for (const url of urls) {
    const address = parse(url);
    const key = address?.href ?? url;
    if (!found.has(key)) found.set(key, { url, address });
  }
  return [...found.values()];
}

function parse(url: string): URL | null {
  if (!URL.canParse(url)) return null;
  const address = new URL(url);
  address.hash = '';
  return address;
}
