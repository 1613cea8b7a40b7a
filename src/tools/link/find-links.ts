import LinkifyIt from 'linkify-it';
import { AppError } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';

/** A link with its parsed address. */
export interface FoundLink {
  /** The link as given or found. */
  readonly url: string;
  /** Address to request, without fragment; `null` if it cannot be parsed. */
  readonly address: URL | null;
  /** Distinct fragments of the links to this address, without `#`. */
  readonly fragments: readonly string[];
}

const START = /(?<![a-z0-9])https?:\/\//gi;
// Characters that the finder wrongly includes in a link: code marks and Chinese punctuation.
const STOP_CHARS = /[`。，、；：！？（）【】「」『』《》“”]/;
/** Maximum characters of a link; longer links are cut, and fail. */
const PIECE_CHARS = 2_048;
/** Maximum number of link starts that are examined in one text. */
const STARTS_MAX = 1_000;

// Only explicit http(s) links: guessing would take `README.md` for a host in Moldova.
const finder = new LinkifyIt({}, { fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  .add('ftp:', null)
  .add('mailto:', null)
  .add('//', null);

/**
 * Finds the distinct http and https links of a text in any markup, in order.
 *
 * @param most - Stops once it has found more distinct links than this.
 * @throws {AppError} `INPUT_INVALID` if the text has too many link starts.
 */
export function findLinks(text: string, most: number): readonly FoundLink[] {
  const found = new Set<string>();
  let end = 0;
  let starts = 0;
  for (const { index } of text.matchAll(START)) {
    // A URL inside a link, as in the address of a web archive, is not a separate link.
    if (index < end) continue;
    starts += 1;
    if (starts > STARTS_MAX) {
      const message = `The text starts more than ${STARTS_MAX} links. Split the call.`;
      throw new AppError('INPUT_INVALID', { message, data: { allowed: STARTS_MAX } });
    }
    // The finder takes quadratic time in the length of its input, so it gets one piece.
    const link = finder.matchAtStart(text.slice(index, index + PIECE_CHARS));
    if (link === null) continue;
    const url = trimTail(link.raw);
    end = index + url.length;
    found.add(url);
    if (found.size > most) break;
  }
  return toLinks([...found]);
}

function trimTail(raw: string): string {
  const stop = raw.search(STOP_CHARS);
  return stop === -1 ? trimEndChars(raw, '*~') : raw.slice(0, stop);
}

/** Converts given URLs to distinct links, in order. */
export function toLinks(urls: readonly string[]): readonly FoundLink[] {
  return mergeLinks(
    urls.map((url) => {
      const address = parse(url);
      const fragment = address?.hash.slice(1) ?? '';
      if (address !== null) address.hash = '';
      return { url, address, fragments: fragment === '' ? [] : [fragment] };
    }),
  );
}

/** Merges links with the same address, with the fragments of all. */
export function mergeLinks(links: readonly FoundLink[]): readonly FoundLink[] {
  const found = new Map<string, FoundLink>();
  for (const link of links) {
    const key = link.address?.href ?? link.url;
    const known = found.get(key);
    const fragments = [...new Set([...(known?.fragments ?? []), ...link.fragments])];
    found.set(key, { ...(known ?? link), fragments });
  }
  return [...found.values()];
}

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}
