import { z } from 'zod';
import type { TallyInput } from '../panel/definition.ts';
import type { Ballot } from '../panel/records.ts';
import { countBallots, type Tally, type TallyRules } from '../panel/tally.ts';
import type { CouncilOptionId } from './records.ts';
import { VETO_POLICY } from './red-lines.ts';

/** The part of the red line note that the tally reads, full or summarised. */
const RedLineSummary = z.object({
  raised: z.array(z.object({ rule_id: z.string(), is_veto: z.boolean() })),
});

/**
 * Counts the votes of a council, then applies the red lines.
 *
 * A red line turns a plain approval into an approval with conditions; a veto turns any approval
 * into a rejection. If red lines were not checked in time, plain approval is not possible, and with
 * vetoes no approval.
 */
export function tallyCouncil(
  ballots: readonly Ballot[],
  rules: TallyRules,
  { notes, policy }: TallyInput,
): Tally {
  const counted = countBallots(ballots, rules);
  const { winner } = counted;
  if (winner !== 'approve' && winner !== 'approve_with_conditions') return counted;
  const found = notes['red_lines'];
  const { option, why } =
    found === undefined
      ? adjustUnchecked((policy[VETO_POLICY] ?? []).length > 0)
      : applyRedLines(winner, RedLineSummary.parse(found).raised);
  if (option === winner) return counted;
  return { ...counted, winner: option, adjusted: { from: winner, why } };
}

interface Adjustment {
  readonly option: CouncilOptionId;
  readonly why: readonly string[];
}

function applyRedLines(
  winner: 'approve' | 'approve_with_conditions',
  raised: z.infer<typeof RedLineSummary>['raised'],
): Adjustment {
  const vetoes = raised.filter(({ is_veto }) => is_veto);
  if (vetoes.length > 0) {
    return { option: 'reject', why: vetoes.map(({ rule_id }) => `veto by red line ${rule_id}`) };
  }
  if (raised.length === 0) return { option: winner, why: [] };
  return {
    option: 'approve_with_conditions',
    why: raised.map(({ rule_id }) => `red line ${rule_id}`),
  };
}

function adjustUnchecked(hasVetoes: boolean): Adjustment {
  const why = ['red lines were not checked: time or budget ran out'];
  return { option: hasVetoes ? 'defer' : 'approve_with_conditions', why };
}
