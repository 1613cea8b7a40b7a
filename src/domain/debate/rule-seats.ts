import type { Seat } from '../panel/records.ts';
import { createRuleSeat } from '../panel/seating.ts';
import { PROCEDURES, ruleModelName } from './procedures/procedures.ts';

/** Fills seats with the first `seats` procedures; there are as many as the maximum panel size. */
export function createRuleSeats(seats: number): readonly Seat[] {
  return PROCEDURES.slice(0, seats).map(({ procedureId, title }, index) =>
    createRuleSeat(index, ruleModelName(procedureId), title),
  );
}
