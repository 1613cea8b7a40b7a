import { formatMicroUsd, type Money, toMoney } from '../common/money.ts';
import { sumChargedMicroUsd, sumPanelCosts } from './costs.ts';
import type { PanelOption, PanelOutcome, ReportInput } from './definition.ts';
import { ASSIGNED_PHASE, BALLOT_PHASE, type PanelInput, type Turn } from './records.ts';
import type { CostReport, Dissent, Flip, SeatReport, TallyReport } from './result.ts';
import { countFamilies, seatLetter } from './seating.ts';
import type { Tally } from './tally.ts';

/** Returns the current cost of a panel. */
export function buildCostReport(input: PanelInput, turns: readonly Turn[]): CostReport {
  const costs = sumPanelCosts(turns);
  return {
    spent: toMoney(costs.spentMicroUsd),
    budget: toMoney(input.budgetMicroUsd),
    price: toMoney(input.priceMicroUsd),
    unpriced_turns: costs.unpricedTurns,
    orphaned_up_to: toMoney(costs.orphanedMicroUsd),
  };
}

/**
 * Returns the refund of a cancellation: the price minus the cost, at least zero. Calls whose cost
 * was lost in a crash count with their maximum.
 */
export function computeCancelRefund(input: PanelInput, turns: readonly Turn[]): string {
  const rest = BigInt(input.priceMicroUsd) - sumChargedMicroUsd(turns);
  return formatMicroUsd(rest > 0n ? rest : 0n);
}

/** Returns an option by id and name. */
export function namedOption(options: readonly PanelOption[], optionId: string) {
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
export function buildSeatReports({ seats }: PanelInput): SeatReport[] {
  return seats.map(({ seatId, kind, model, family }) => ({
    seat: seatLetter(seatId),
    kind,
    model,
    family,
  }));
}

/** Returns the refund for an outcome; `null` for none. */
export function computeRefund({ outcome, input, turns }: RefundFacts): Money | null {
  switch (outcome) {
    case 'decided':
      return null;
    case 'cancelled':
      return toMoney(computeCancelRefund(input, turns));
    case 'no_quorum':
    case 'failed':
      return toMoney(input.priceMicroUsd);
  }
}

/** Converts a tally to its report form. Counts are keyed by option id. */
export function buildTallyReport(tally: Tally, { brief, input }: ReportInput): TallyReport {
  const { options } = brief;
  return {
    quorum: tally.quorum,
    cast: tally.cast,
    seats: input.seats.length,
    first_choices: Object.entries(tally.firstChoices)
      .map(([optionId, votes]) => ({ ...namedOption(options, optionId), votes }))
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
export function listDissent({ ballots, brief }: ReportInput, winner: string): Dissent[] {
  const { options } = brief;
  return ballots.flatMap(({ seatId, ranking: [first], reason }) =>
    first === undefined || first === winner
      ? []
      : [{ seat: seatLetter(seatId), position: namedOption(options, first), reason }],
  );
}

/** Lists changes of position in turn order. Assigned arguments do not count. */
export function listFlips(turns: readonly Turn[], devilSeatId: string | undefined): Flip[] {
  const positions = new Map<string, string>();
  const flips: Flip[] = [];
  for (const { seatId, phase, round, status, position, unsupportedFlip } of turns) {
    const isAssigned = phase === ASSIGNED_PHASE && seatId === devilSeatId;
    if (status !== 'ok' || position === undefined || isAssigned) continue;
    const from = positions.get(seatId);
    positions.set(seatId, position);
    if (from === undefined || from === position) continue;
    const supported = phase === BALLOT_PHASE ? null : unsupportedFlip !== true;
    flips.push({ seat: seatLetter(seatId), from, to: position, phase, round, supported });
  }
  return flips;
}

/** Returns the first part of every panel result: outcome, winner and tally. */
export function buildDecisionPart(facts: ReportInput) {
  const { tally, brief, outcome } = facts;
  const winner = findWinner(facts);
  return {
    outcome,
    winner: winner === null ? null : namedOption(brief.options, winner),
    rule: tally?.rule ?? null,
    forced: tally?.forced ?? false,
    tally: tally === null ? null : buildTallyReport(tally, facts),
  };
}

/** Returns the winning option; `null` without a decision. */
export function findWinner({
  outcome,
  tally,
}: Pick<ReportInput, 'outcome' | 'tally'>): string | null {
  return outcome === 'decided' ? (tally?.winner ?? null) : null;
}

/** Returns the last part of every panel result: participants, cost and reason. */
export function buildAccountPart(facts: ReportInput) {
  const { input, turns, reason, transcriptRoot } = facts;
  return {
    mode: input.mode,
    families: countFamilies(input.seats, turns),
    cost: buildCostReport(input, turns),
    reason,
    refund: computeRefund(facts),
    transcript_root: transcriptRoot,
  };
}
