import { sha256Hex } from '../common/hash.ts';
import { trimEndOf } from '../common/text.ts';
import { HOUR_MS } from '../common/time.ts';
import { stemOf, wordsOf } from './topic.ts';

/** Minimum share of words that two headlines of one story have in common. */
export const SAME_STORY_SHARE = 0.6;
/** Minimum number of words for a comparison of headlines. */
export const COMPARED_WORDS_MIN = 4;
/** Maximum time between two reports of one story, in milliseconds. */
export const SAME_STORY_MS = 48 * HOUR_MS;

/** A report of one domain. */
export interface Report {
  readonly domain: string;
  readonly url: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

/** Reports of one story: the earliest and the others in chronological order. */
export interface Story<R extends Report> {
  /** Derived from the URL of the earliest report, so that it is the same in every scan. */
  readonly id: string;
  readonly lead: R;
  readonly others: readonly R[];
}

/** Normalizes a URL and removes tracking parameters, so that variants of one page compare equal. */
export function canonicalUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) {
    if (VISITOR_MARKS.test(name)) url.searchParams.delete(name);
  }
  url.searchParams.sort();
  const path = url.pathname.length > 1 ? trimEndOf(url.pathname, '/') : url.pathname;
  return `${url.host.replace(/^www\./, '')}${path}${url.search}`;
}

const VISITOR_MARKS = /^(utm_\w+|at_\w+|fbclid|gclid|cmpid|ocid|ref|source|mc_[ce]id|guccounter)$/i;

/**
 * Groups reports by story: the same URL, or headlines within two days that share most of their
 * words. The result does not depend on the input order.
 */
export function storiesOf<R extends Report>(reports: readonly R[]): readonly Story<R>[] {
  const ordered = [...reports].sort(byTime);
  const byUrl = new Map<string, Draft<R>>();
  const byWord = new Map<string, Draft<R>[]>();
  const drafts: Draft<R>[] = [];
  for (const report of ordered) {
    const key = canonicalUrl(report.url);
    const words = headlineWords(report.title);
    const draft = byUrl.get(key) ?? alike(report, words, byWord);
    if (draft === undefined) {
      const begun = { lead: report, words, others: [] };
      drafts.push(begun);
      byUrl.set(key, begun);
      for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), begun]);
    } else {
      byUrl.set(key, draft);
      draft.others.push(report);
    }
  }
  return drafts.map(({ lead, others }) => ({ id: storyId(lead.url), lead, others }));
}

/** Derives the id of a story from the URL of its earliest report. */
export function storyId(url: string): string {
  return sha256Hex(canonicalUrl(url)).slice(0, 16);
}

interface Draft<R> {
  readonly lead: R;
  readonly words: ReadonlySet<string>;
  readonly others: R[];
}

function byTime(one: Report, other: Report): number {
  return one.publishedAt - other.publishedAt || (one.url < other.url ? -1 : 1);
}

function headlineWords(title: string): ReadonlySet<string> {
  return new Set(
    wordsOf(title)
      .filter((word) => word.length > 2)
      .map(stemOf),
  );
}

function alike<R extends Report>(
  { publishedAt }: Report,
  words: ReadonlySet<string>,
  byWord: ReadonlyMap<string, readonly Draft<R>[]>,
): Draft<R> | undefined {
  if (words.size < COMPARED_WORDS_MIN) return undefined;
  const shared = new Map<Draft<R>, number>();
  for (const word of words) {
    for (const draft of byWord.get(word) ?? []) shared.set(draft, (shared.get(draft) ?? 0) + 1);
  }
  const [best] = [...shared]
    .filter(([draft]) => publishedAt - draft.lead.publishedAt <= SAME_STORY_MS)
    .map(([draft, count]) => ({ draft, share: count / (words.size + draft.words.size - count) }))
    .filter(({ share }) => share >= SAME_STORY_SHARE)
    .sort((one, other) => other.share - one.share);
  return best?.draft;
}
