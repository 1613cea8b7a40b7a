import { stemOf, wordsOf } from '../news/topic.ts';
import type { ResearchDocument } from './document.ts';
import type { Passage } from './passage.ts';
import type { ResearchPart } from './plan.ts';
import { rankPassages } from './rank.ts';

/** Passages that are chosen for one part at the most. */
export const PART_PASSAGES_MAX = 8;
/** Passages of one document in one part at the most. */
export const DOCUMENT_PASSAGES_MAX = 3;
/** Share of the topic's words that title and passage hold together. */
export const TOPIC_SHARE = 0.6;
/** Share of a question's own words that the passage holds. */
export const SPECIFIC_SHARE = 0.34;
/** From this share of common words on two passages say the same. */
export const SAME_SHARE = 0.7;

/** A passage that was chosen for a part. */
export interface Chosen {
  readonly passage: Passage;
  readonly score: number;
}

/** A passage with its words and those of its document's title, taken apart once for all parts. */
export interface ReadPassage {
  readonly passage: Passage;
  readonly said: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
  /** What people say in a discussion; it comes after what was published. */
  readonly isOpinion: boolean;
}

/** Takes the passages of one document apart. */
export function readPassages(
  passages: readonly Passage[],
  { title, kind }: Pick<ResearchDocument, 'title' | 'kind'>,
): readonly ReadPassage[] {
  const place = { around: stemsIn(title), isOpinion: kind === 'discussion' };
  return passages.map((passage) => ({ passage, said: stemsIn(passage.text), ...place }));
}

/** The passages that speak to a part of the question, the best first; none where none does. */
export function choosePassages(
  part: ResearchPart,
  library: readonly ReadPassage[],
): readonly Chosen[] {
  const counts = new Map<string, number>();
  const chosen: Chosen[] = [];
  const bags: ReadonlySet<string>[] = [];
  for (const { passage, score } of ranked(part, library)) {
    const count = counts.get(passage.document) ?? 0;
    const bag = stemsIn(passage.text);
    const isSaid = bags.some((known) => likeness(bag, known) >= SAME_SHARE);
    if (count >= DOCUMENT_PASSAGES_MAX || isSaid) continue;
    counts.set(passage.document, count + 1);
    chosen.push({ passage, score });
    bags.push(bag);
    if (chosen.length >= PART_PASSAGES_MAX) break;
  }
  return chosen;
}

/** Those that fit, the best first; opinions after all others. */
function ranked(part: ResearchPart, library: readonly ReadPassage[]): readonly Chosen[] {
  const fitting = library.filter((one) => isFitting(part, one));
  const opinions = new Set(fitting.filter((one) => one.isOpinion).map(({ passage }) => passage));
  const all = rankPassages(
    fitting.map(({ passage }) => passage),
    part.query,
  );
  return [
    ...all.filter(({ passage }) => !opinions.has(passage)),
    ...all.filter(({ passage }) => opinions.has(passage)),
  ];
}

/** Share of words that two sets have in common. */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.max(1, one.size + other.size - shared);
}

/** The stems of a text's words, each once. */
export function stemsIn(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).map(stemOf));
}

function isFitting(
  { topic, specific, cue }: ResearchPart,
  { passage, said, around }: ReadPassage,
): boolean {
  if (cue !== null && !cue.test(passage.text)) return false;
  const about = topic.filter((stem) => said.has(stem) || around.has(stem)).length;
  if (about < Math.ceil(topic.length * TOPIC_SHARE)) return false;
  const own = specific.length > 0 ? specific : topic;
  const needed = cue === null ? Math.max(1, Math.ceil(specific.length * SPECIFIC_SHARE)) : 0;
  return own.filter((stem) => said.has(stem)).length >= needed;
}
