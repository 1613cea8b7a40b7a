import type { LlmModel } from '../llm/llm.ts';
import type { Seat, Turn } from './records.ts';

/** Family of seats filled by rules. They count as one because they compute from the same facts. */
export const RULE_FAMILY = 'rules';
/** Family of seats filled by the caller's agent. It counts as one, whatever the agent asks. */
export const CALLER_FAMILY = 'caller';
const DEFAULT_ROLE = 'panelist';

/**
 * Assigns models to seats so that as many families as possible take part. Families alternate in
 * configuration order, as do the models within a family.
 *
 * @param models - At least one.
 * @param roles - One per seat, in order; default panelist.
 */
export function assignModels(
  models: readonly LlmModel[],
  seats: number,
  roles: readonly string[] = [],
): readonly Seat[] {
  const families = [...new Set(models.map((model) => model.family))].map((family) =>
    models.filter((model) => model.family === family),
  );
  return Array.from({ length: seats }, (_, place) => {
    const members = families[place % families.length] ?? [];
    const model = members[Math.floor(place / families.length) % members.length];
    return createSeat(place, {
      role: roles[place] ?? DEFAULT_ROLE,
      kind: 'llm',
      model: model?.modelId ?? '',
      family: model?.family ?? '',
    });
  });
}

/** Creates seats for the caller's own agent. */
export function createCallerSeats(seats: number, roles: readonly string[] = []): readonly Seat[] {
  return Array.from({ length: seats }, (_, place) =>
    createSeat(place, {
      role: roles[place] ?? DEFAULT_ROLE,
      kind: 'caller',
      model: 'caller',
      family: CALLER_FAMILY,
    }),
  );
}

/** Creates a seat for a rule. */
export function createRuleSeat(place: number, model: string, role: string): Seat {
  return createSeat(place, { role, kind: 'rule', model, family: RULE_FAMILY });
}

/** Counts the families on a panel. For seats that answered, the answering model counts. */
export function countFamilies(seats: readonly Seat[], turns: readonly Turn[] = []): number {
  const families = seats.flatMap(({ seatId, family }) => {
    const spoken = turns.filter((turn) => turn.seatId === seatId && turn.status === 'ok');
    return spoken.length === 0 ? [family] : spoken.map((turn) => turn.answeredBy?.family ?? family);
  });
  return new Set(families).size;
}

/** Returns the letter of a seat in progress and results: `A` for `s0`. */
export function seatLetter(seatId: string): string {
  return String.fromCharCode(65 + Number(seatId.slice(1)));
}

function createSeat(index: number, facts: Omit<Seat, 'seatId'>): Seat {
  return { seatId: `s${index}`, ...facts };
}
