import { sha256Hex } from '../common/hash.ts';
import { trimEndChars } from '../common/text.ts';
import { HOUR_MS } from '../common/time.ts';
import { splitWords, stemWord } from './topic.ts';

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
export function canonicalizeUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) {
    if (TRACKING_PARAMETERS.test(name)) url.searchParams.delete(name);
  }
  url.searchParams.sort();
  const path = url.pathname.length > 1 ? trimEndChars(url.pathname, '/') : url.pathname;
  return `${url.host.replace(/^www\./, '')}${path}${url.search}`;
}

const TRACKING_PARAMETERS =
  /^(utm_\w+|at_\w+|fbclid|gclid|cmpid|ocid|ref|source|mc_[ce]id|guccounter)$/i;

/**
 * Groups reports by story: the same URL, or headlines within two days that share most of their
 * words. The result does not depend on the input order.
 */
export function groupStories<R extends Report>(reports: readonly R[]): readonly Story<R>[] {
  const ordered = [...reports].sort(compareByTime);
  const byUrl = new Map<string, StoryDraft<R>>();
  const byWord = new Map<string, StoryDraft<R>[]>();
  const drafts: StoryDraft<R>[] = [];
  for (const report of ordered) {
    const key = canonicalizeUrl(report.url);
    const words = headlineWords(report.title);
    const draft = byUrl.get(key) ?? findSimilar(report, words, byWord);
    if (draft === undefined) {
      const newDraft = { lead: report, words, others: [] };
      drafts.push(newDraft);
      byUrl.set(key, newDraft);
      for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), newDraft]);
    } else {
      byUrl.set(key, draft);
      draft.others.push(report);
    }
  }
  return drafts.map(({ lead, others }) => ({ id: deriveStoryId(lead.url), lead, others }));
}

/** Derives the id of a story from the URL of its earliest report. */
export function deriveStoryId(url: string): string {
  return sha256Hex(canonicalizeUrl(url)).slice(0, 16);
}

interface StoryDraft<R> {
  readonly lead: R;
  readonly words: ReadonlySet<string>;
  readonly others: R[];
}

function compareByTime(one: Report, other: Report): number {
  return one.publishedAt - other.publishedAt || (one.url < other.url ? -1 : 1);
}

function headlineWords(title: string): ReadonlySet<string> {
  return new Set(
    splitWords(title)
      .filter((word) => word.length > 2)
      .map(stemWord),
  );
}

function findSimilar<R extends Report>(
  { publishedAt }: Report,
  words: ReadonlySet<string>,
  byWord: ReadonlyMap<string, readonly StoryDraft<R>[]>,
): StoryDraft<R> | undefined {
  if (words.size < COMPARED_WORDS_MIN) return undefined;
  const shared = new Map<StoryDraft<R>, number>();
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
