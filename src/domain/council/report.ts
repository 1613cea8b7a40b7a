import { money } from '../common/money.ts';
import type { ReportFacts } from '../panel/definition.ts';
import { limitsOf } from '../panel/limits.ts';
import {
  accountPart,
  decisionPart,
  dissentOf,
  flipsOf,
  named,
  seatReports,
  winnerOf,
} from '../panel/report.ts';
import { seatLetter } from '../panel/seating.ts';
import { factNoteOf } from './facts.ts';
import { signedUsd } from './figures.ts';
import { type FactNote, factNote, mergeNote, redLineNote } from './notes.ts';
import type { CouncilBrief } from './records.ts';
import type { CouncilResult } from './result.ts';

const OF_RULES = [
  'No language model was used: each seat is its role’s checklist over the facts of the brief, ' +
    'and cites the ids of its rules. Wrong facts lead to wrong results.',
  'Rules do not question each other, so there is no cross-examination.',
];

/** Builds the result of a council. A pure function of its facts. */
export function councilResult(facts: ReportFacts<CouncilBrief>): CouncilResult {
  const { input, tally, turns, brief, notes } = facts;
  const winner = winnerOf(facts);
  const roleOf = (letter: string): string =>
    input.seats.find(({ seatId }) => seatLetter(seatId) === letter)?.role ?? '';
  const checked =
    factNote(notes) ??
    factNoteOf(
      brief,
      input.seats.map(({ role }) => role),
    );
  const lines = redLineNote(notes);
  const merged = mergeNote(notes);
  const adjusted = tally?.adjusted;
  return {
    ...decisionPart(facts),
    adjusted: adjusted === undefined ? null : { from: adjusted.from, why: [...adjusted.why] },
    conditions: merged?.conditions ?? [],
    red_lines: lines?.raised ?? [],
    refused_red_lines: lines?.refused ?? [],
    ...figuresPart(checked),
    checks: checked.checks,
    evidence_gaps: merged?.gaps ?? [],
    questions: merged?.exchanges ?? [],
    dissent: dissentOf(facts, adjusted?.from ?? winner ?? '')
      .filter(() => winner !== null)
      .map((one) => ({ ...one, role: roleOf(one.seat) })),
    flips: flipsOf(turns, input.devilSeatId),
    seats: seatReports(input).map((seat) => ({ ...seat, role: roleOf(seat.seat) })),
    ...accountPart(facts),
    limits: [...limitsOf(facts, OF_RULES), ...ownLimits(facts)],
  };
}

function figuresPart(note: FactNote) {
  const { payback_months: months, budget_left_micro_usd: left } = note;
  const moneyOf = (amount: string | null) => (amount === null ? null : money(amount));
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
        : { amount: signedUsd(BigInt(left)), currency: 'USD' as const, micro_usd: left },
    wrong_numbers: note.wrong_numbers,
  };
}

function ownLimits({ brief, notes, tally, outcome }: ReportFacts<CouncilBrief>): string[] {
  const limits: string[] = [];
  if (brief.facts?.money === undefined) {
    limits.push('The brief has no structured prices, so no costs were computed.');
  }
  if (notes['conditions_merge'] === undefined && outcome === 'decided') {
    limits.push('Time or budget ran out before conditions were merged, so none are listed.');
  }
  if (tally?.adjusted !== undefined) {
    const [from, why] = [named(brief.options, tally.adjusted.from).name, tally.adjusted.why];
    limits.push(`The ballots chose “${from}”; this was overruled: ${why.join(', ')}.`);
  }
  return limits;
}
