import type { ReportFacts } from '../panel/definition.ts';
import { limitsOf } from '../panel/limits.ts';
import {
  costReport,
  dissentOf,
  flipsOf,
  named,
  refundOf,
  seatReports,
  tallyReport,
} from '../panel/report.ts';
import { countFamilies } from '../panel/seating.ts';
import type { DebateBrief } from './records.ts';
import type { DebateResult } from './result.ts';

const OF_RULES = [
  'No language model was used: each seat is a named decision procedure over the given ' +
    'scores. Agreement shows that the choice is robust against the method; it adds no ' +
    'knowledge, and wrong scores give a wrong answer.',
  'Procedures do not change their mind, so there is no rebuttal round.',
];

/** Writes the result of a debate. A pure function: the same facts give the same result. */
export function debateResult(facts: ReportFacts<DebateBrief>): DebateResult {
  const { input, tally, turns, brief } = facts;
  const winner = facts.outcome === 'decided' ? (tally?.winner ?? null) : null;
  return {
    outcome: facts.outcome,
    winner: winner === null ? null : named(brief.options, winner),
    rule: tally?.rule ?? null,
    forced: tally?.forced ?? false,
    tally: tally === null ? null : tallyReport(tally, facts),
    dissent: winner === null ? [] : dissentOf(facts, winner),
    flips: flipsOf(turns, input.devilSeatId),
    seats: seatReports(input),
    mode: input.mode,
    families: countFamilies(input.seats),
    cost: costReport(input, turns),
    reason: facts.reason,
    refund: refundOf(facts),
    transcript_root: facts.transcriptRoot,
    limits: limitsOf(facts, OF_RULES),
  };
}
