import type { PanelResult } from '../panel/definition.ts';
import { headlineOf } from '../panel/lines.ts';
import { quoteText, readableLine } from '../readable.ts';
import { ArbitrationResult } from './result.ts';

/** Words the result of an arbitration: verdict, arbiter, votes, evidence, dissent. */
export function resultLines(given: PanelResult): readonly string[] {
  const result = ArbitrationResult.parse(given);
  const { winner, payload: verdict, file, dissent, flipped } = result;
  const items = file?.items ?? [];
  const refused = items.filter(({ is_admitted }) => !is_admitted).length;
  return [
    headlineOf(given, winner?.name ?? ''),
    ...(verdict === null
      ? []
      : [
          `Arbiter: ${verdict.arbiter}. ${effectText(verdict.effect, verdict.in_favour_of)}`,
          `Votes: upheld ${verdict.votes.upheld}, overturned ${verdict.votes.overturned}, ` +
            `${flipped.length} changed with the order of the sides and abstain ` +
            `(${verdict.votes.seats} seats)`,
        ]),
    ...(file === null
      ? []
      : [
          `Evidence: ${items.length} pieces, ${refused} not admitted, at most ${file.word_cap} ` +
            `words a side; root ${file.evidence_root}`,
          ...file.findings.map(({ rule_id, text }) => `${rule_id}: ${readableLine(text)}`),
        ]),
    ...dissent.map(
      ({ seat, position, reason }) =>
        `Dissent: ${seat} for ${readableLine(position.name)}: ${quoteText(reason)}`,
    ),
  ];
}

function effectText(effect: string, inFavourOf: string | null): string {
  if (inFavourOf === null) return 'Nothing changes.';
  return effect === 'decides_escrow'
    ? `The escrow pays the ${inFavourOf}.`
    : `It is in favour of the ${inFavourOf}, and evidence only: no money moves by it.`;
}
