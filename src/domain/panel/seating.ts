import type { LlmModel } from '../llm/llm.ts';
import type { Seat, Turn } from './records.ts';

/** Family of seats that rules fill: they all calculate over the same figures. */
export const RULE_FAMILY = 'rules';
/** Family of seats that the caller's agent fills: whoever it asks, it counts as one. */
export const CALLER_FAMILY = 'caller';
const ROLE = 'panelist';

/**
 * Seats models so that as many families as possible speak: families take turns in the order in
 * which they were configured, and within a family its models do.
 *
 * @param models - At least one.
 * @param roles - One per seat, in order; without them all are panelists.
 */
export function seatModels(
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
    return seatAt(place, {
      role: roles[place] ?? ROLE,
      kind: 'llm',
      model: model?.modelId ?? '',
      family: model?.family ?? '',
    });
  });
}

/** Seats that the caller's own agent fills. */
export function seatCaller(seats: number, roles: readonly string[] = []): readonly Seat[] {
  return Array.from({ length: seats }, (_, place) =>
    seatAt(place, {
      role: roles[place] ?? ROLE,
      kind: 'caller',
      model: 'caller',
      family: CALLER_FAMILY,
    }),
  );
}

/** A seat that a rule fills. */
export function ruleSeat(place: number, model: string, role: string): Seat {
  return seatAt(place, { role, kind: 'rule', model, family: RULE_FAMILY });
}

/** How many families speak on a panel: those that have answered, where that is known. */
export function countFamilies(seats: readonly Seat[], turns: readonly Turn[] = []): number {
  const families = seats.flatMap(({ seatId, family }) => {
    const spoken = turns.filter((turn) => turn.seatId === seatId && turn.status === 'ok');
    return spoken.length === 0 ? [family] : spoken.map((turn) => turn.answeredBy?.family ?? family);
  });
  return new Set(families).size;
}

/** The letter under which progress and results show a seat: `A` for `s0`. */
export function seatLetter(seatId: string): string {
  return String.fromCharCode(65 + Number(seatId.slice(1)));
}

function seatAt(place: number, facts: Omit<Seat, 'seatId'>): Seat {
  return { seatId: `s${place}`, ...facts };
}
