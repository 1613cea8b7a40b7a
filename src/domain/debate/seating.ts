import type { LlmModel } from '../ports/llm.ts';
import { PROCEDURES, ruleModel } from './procedures/procedures.ts';
import type { Seat } from './records.ts';

/** Family of seats that procedures fill: they all calculate over the same scores. */
export const RULE_FAMILY = 'rules';
/** Family of seats that the caller's agent fills: whoever it asks, it counts as one. */
export const CALLER_FAMILY = 'caller';

/**
 * Seats models so that as many families as possible speak: families take turns in the order in
 * which they were configured, and within a family its models do.
 *
 * @param models - At least one.
 */
export function seatModels(models: readonly LlmModel[], seats: number): readonly Seat[] {
  const families = [...new Set(models.map((model) => model.family))].map((family) =>
    models.filter((model) => model.family === family),
  );
  return Array.from({ length: seats }, (_, place) => {
    const members = families[place % families.length] ?? [];
    const model = members[Math.floor(place / families.length) % members.length];
    return seat(place, {
      kind: 'llm',
      model: model?.modelId ?? '',
      family: model?.family ?? '',
    });
  });
}

/** Seats the first `seats` procedures of the list; there are as many as a panel may have seats. */
export function seatRules(seats: number): readonly Seat[] {
  return PROCEDURES.slice(0, seats).map(({ procedureId, title }, place) =>
    seat(place, {
      kind: 'rule',
      model: ruleModel(procedureId),
      family: RULE_FAMILY,
      role: title,
    }),
  );
}

/** Seats that the caller's own agent fills. */
export function seatCaller(seats: number): readonly Seat[] {
  return Array.from({ length: seats }, (_, place) =>
    seat(place, { kind: 'caller', model: 'caller', family: CALLER_FAMILY }),
  );
}

/** How many families speak on a panel. */
export function countFamilies(seats: readonly Seat[]): number {
  return new Set(seats.map((one) => one.family)).size;
}

/** The letter under which progress and results show a seat: `A` for `s0`. */
export function seatLetter(seatId: string): string {
  return String.fromCharCode(65 + Number(seatId.slice(1)));
}

function seat(place: number, facts: Omit<Seat, 'seatId' | 'role'> & { role?: string }): Seat {
  return { seatId: `s${place}`, role: 'panelist', ...facts };
}
