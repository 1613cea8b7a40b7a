import { splitWords, stemWord } from '../news/topic.ts';
import type { ResearchDocument } from './document.ts';
import type { Passage } from './passage.ts';
import type { ResearchPart } from './plan.ts';
import { rankPassages } from './rank.ts';

/** Maximum number of passages per part. */
export const PART_PASSAGES_MAX = 8;
/** Maximum number of passages of one document per part. */
export const DOCUMENT_PASSAGES_MAX = 3;
/** Minimum share of topic words in title and passage together. */
export const TOPIC_SHARE = 0.6;
/** Minimum share of a question's own words in the passage. */
export const SPECIFIC_SHARE = 0.34;
/** Share of common words from which two passages count as duplicates. */
export const DUPLICATE_SHARE = 0.7;

/** A passage selected for a part. */
export interface SelectedPassage {
  readonly passage: Passage;
  readonly score: number;
}

/**
 * A passage with the word stems of its text and of its document's title, computed once for all
 * parts.
 */
export interface IndexedPassage {
  readonly passage: Passage;
  readonly said: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
  /** Whether it is from a discussion. Such passages rank after published ones. */
  readonly isOpinion: boolean;
}

/** Computes the word stems of the passages of a document. */
export function indexPassages(
  passages: readonly Passage[],
  { title, kind }: Pick<ResearchDocument, 'title' | 'kind'>,
): readonly IndexedPassage[] {
  const shared = { around: collectStems(title), isOpinion: kind === 'discussion' };
  return passages.map((passage) => ({ passage, said: collectStems(passage.text), ...shared }));
}

/** Selects the passages for a part of the question, best first; empty if none matches. */
export function selectPassages(
  part: ResearchPart,
  library: readonly IndexedPassage[],
): readonly SelectedPassage[] {
  const counts = new Map<string, number>();
  const chosen: SelectedPassage[] = [];
  const selectedStems: ReadonlySet<string>[] = [];
  for (const { passage, score } of rankMatching(part, library)) {
    const count = counts.get(passage.document) ?? 0;
    const stems = collectStems(passage.text);
    const isDuplicate = selectedStems.some(
      (known) => computeSimilarity(stems, known) >= DUPLICATE_SHARE,
    );
    if (count >= DOCUMENT_PASSAGES_MAX || isDuplicate) continue;
    counts.set(passage.document, count + 1);
    chosen.push({ passage, score });
    selectedStems.push(stems);
    if (chosen.length >= PART_PASSAGES_MAX) break;
  }
  return chosen;
}

/** Ranks the matching passages, best first, with opinions last. */
function rankMatching(
  part: ResearchPart,
  library: readonly IndexedPassage[],
): readonly SelectedPassage[] {
  const fitting = library.filter((one) => matchesPart(part, one));
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

/** Returns the share of words that two sets have in common (Jaccard index). */
export function computeSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.max(1, one.size + other.size - shared);
}

/** Returns the distinct word stems of a text. */
export function collectStems(text: string): ReadonlySet<string> {
  return new Set(splitWords(text).map(stemWord));
}

function matchesPart(
  { topic, specific, cue }: ResearchPart,
  { passage, said, around }: IndexedPassage,
): boolean {
  if (cue !== null && !cue.test(passage.text)) return false;
  const topicMatches = topic.filter((stem) => said.has(stem) || around.has(stem)).length;
  if (topicMatches < Math.ceil(topic.length * TOPIC_SHARE)) return false;
  const ownStems = specific.length > 0 ? specific : topic;
  const needed = cue === null ? Math.max(1, Math.ceil(specific.length * SPECIFIC_SHARE)) : 0;
  return ownStems.filter((stem) => said.has(stem)).length >= needed;
}
