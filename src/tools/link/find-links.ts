import LinkifyIt from 'linkify-it';
import { AppError } from '../../domain/common/error.ts';
import { trimEndOf } from '../../domain/common/text.ts';

/** A link with the address that stands for it. */
export interface FoundLink {
  /** As it was given or found. */
  readonly url: string;
  /** What to ask, without fragment; equal addresses are asked once. `null`: it cannot be read. */
  readonly address: URL | null;
  /** Fragments that links to this address name, without `#`, each once. */
  readonly fragments: readonly string[];
}

const START = /(?<![a-z0-9])https?:\/\//gi;
// What the finder lets stick to a link: code marks, emphasis, and the stops of Chinese text.
const STOP = /[`。，、；：！？（）【】「」『』《》“”]/;
/** Longest link that is found, in characters; longer ones are cut and fail as they would be. */
const PIECE_CHARS = 2_048;
/** Most beginnings of links that are looked at in one text. */
const STARTS_MAX = 1_000;

// Only what says http(s) itself: guessing would take `README.md` for a host in Moldova.
const finder = new LinkifyIt({}, { fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  .add('ftp:', null)
  .add('mailto:', null)
  .add('//', null);

/**
 * Finds the http and https links of a text in any markup, each address once, in order.
 *
 * @param most - Stops once it has found more distinct links than this.
 * @throws {AppError} `INPUT_INVALID` when the text begins links without end.
 */
export function findLinks(text: string, most: number): readonly FoundLink[] {
  const found = new Set<string>();
  let end = 0;
  let starts = 0;
  for (const { index } of text.matchAll(START)) {
    // What lies inside a link that was found, as in an archive's address, is no link of its own.
    if (index < end) continue;
    starts += 1;
    if (starts > STARTS_MAX) {
      const message = `The text begins more than ${STARTS_MAX} links; split the call.`;
      throw new AppError('INPUT_INVALID', { message, data: { allowed: STARTS_MAX } });
    }
    // The finder takes time that grows with the square of what it is given, so it gets one piece.
    const link = finder.matchAtStart(text.slice(index, index + PIECE_CHARS));
    if (link === null) continue;
    const url = withoutTail(link.raw);
    end = index + url.length;
    found.add(url);
    if (found.size > most) break;
  }
  return toLinks([...found]);
}

function withoutTail(raw: string): string {
  const stop = raw.search(STOP);
  return stop === -1 ? trimEndOf(raw, '*~') : raw.slice(0, stop);
}

/** Makes links of given addresses, each once, in order. */
export function toLinks(urls: readonly string[]): readonly FoundLink[] {
  return joinLinks(
    urls.map((url) => {
      const address = parse(url);
      const fragment = address?.hash.slice(1) ?? '';
      if (address !== null) address.hash = '';
      return { url, address, fragments: fragment === '' ? [] : [fragment] };
    }),
  );
}

/** Makes one link of those that name the same address, with the fragments of all. */
export function joinLinks(links: readonly FoundLink[]): readonly FoundLink[] {
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
