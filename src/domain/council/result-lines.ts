import { quoteText, toReadableLine } from '../common/readable.ts';
import type { PanelResult, PanelResultText } from '../panel/definition.ts';
import { formatHeadline, formatReason } from '../panel/lines.ts';
import { CouncilResult } from './result.ts';

/** Maximum number of gaps in the text. */
const GAPS_SHOWN = 5;

/**
 * Formats a council result as text: decision, votes, numbers, red lines, conditions, dissent, gaps.
 */
export function formatCouncilResult(given: PanelResult): PanelResultText {
  const result = CouncilResult.parse(given);
  const { winner, conditions, wrong_numbers, evidence_gaps } = result;
  const isBinding = winner?.option_id === 'approve_with_conditions';
  const lines = [
    formatNumbers(result),
    ...wrong_numbers.map(
      ({ figure, stated, recomputed }) =>
        `Wrong number: ${figure} is stated as ${stated}; recomputed: ${recomputed}`,
    ),
    ...result.red_lines.map(
      ({ rule_id, text, is_veto }) =>
        `Red line ${rule_id}${is_veto ? ' (veto)' : ''}: ${toReadableLine(text)}`,
    ),
    ...conditions.map(
      ({ text, owner, due }) =>
        `${isBinding ? 'Condition' : 'Asked for'}: ${quoteText(text)} (${owner}, by ${due})`,
    ),
    ...result.dissent.map(
      ({ role, position, reason }) =>
        `Dissent: ${role} for ${toReadableLine(position.name)}: ${quoteText(reason)}`,
    ),
    ...formatGaps(evidence_gaps),
  ];
  return {
    answer: `${formatHeadline(given, winner?.name ?? '')}${formatAdjustment(result)}`,
    why: formatReason(given),
    details: lines,
  };
}

function formatAdjustment({ adjusted }: CouncilResult): string {
  return adjusted === null ? '' : `, instead of ${adjusted.from}: ${adjusted.why.join(', ')}`;
}

function formatNumbers({ tco, payback, payback_months, budget_left }: CouncilResult): string {
  const months = payback === 'known' ? `${payback_months} months` : payback;
  const cost = tco === null ? 'unknown' : `$${tco.amount}`;
  const left = budget_left === null ? 'unknown' : `$${budget_left.amount}`;
  return `Recomputed: total cost ${cost}, payback ${months}, remaining budget ${left}`;
}

/** Formats the first gaps; the result contains all of them. */
function formatGaps(gaps: CouncilResult['evidence_gaps']): readonly string[] {
  if (gaps.length === 0) return [];
  const first = gaps.slice(0, GAPS_SHOWN).map(({ role, text }) => `${role} ${quoteText(text)}`);
  return [`Evidence gaps (${gaps.length}): ${first.join('; ')}`];
}
