import { toReadableLine } from '../common/readable.ts';
import type { PanelResult } from './definition.ts';
import type { TallyRule } from './records.ts';
import type { TallyReport } from './result.ts';

const RULE_TEXTS: Readonly<Record<TallyRule, string>> = {
  majority: 'by majority of first choices',
  instant_runoff: 'by instant runoff',
  borda_tiebreak: 'by Borda points after a tie',
  chair_casting_vote: "by the chair's casting vote after a tie",
  status_quo_default: 'by the default for ties',
};

/** Formats the answer of a result: the decision and its rule, or that there is none. */
export function formatHeadline({ outcome, rule, forced }: PanelResult, decision: string): string {
  switch (outcome) {
    case 'decided':
      return `Decision: ${toReadableLine(decision)} (${formatRule(rule, forced)})`;
    case 'no_quorum':
      return 'No decision: no quorum.';
    case 'cancelled':
      return 'Cancelled: no decision.';
    case 'failed':
      return 'Failed: no decision.';
  }
}

function formatRule(rule: TallyRule | null, forced: boolean): string {
  return `${RULE_TEXTS[rule ?? 'majority']}${forced ? ', forced' : ''}`;
}

/** Formats why a panel has decided as it has: its votes, or the reason of its failure. */
export function formatReason({ tally, reason }: PanelResult): string {
  if (reason !== null) return toReadableLine(reason);
  return tally === null ? 'no ballots were counted.' : formatTally(tally);
}

function formatTally({ first_choices, cast, seats, quorum, rounds }: TallyReport): string {
  const counts = first_choices
    .map(({ name, votes }) => `${toReadableLine(name)} ${votes}`)
    .join(', ');
  const runoff = rounds.length > 0 ? `; ${rounds.length} runoff rounds` : '';
  return `${counts} (${cast} of ${seats} ballots, quorum ${quorum}${runoff})`;
}
