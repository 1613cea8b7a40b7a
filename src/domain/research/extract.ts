import type { Chosen } from './choose.ts';
import { likeness, SAME_SHARE, stemsIn } from './choose.ts';
import type { DraftClaim } from './gate.ts';

/** Id of the part that summarizes the others. */
export const SUMMARY = 'summary';
/** Maximum number of claims per part. */
export const PART_CLAIMS_MAX = 4;
/** Maximum number of claims in a summary. */
export const SUMMARY_CLAIMS_MAX = 5;

/** A selected passage with its name. */
export interface NamedPassage extends Chosen {
  readonly name: string;
}

/** The passages selected for one part. */
export interface ChosenPart {
  readonly id: string;
  readonly chosen: readonly NamedPassage[];
}

/** Writes a brief without a model, from the best passages of each part, verbatim. */
export function extractClaims(parts: readonly ChosenPart[]): readonly DraftClaim[] {
  const best = parts.flatMap(({ id, chosen }) =>
    chosen.slice(0, PART_CLAIMS_MAX).map((one) => claimOf(id, one)),
  );
  return [...summaryOf(parts), ...best];
}

/** Takes the best passage of each question, then the next best, until the summary is full. */
function summaryOf(parts: readonly ChosenPart[]): readonly DraftClaim[] {
  const questions = parts.filter(({ id }) => /^q\d+$/.test(id));
  const ranks = Array.from({ length: PART_CLAIMS_MAX }, (_, rank) => rank);
  const taken: NamedPassage[] = [];
  for (const one of ranks.flatMap((rank) =>
    questions.flatMap(({ chosen }) => chosen[rank] ?? []),
  )) {
    const bag = stemsIn(one.passage.text);
    const isSaid = taken.some(
      ({ name, passage }) =>
        name === one.name || likeness(bag, stemsIn(passage.text)) >= SAME_SHARE,
    );
    if (!isSaid && taken.length < SUMMARY_CLAIMS_MAX) taken.push(one);
  }
  return taken.map((one) => claimOf(SUMMARY, one));
}

function claimOf(part: string, { name, passage }: NamedPassage): DraftClaim {
  return { part, text: passage.text, cites: [{ passage: name, quote: passage.text }] };
}
