import type { ReportFacts } from '../panel/definition.ts';
import { limitsOf } from '../panel/limits.ts';
import {
  accountPart,
  decisionPart,
  dissentOf,
  flipsOf,
  seatReports,
  winnerOf,
} from '../panel/report.ts';
import type { DebateBrief } from './records.ts';
import type { DebateResult } from './result.ts';

const OF_RULES = [
  'No language model was used: each seat is a named decision procedure over the given ' +
    'scores. Agreement shows that the choice does not depend on the method; it adds no ' +
    'knowledge, and wrong scores lead to wrong results.',
  'Procedures do not change their mind, so there is no rebuttal round.',
];

/** Builds the result of a debate. A pure function of its facts. */
export function debateResult(facts: ReportFacts<DebateBrief>): DebateResult {
  const { input, turns } = facts;
  const winner = winnerOf(facts);
  return {
    ...decisionPart(facts),
    dissent: winner === null ? [] : dissentOf(facts, winner),
    flips: flipsOf(turns, input.devilSeatId),
    seats: seatReports(input),
    ...accountPart(facts),
    limits: limitsOf(facts, OF_RULES),
  };
}
