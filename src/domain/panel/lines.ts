import { readableLine } from '../common/readable.ts';
import type { PanelResult } from './definition.ts';
import type { TallyRule } from './records.ts';
import type { TallyReport } from './result.ts';

const RULES: Readonly<Record<TallyRule, string>> = {
  majority: 'by majority of first choices',
  instant_runoff: 'by instant runoff',
  borda_tiebreak: 'by Borda points after a tie',
  chair_casting_vote: "by the chair's casting vote after a tie",
  status_quo_default: 'by the default for ties',
};

/** Formats the first line of a result: the decision and its rule, or why there is none. */
export function headlineOf(
  { outcome, rule, forced, reason }: PanelResult,
  decision: string,
): string {
  switch (outcome) {
    case 'decided':
      return `Decision: ${readableLine(decision)} (${ruleText(rule, forced)})`;
    case 'no_quorum':
      return `No decision: no quorum. ${reason ?? ''}`.trim();
    case 'cancelled':
      return `Cancelled: no decision. ${reason ?? ''}`.trim();
    case 'failed':
      return `Failed: no decision. ${reason ?? ''}`.trim();
  }
}

function ruleText(rule: TallyRule | null, forced: boolean): string {
  return `${RULES[rule ?? 'majority']}${forced ? ', forced' : ''}`;
}

/** Formats a tally as one line. */
export function tallyLine({ first_choices, cast, seats, quorum, rounds }: TallyReport): string {
  const counts = first_choices
    .map(({ name, votes }) => `${readableLine(name)} ${votes}`)
    .join(', ');
  const runoff = rounds.length > 0 ? `; ${rounds.length} runoff rounds` : '';
  return `Tally: ${counts} (${cast} of ${seats} ballots, quorum ${quorum}${runoff})`;
}
