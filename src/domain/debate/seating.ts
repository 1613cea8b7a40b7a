import type { Seat } from '../panel/records.ts';
import { ruleSeat } from '../panel/seating.ts';
import { PROCEDURES, ruleModel } from './procedures/procedures.ts';

/** Fills seats with the first `seats` procedures; there are as many as the maximum panel size. */
export function seatRules(seats: number): readonly Seat[] {
  return PROCEDURES.slice(0, seats).map(({ procedureId, title }, place) =>
    ruleSeat(place, ruleModel(procedureId), title),
  );
}
