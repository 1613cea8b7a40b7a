import type { ReportInput } from '../panel/definition.ts';
import { listLimits } from '../panel/limits.ts';
import {
  buildAccountPart,
  buildDecisionPart,
  buildSeatReports,
  findWinner,
  listDissent,
  listFlips,
} from '../panel/report.ts';
import type { DebateBrief } from './records.ts';
import type { DebateResult } from './result.ts';

const RULE_SEAT_LIMITS = [
  'No language model was used: each seat is a named decision procedure over the given ' +
    'scores. Agreement shows that the choice does not depend on the method; it adds no ' +
    'knowledge, and wrong scores lead to wrong results.',
  'Procedures do not change their mind, so there is no rebuttal round.',
];

/** Builds the result of a debate. A pure function of its facts. */
export function buildDebateResult(facts: ReportInput<DebateBrief>): DebateResult {
  const { input, turns } = facts;
  const winner = findWinner(facts);
  return {
    ...buildDecisionPart(facts),
    dissent: winner === null ? [] : listDissent(facts, winner),
    flips: listFlips(turns, input.devilSeatId),
    seats: buildSeatReports(input),
    ...buildAccountPart(facts),
    limits: listLimits(facts, RULE_SEAT_LIMITS),
  };
}
