import type { SelectedPassage } from './select-passages.ts';
import { collectStems, computeSimilarity, DUPLICATE_SHARE } from './select-passages.ts';
import type { DraftClaim } from './validate-claims.ts';

/** Id of the part that summarizes the others. */
export const SUMMARY_PART = 'summary';
/** Maximum number of claims per part. */
export const PART_CLAIMS_MAX = 4;
/** Maximum number of claims in a summary. */
export const SUMMARY_CLAIMS_MAX = 5;

/** A selected passage with its name. */
export interface NamedPassage extends SelectedPassage {
  readonly name: string;
}

/** The passages selected for one part. */
export interface SelectedPart {
  readonly id: string;
  readonly chosen: readonly NamedPassage[];
}

/** Writes a brief without a model, from the best passages of each part, verbatim. */
export function extractClaims(parts: readonly SelectedPart[]): readonly DraftClaim[] {
  const best = parts.flatMap(({ id, chosen }) =>
    chosen.slice(0, PART_CLAIMS_MAX).map((one) => createClaim(id, one)),
  );
  return [...extractSummary(parts), ...best];
}

/** Takes the best passage of each question, then the next best, until the summary is full. */
function extractSummary(parts: readonly SelectedPart[]): readonly DraftClaim[] {
  const questions = parts.filter(({ id }) => /^q\d+$/.test(id));
  const ranks = Array.from({ length: PART_CLAIMS_MAX }, (_, rank) => rank);
  const selected: NamedPassage[] = [];
  for (const one of ranks.flatMap((rank) =>
    questions.flatMap(({ chosen }) => chosen[rank] ?? []),
  )) {
    const stems = collectStems(one.passage.text);
    const isDuplicate = selected.some(
      ({ name, passage }) =>
        name === one.name ||
        computeSimilarity(stems, collectStems(passage.text)) >= DUPLICATE_SHARE,
    );
    if (!isDuplicate && selected.length < SUMMARY_CLAIMS_MAX) selected.push(one);
  }
  return selected.map((one) => createClaim(SUMMARY_PART, one));
}

function createClaim(part: string, { name, passage }: NamedPassage): DraftClaim {
  return { part, text: passage.text, cites: [{ passage: name, quote: passage.text }] };
}
