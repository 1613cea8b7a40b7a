import { CLOCK_LEAD_MAX_MS } from '../market/reference.ts';
import { canonicalizeUrl } from '../news/story.ts';
import { matchesTopic, normalizeText, type Topic } from '../news/topic.ts';
import type { Opinion } from './opinion-channels.ts';

/** Maximum number of counted texts per author, so that one author cannot dominate. */
export const AUTHOR_TEXTS_MAX = 3;
/** Number of characters compared to detect copies. */
const COMPARED_CHARS = 280;

/** Numbers of excluded texts by reason. */
export interface ExcludedCounts {
  readonly off_topic: number;
  readonly outside_window: number;
  readonly duplicates: number;
  readonly bots: number;
  readonly other_language: number;
  readonly same_author: number;
}

/** Filter criteria. Times are milliseconds since 1970. */
export interface FilterCriteria {
  readonly topic: Topic;
  readonly from: number;
  readonly now: number;
}

/**
 * Filters posts: on topic, within the time range, in English, without duplicates, and at most a few
 * per author.
 */
export function filterOpinions(
  opinions: readonly Opinion[],
  { topic, from, now }: FilterCriteria,
): { readonly kept: readonly Opinion[]; readonly excluded: ExcludedCounts } {
  const excluded = {
    off_topic: 0,
    outside_window: 0,
    duplicates: 0,
    bots: 0,
    other_language: 0,
    same_author: 0,
  };
  const seenKeys = new Set<string>();
  const byAuthor = new Map<string, number>();
  const kept: Opinion[] = [];
  const findExclusion = (opinion: Opinion): keyof ExcludedCounts | undefined => {
    const unfit = findOwnExclusion(opinion, { topic, from, now });
    if (unfit !== undefined) return unfit;
    const keys = [canonicalizeUrl(opinion.url), copyKey(opinion.text)];
    const isDuplicate = keys.some((mark) => seenKeys.has(mark));
    for (const mark of keys) seenKeys.add(mark);
    if (isDuplicate) return 'duplicates';
    if (opinion.author === null) return undefined;
    const count = (byAuthor.get(opinion.author) ?? 0) + 1;
    byAuthor.set(opinion.author, count);
    return count > AUTHOR_TEXTS_MAX ? 'same_author' : undefined;
  };
  for (const opinion of [...opinions].sort(compareByTime)) {
    const reason = findExclusion(opinion);
    if (reason === undefined) kept.push(opinion);
    else excluded[reason] += 1;
  }
  return { kept, excluded };
}

/** Returns why a text is excluded, regardless of other texts. */
function findOwnExclusion(
  opinion: Opinion,
  { topic, from, now }: FilterCriteria,
): keyof ExcludedCounts | undefined {
  const { isBot, publishedAt, text } = opinion;
  if (publishedAt < from || publishedAt > now + CLOCK_LEAD_MAX_MS) return 'outside_window';
  if (isBot) return 'bots';
  if (!isEnglish(opinion)) return 'other_language';
  return matchesTopic(text, topic) ? undefined : 'off_topic';
}

function compareByTime(one: Opinion, other: Opinion): number {
  return other.publishedAt - one.publishedAt || (one.url < other.url ? -1 : 1);
}

function copyKey(text: string): string {
  const words = normalizeText(text.replaceAll(/https?:\/\/\S+/g, ' '));
  return `text ${words.slice(0, COMPARED_CHARS)}`;
}

/** Uses the declared language, or else whether most letters are Latin. */
function isEnglish({ lang, text }: Opinion): boolean {
  if (lang !== null) return lang.toLowerCase().startsWith('en');
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /[a-z]/i.test(letter));
  return letters.length === 0 || latin.length / letters.length > 0.8;
}
