import { AHEAD_MAX_MS } from '../market/reference.ts';
import { canonicalUrl } from '../news/story.ts';
import { folded, isAbout, type Topic } from '../news/topic.ts';
import type { Opinion } from './opinion-channels.ts';

/** Maximum number of counted texts per author, so that one author cannot dominate. */
export const AUTHOR_TEXTS_MAX = 3;
/** Number of characters compared to detect copies. */
const COMPARED_CHARS = 280;

/** Numbers of excluded texts by reason. */
export interface Excluded {
  readonly off_topic: number;
  readonly outside_window: number;
  readonly duplicates: number;
  readonly bots: number;
  readonly other_language: number;
  readonly same_author: number;
}

/** Filter criteria. Times are milliseconds since 1970. */
export interface SiftOrder {
  readonly topic: Topic;
  readonly from: number;
  readonly now: number;
}

/**
 * Filters posts: on topic, within the time range, in English, without duplicates, and at most a few
 * per author.
 */
export function siftOpinions(
  opinions: readonly Opinion[],
  { topic, from, now }: SiftOrder,
): { readonly kept: readonly Opinion[]; readonly excluded: Excluded } {
  const excluded = {
    ...{ off_topic: 0, outside_window: 0, duplicates: 0 },
    ...{ bots: 0, other_language: 0, same_author: 0 },
  };
  const seen = new Set<string>();
  const byAuthor = new Map<string, number>();
  const kept: Opinion[] = [];
  const reasonAgainst = (opinion: Opinion): keyof Excluded | undefined => {
    const unfit = unfitness(opinion, { topic, from, now });
    if (unfit !== undefined) return unfit;
    const marks = [canonicalUrl(opinion.url), copyMark(opinion.text)];
    const isSeen = marks.some((mark) => seen.has(mark));
    for (const mark of marks) seen.add(mark);
    if (isSeen) return 'duplicates';
    if (opinion.author === null) return undefined;
    const count = (byAuthor.get(opinion.author) ?? 0) + 1;
    byAuthor.set(opinion.author, count);
    return count > AUTHOR_TEXTS_MAX ? 'same_author' : undefined;
  };
  for (const opinion of [...opinions].sort(byTime)) {
    const reason = reasonAgainst(opinion);
    if (reason === undefined) kept.push(opinion);
    else excluded[reason] += 1;
  }
  return { kept, excluded };
}

/** Returns why a text is excluded, regardless of other texts. */
function unfitness(opinion: Opinion, { topic, from, now }: SiftOrder): keyof Excluded | undefined {
  const { isBot, publishedAt, text } = opinion;
  if (publishedAt < from || publishedAt > now + AHEAD_MAX_MS) return 'outside_window';
  if (isBot) return 'bots';
  if (!isEnglish(opinion)) return 'other_language';
  return isAbout(text, topic) ? undefined : 'off_topic';
}

function byTime(one: Opinion, other: Opinion): number {
  return other.publishedAt - one.publishedAt || (one.url < other.url ? -1 : 1);
}

function copyMark(text: string): string {
  const words = folded(text.replaceAll(/https?:\/\/\S+/g, ' '));
  return `text ${words.slice(0, COMPARED_CHARS)}`;
}

/** Uses the declared language, or else whether most letters are Latin. */
function isEnglish({ lang, text }: Opinion): boolean {
  if (lang !== null) return lang.toLowerCase().startsWith('en');
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /[a-z]/i.test(letter));
  return letters.length === 0 || latin.length / letters.length > 0.8;
}
