import { type Money, money, toText } from '../common/money.ts';
import { chargedMicroUsd, costsOf } from './costs.ts';
import type { PanelOption, PanelOutcome, ReportFacts } from './definition.ts';
import { ASSIGNED_PHASE, BALLOT_PHASE, type PanelInput, type Turn } from './records.ts';
import type { CostReport, Dissent, Flip, SeatReport, TallyReport } from './result.ts';
import { countFamilies, seatLetter } from './seating.ts';
import type { Tally } from './tally.ts';

/** Returns the current cost of a panel. */
export function costReport(input: PanelInput, turns: readonly Turn[]): CostReport {
  const costs = costsOf(turns);
  return {
    spent: money(costs.spentMicroUsd),
    budget: money(input.budgetMicroUsd),
    price: money(input.priceMicroUsd),
    unpriced_turns: costs.unpricedTurns,
    orphaned_up_to: money(costs.orphanedMicroUsd),
  };
}

/**
 * Returns the refund of a cancellation: the price minus the cost, at least zero. Calls whose cost
 * was lost in a crash count with their maximum.
 */
export function cancelRefund(input: PanelInput, turns: readonly Turn[]): string {
  const rest = BigInt(input.priceMicroUsd) - chargedMicroUsd(turns);
  return toText(rest > 0n ? rest : 0n);
}

/** Returns an option by id and name. */
export function named(options: readonly PanelOption[], optionId: string) {
  const name = options.find((option) => option.optionId === optionId)?.name ?? optionId;
  return { option_id: optionId, name };
}

/** Input of a refund. */
interface RefundFacts {
  readonly outcome: PanelOutcome;
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
}

/** Lists the seats by letter. */
export function seatReports({ seats }: PanelInput): SeatReport[] {
  return seats.map(({ seatId, kind, model, family }) => ({
    seat: seatLetter(seatId),
    kind,
    model,
    family,
  }));
}

/** Returns the refund for an outcome; `null` for none. */
export function refundOf({ outcome, input, turns }: RefundFacts): Money | null {
  switch (outcome) {
    case 'decided':
      return null;
    case 'cancelled':
      return money(cancelRefund(input, turns));
    case 'no_quorum':
    case 'failed':
      return money(input.priceMicroUsd);
  }
}

/** Converts a tally to its report form. Counts are keyed by option id. */
export function tallyReport(tally: Tally, { brief, input }: ReportFacts): TallyReport {
  const { options } = brief;
  return {
    quorum: tally.quorum,
    cast: tally.cast,
    seats: input.seats.length,
    first_choices: Object.entries(tally.firstChoices)
      .map(([optionId, votes]) => ({ ...named(options, optionId), votes }))
      .sort((left, right) => right.votes - left.votes),
    rounds: tally.rounds.map(({ counts, eliminated }) => ({
      counts: { ...counts },
      eliminated: [...eliminated],
    })),
    tied: [...tally.tied],
    borda: tally.borda === null ? null : { ...tally.borda },
    margin: tally.margin,
  };
}

/** Lists the ballots for other options than the winner, with reasons. */
export function dissentOf({ ballots, brief }: ReportFacts, winner: string): Dissent[] {
  const { options } = brief;
  return ballots.flatMap(({ seatId, ranking: [first], reason }) =>
    first === undefined || first === winner
      ? []
      : [{ seat: seatLetter(seatId), position: named(options, first), reason }],
  );
}

/** Lists changes of position in turn order. Assigned arguments do not count. */
export function flipsOf(turns: readonly Turn[], devilSeatId: string | undefined): Flip[] {
  const held = new Map<string, string>();
  const flips: Flip[] = [];
  for (const { seatId, phase, round, status, position, unsupportedFlip } of turns) {
    const isAssigned = phase === ASSIGNED_PHASE && seatId === devilSeatId;
    if (status !== 'ok' || position === undefined || isAssigned) continue;
    const from = held.get(seatId);
    held.set(seatId, position);
    if (from === undefined || from === position) continue;
    const supported = phase === BALLOT_PHASE ? null : unsupportedFlip !== true;
    flips.push({ seat: seatLetter(seatId), from, to: position, phase, round, supported });
  }
  return flips;
}

/** Returns the first part of every panel result: outcome, winner and tally. */
export function decisionPart(facts: ReportFacts) {
  const { tally, brief, outcome } = facts;
  const winner = winnerOf(facts);
  return {
    outcome,
    winner: winner === null ? null : named(brief.options, winner),
    rule: tally?.rule ?? null,
    forced: tally?.forced ?? false,
    tally: tally === null ? null : tallyReport(tally, facts),
  };
}

/** Returns the winning option; `null` without a decision. */
export function winnerOf({
  outcome,
  tally,
}: Pick<ReportFacts, 'outcome' | 'tally'>): string | null {
  return outcome === 'decided' ? (tally?.winner ?? null) : null;
}

/** Returns the last part of every panel result: participants, cost and reason. */
export function accountPart(facts: ReportFacts) {
  const { input, turns, reason, transcriptRoot } = facts;
  return {
    mode: input.mode,
    families: countFamilies(input.seats, turns),
    cost: costReport(input, turns),
    reason,
    refund: refundOf(facts),
    transcript_root: transcriptRoot,
  };
}
