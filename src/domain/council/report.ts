import { toMoney } from '../common/money.ts';
import type { ReportInput } from '../panel/definition.ts';
import { listLimits } from '../panel/limits.ts';
import {
  buildAccountPart,
  buildDecisionPart,
  buildSeatReports,
  findWinner,
  listDissent,
  listFlips,
  namedOption,
} from '../panel/report.ts';
import { seatLetter } from '../panel/seating.ts';
import { createFactNote } from './facts.ts';
import { type FactNote, readFactNote, readMergeNote, readRedLineNote } from './notes.ts';
import { formatSignedUsd } from './purchase-numbers.ts';
import type { CouncilBrief } from './records.ts';
import type { CouncilResult } from './result.ts';

const RULE_SEAT_LIMITS = [
  'No language model was used: each seat is its role’s checklist over the facts of the brief, ' +
    'and cites the ids of its rules. Wrong facts lead to wrong results.',
  'Rules do not question each other, so there is no cross-examination.',
];

/** Builds the result of a council. A pure function of its facts. */
export function buildCouncilResult(facts: ReportInput<CouncilBrief>): CouncilResult {
  const { input, tally, turns, brief, notes } = facts;
  const winner = findWinner(facts);
  const roleOf = (letter: string): string =>
    input.seats.find(({ seatId }) => seatLetter(seatId) === letter)?.role ?? '';
  const checked =
    readFactNote(notes) ??
    createFactNote(
      brief,
      input.seats.map(({ role }) => role),
    );
  const lines = readRedLineNote(notes);
  const merged = readMergeNote(notes);
  const adjusted = tally?.adjusted;
  return {
    ...buildDecisionPart(facts),
    adjusted: adjusted === undefined ? null : { from: adjusted.from, why: [...adjusted.why] },
    conditions: merged?.conditions ?? [],
    red_lines: lines?.raised ?? [],
    refused_red_lines: lines?.refused ?? [],
    ...buildNumbersPart(checked),
    checks: checked.checks,
    evidence_gaps: merged?.gaps ?? [],
    questions: merged?.exchanges ?? [],
    dissent: listDissent(facts, adjusted?.from ?? winner ?? '')
      .filter(() => winner !== null)
      .map((one) => ({ ...one, role: roleOf(one.seat) })),
    flips: listFlips(turns, input.devilSeatId),
    seats: buildSeatReports(input).map((seat) => ({ ...seat, role: roleOf(seat.seat) })),
    ...buildAccountPart(facts),
    limits: [...listLimits(facts, RULE_SEAT_LIMITS), ...councilLimits(facts)],
  };
}

function buildNumbersPart(note: FactNote) {
  const { payback_months: months, budget_left_micro_usd: left } = note;
  const moneyOf = (amount: string | null) => (amount === null ? null : toMoney(amount));
  return {
    tco: moneyOf(note.tco_micro_usd),
    tco_discounted: moneyOf(note.tco_discounted_micro_usd),
    payback_months: typeof months === 'number' ? months : null,
    payback:
      months === null
        ? ('unknown' as const)
        : months === 'never'
          ? ('never' as const)
          : ('known' as const),
    budget_left:
      left === null
        ? null
        : { amount: formatSignedUsd(BigInt(left)), currency: 'USD' as const, micro_usd: left },
    wrong_numbers: note.wrong_numbers,
  };
}

function councilLimits({ brief, notes, tally, outcome }: ReportInput<CouncilBrief>): string[] {
  const limits: string[] = [];
  if (brief.facts?.money === undefined) {
    limits.push('The brief has no structured prices, so no costs were computed.');
  }
  if (notes['conditions_merge'] === undefined && outcome === 'decided') {
    limits.push('Time or budget ran out before conditions were merged, so none are listed.');
  }
  if (tally?.adjusted !== undefined) {
    const [from, why] = [namedOption(brief.options, tally.adjusted.from).name, tally.adjusted.why];
    limits.push(`The ballots chose “${from}”; this was overruled: ${why.join(', ')}.`);
  }
  return limits;
}
