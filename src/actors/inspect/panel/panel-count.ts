import type { PanelCount, PanelDecision } from '../../../domain/inspect/wire.ts';
import type { Ballot, TallyRule } from '../../../domain/panel/records.ts';
import { seatLetter } from '../../../domain/panel/seating.ts';
import type { Tally } from '../../../domain/panel/tally.ts';
import type { PanelContext } from '../../../machines/panel/panel-context.ts';

type NameOf = (optionId: string) => string;

const RULE_DESCRIPTIONS: Readonly<Record<TallyRule, string>> = {
  majority: 'by a majority of first choices',
  instant_runoff: 'by instant runoff',
  borda_tiebreak: 'by Borda points among the tied options',
  chair_casting_vote: "by the chair's casting vote",
  status_quo_default: 'by the stated default',
};

/** Returns the count of a panel: the winner first, then by first choices. */
export function createTallyView(
  tally: Tally,
  optionIds: readonly string[],
  nameOf: NameOf,
): readonly PanelCount[] {
  const votesOf = (optionId: string): number => tally.firstChoices[optionId] ?? 0;
  const rank = (optionId: string): number => (optionId === tally.winner ? 0 : 1);
  return [...optionIds]
    .sort((a, b) => rank(a) - rank(b) || votesOf(b) - votesOf(a))
    .map((optionId) => ({
      option: nameOf(optionId),
      score: `${votesOf(optionId)} of ${tally.cast}`,
      detail: countDetail(tally, optionId),
    }));
}

function countDetail({ rounds, borda, winner, rule, adjusted }: Tally, optionId: string): string {
  const fell = rounds.findIndex(({ eliminated }) => eliminated.includes(optionId));
  const points = borda?.[optionId];
  return [
    ...(optionId === winner && rule !== null ? [`wins ${RULE_DESCRIPTIONS[rule]}`] : []),
    ...(fell >= 0 ? [`eliminated in runoff round ${fell + 1}`] : []),
    ...(points === undefined ? [] : [`${points} Borda points`]),
    ...(optionId === winner && adjusted !== undefined ? adjusted.why : []),
  ].join('; ');
}

/** Returns the decision and the dissent; `null` before the outcome is known. */
export function createDecisionView(
  { outcome, reason, tally }: PanelContext,
  ballots: readonly Ballot[],
  nameOf: NameOf,
): PanelDecision | null {
  if (outcome === null) return null;
  const winner = outcome === 'decided' ? (tally?.winner ?? null) : null;
  if (winner === null) {
    return { option: null, how: reason ?? outcome, isForced: false, dissent: [] };
  }
  // If red lines changed the result, voters for the original winner do not count as dissent.
  const chosen = tally?.adjusted?.from ?? winner;
  const against = ballots.filter(({ ranking: [first] }) => first !== undefined && first !== chosen);
  return {
    option: nameOf(winner),
    how: tally?.rule == null ? outcome : RULE_DESCRIPTIONS[tally.rule],
    isForced: tally?.forced ?? false,
    dissent: against.map(({ seatId, ranking: [first = ''], reason: text }) => ({
      seat: seatLetter(seatId),
      text: text === '' ? `voted for ${nameOf(first)}` : text,
    })),
  };
}
