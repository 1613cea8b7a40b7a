import { z } from 'zod';
import type { TallyFacts } from '../panel/definition.ts';
import type { Ballot } from '../panel/records.ts';
import { type Tally, type TallyRules, tally } from '../panel/tally.ts';
import type { CouncilOptionId } from './records.ts';
import { VETO_POLICY } from './red-lines.ts';

/** The part of the red line note that the tally reads, full or summarised. */
const Lines = z.object({
  raised: z.array(z.object({ rule_id: z.string(), is_veto: z.boolean() })),
});

/**
 * Counts the votes of a council, then applies the red lines.
 *
 * A red line turns a plain approval into an approval with conditions; a veto turns any approval
 * into a rejection. If red lines were not checked in time, plain approval is not possible, and with
 * vetoes no approval.
 */
export function councilTally(
  ballots: readonly Ballot[],
  rules: TallyRules,
  { notes, policy }: TallyFacts,
): Tally {
  const counted = tally(ballots, rules);
  const { winner } = counted;
  if (winner !== 'approve' && winner !== 'approve_with_conditions') return counted;
  const found = notes['red_lines'];
  const { option, why } =
    found === undefined
      ? unchecked((policy[VETO_POLICY] ?? []).length > 0)
      : judged(winner, Lines.parse(found).raised);
  if (option === winner) return counted;
  return { ...counted, winner: option, adjusted: { from: winner, why } };
}

interface Judgement {
  readonly option: CouncilOptionId;
  readonly why: readonly string[];
}

function judged(
  winner: 'approve' | 'approve_with_conditions',
  raised: z.infer<typeof Lines>['raised'],
): Judgement {
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

function unchecked(hasVetoes: boolean): Judgement {
  const why = ['red lines were not checked: time or budget ran out'];
  return { option: hasVetoes ? 'defer' : 'approve_with_conditions', why };
}
