import type { Seat } from '../panel/records.ts';
import { ruleSeat } from '../panel/seating.ts';
import { PROCEDURES, ruleModel } from './procedures/procedures.ts';

/** Seats the first `seats` procedures of the list; there are as many as a panel may have seats. */
export function seatRules(seats: number): readonly Seat[] {
  return PROCEDURES.slice(0, seats).map(({ procedureId, title }, place) =>
    ruleSeat(place, ruleModel(procedureId), title),
  );
}
