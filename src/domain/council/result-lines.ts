import { quoteText, readableLine } from '../common/readable.ts';
import type { PanelResult } from '../panel/definition.ts';
import { headlineOf, tallyLine } from '../panel/lines.ts';
import { CouncilResult } from './result.ts';

/** Maximum number of gaps in the text. */
const GAPS_SHOWN = 5;

/** Formats a council result as text: decision, numbers, red lines, conditions, dissent and gaps. */
export function resultLines(given: PanelResult): readonly string[] {
  const result = CouncilResult.parse(given);
  const { winner, tally, conditions, wrong_numbers, evidence_gaps } = result;
  const isBinding = winner?.option_id === 'approve_with_conditions';
  return [
    `${headlineOf(given, winner?.name ?? '')}${adjustedText(result)}`,
    figuresLine(result),
    ...wrong_numbers.map(
      ({ figure, stated, recomputed }) =>
        `Wrong number: ${figure} is stated as ${stated}; recomputed: ${recomputed}`,
    ),
    ...result.red_lines.map(
      ({ rule_id, text, is_veto }) =>
        `Red line ${rule_id}${is_veto ? ' (veto)' : ''}: ${readableLine(text)}`,
    ),
    ...conditions.map(
      ({ text, owner, due }) =>
        `${isBinding ? 'Condition' : 'Asked for'}: ${quoteText(text)} (${owner}, by ${due})`,
    ),
    ...(tally === null ? [] : [tallyLine(tally)]),
    ...result.dissent.map(
      ({ role, position, reason }) =>
        `Dissent: ${role} for ${readableLine(position.name)}: ${quoteText(reason)}`,
    ),
    ...gapLine(evidence_gaps),
  ];
}

function adjustedText({ adjusted }: CouncilResult): string {
  return adjusted === null ? '' : `, instead of ${adjusted.from}: ${adjusted.why.join(', ')}`;
}

function figuresLine({ tco, payback, payback_months, budget_left }: CouncilResult): string {
  const months = payback === 'known' ? `${payback_months} months` : payback;
  const cost = tco === null ? 'unknown' : `$${tco.amount}`;
  const left = budget_left === null ? 'unknown' : `$${budget_left.amount}`;
  return `Recomputed: total cost ${cost}, payback ${months}, remaining budget ${left}`;
}

/** Formats the first gaps; the result contains all of them. */
function gapLine(gaps: CouncilResult['evidence_gaps']): readonly string[] {
  if (gaps.length === 0) return [];
  const first = gaps.slice(0, GAPS_SHOWN).map(({ role, text }) => `${role} ${quoteText(text)}`);
  return [`Evidence gaps (${gaps.length}): ${first.join('; ')}`];
}
