import { quoteText, toReadableLine } from '../common/readable.ts';
import type { PanelResult, PanelResultText } from '../panel/definition.ts';
import { formatHeadline, formatReason } from '../panel/lines.ts';
import { type CaseFile, hasResponded } from './records.ts';
import { ArbitrationResult } from './result.ts';

/** Formats the result of an arbitration as text: verdict, votes, arbiter, evidence and dissent. */
export function formatArbitrationResult(given: PanelResult): PanelResultText {
  const result = ArbitrationResult.parse(given);
  const { winner, payload: verdict, file, dissent, flipped } = result;
  const items = file?.items ?? [];
  const rejectedCount = items.filter(({ is_admitted }) => !is_admitted).length;
  const details = [
    ...(verdict === null || file === null ? [] : formatSilenceNotice(file)),
    ...(file === null
      ? []
      : [
          `Evidence: ${items.length} pieces, ${rejectedCount} not admitted, ` +
            `at most ${file.word_cap} words a side; root ${file.evidence_root}`,
          ...file.findings.map(({ rule_id, text }) => `${rule_id}: ${toReadableLine(text)}`),
        ]),
    ...dissent.map(
      ({ seat, position, reason }) =>
        `Dissent: ${seat} for ${toReadableLine(position.name)}: ${quoteText(reason)}`,
    ),
  ];
  const answer = formatHeadline(given, winner?.name ?? '');
  if (verdict === null) return { answer, why: formatReason(given), details };
  const { arbiter, effect, in_favour_of: inFavourOf, votes } = verdict;
  return {
    answer: `${answer}. ${formatEffect(effect, inFavourOf)}`,
    why:
      `upheld ${votes.upheld}, overturned ${votes.overturned}, ${flipped.length} changed with ` +
      `the order of the sides and abstain (${votes.seats} seats)`,
    decidedBy: arbiter,
    details,
  };
}

/** Formats the notice about sides that did not respond. */
function formatSilenceNotice({ sides, claimant_role: claimant }: CaseFile): readonly string[] {
  const respondent = claimant === 'buyer' ? 'provider' : 'buyer';
  const silentSides = [
    ...(hasResponded(sides.claimant) ? [] : [claimant]),
    ...(hasResponded(sides.respondent) ? [] : [respondent]),
  ];
  if (silentSides.length === 0) return [];
  return [
    `Not heard: the ${silentSides.join(' and the ')}. Silence decides nothing: this verdict ` +
      'moves no money. A disputed escrow stays held until a party concedes or the operator ' +
      'decides.',
  ];
}

function formatEffect(effect: string, inFavourOf: string | null): string {
  if (inFavourOf === null) return 'Nothing changes.';
  return effect === 'decides_escrow'
    ? `The escrow pays the ${inFavourOf}.`
    : `In favour of the ${inFavourOf}, as evidence only: no money moves.`;
}
