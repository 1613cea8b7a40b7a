import { money, toText } from '../money.ts';
import { chargedMicroUsd, costsOf } from './costs.ts';
import { limitsOf } from './limits.ts';
import type { DebateBrief, DebateInput, Turn } from './records.ts';
import type { ReportFacts } from './report-facts.ts';
import type { CostReport, DebateResult, TallyReport } from './result.ts';
import { countFamilies, seatLetter } from './seating.ts';
import type { Tally } from './tally.ts';

/** Writes the result of a debate. A pure function: the same facts give the same result. */
export function debateResult(facts: ReportFacts): DebateResult {
  const { input, tally, turns } = facts;
  const winner = facts.outcome === 'decided' ? (tally?.winner ?? null) : null;
  return {
    outcome: facts.outcome,
    winner: winner === null ? null : named(facts.options, winner),
    rule: tally?.rule ?? null,
    forced: tally?.forced ?? false,
    tally: tally === null ? null : tallyReport(tally, facts),
    dissent: winner === null ? [] : dissentOf(facts, winner),
    flips: flipsOf(turns, input.devilSeatId),
    seats: input.seats.map(({ seatId, kind, model, family }) => ({
      seat: seatLetter(seatId),
      kind,
      model,
      family,
    })),
    mode: input.mode,
    families: countFamilies(input.seats),
    cost: costReport(input, turns),
    reason: facts.reason,
    refund: refundOf(facts),
    transcript_root: facts.transcriptRoot,
    limits: limitsOf(facts),
  };
}

/** What a panel has cost so far. */
export function costReport(input: DebateInput, turns: readonly Turn[]): CostReport {
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
 * What a cancel gives back: the price less what was spent, at least nothing. Calls whose cost a
 * crash lost count as spent up to their ceiling.
 */
export function cancelRefund(input: DebateInput, turns: readonly Turn[]): string {
  const rest = BigInt(input.priceMicroUsd) - chargedMicroUsd(turns);
  return toText(rest > 0n ? rest : 0n);
}

/** Names an option of a debate. */
export function named(options: DebateBrief['options'], optionId: string) {
  const name = options.find((option) => option.optionId === optionId)?.name ?? optionId;
  return { option_id: optionId, name };
}

function refundOf({ outcome, input, turns }: ReportFacts): DebateResult['refund'] {
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

function tallyReport(tally: Tally, { options, input }: ReportFacts): TallyReport {
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

function dissentOf({ ballots, options }: ReportFacts, winner: string): DebateResult['dissent'] {
  return ballots.flatMap(({ seatId, ranking: [first], reason }) =>
    first === undefined || first === winner
      ? []
      : [{ seat: seatLetter(seatId), position: named(options, first), reason }],
  );
}

/** Changes of mind in the order of the turns; assigned arguments are none. */
function flipsOf(turns: readonly Turn[], devilSeatId: string | undefined): DebateResult['flips'] {
  const held = new Map<string, string>();
  const flips: DebateResult['flips'] = [];
  for (const { seatId, phase, round, status, position, unsupportedFlip } of turns) {
    const isAssigned = phase === 'rebuttal' && seatId === devilSeatId;
    if (status !== 'ok' || position === undefined || isAssigned) continue;
    const from = held.get(seatId);
    held.set(seatId, position);
    if (from === undefined || from === position) continue;
    const supported = phase === 'vote' ? null : unsupportedFlip !== true;
    flips.push({ seat: seatLetter(seatId), from, to: position, phase, round, supported });
  }
  return flips;
}
