import type { PanelDefinition, SeatPhase } from './definition.ts';
import type { PanelInput, Turn } from './records.ts';

/** A phase of seats in one round (0 outside of rounds). */
interface Sitting {
  readonly phase: string;
  readonly round: number;
}

/** The number of seats and rounds of a panel. */
interface PanelSize {
  readonly seats: { readonly length: number };
  readonly maxRounds: number;
}

/** Returns the phases in which seats take turns, in order. */
export function listSeatPhases({ phases }: PanelDefinition): readonly SeatPhase[] {
  return phases.filter((phase) => phase.by === 'seats');
}

/** Finds a phase of seats by name. */
export function findSeatPhase(panel: PanelDefinition, name: string): SeatPhase | undefined {
  return listSeatPhases(panel).find((phase) => phase.name === name);
}

/** Returns the number of turns without an early end: one per seat and sitting. */
export function countPlannedTurns(panel: PanelDefinition, input: PanelSize): number {
  return input.seats.length * listSittings(panel, input).length;
}

/**
 * Returns the progress after the last turn, out of {@link countPlannedTurns}. It never decreases,
 * and jumps when rounds are skipped.
 */
export function computeProgress(
  panel: PanelDefinition,
  input: PanelInput,
  turns: readonly Turn[],
): number {
  const last = turns.at(-1);
  if (last === undefined) return 0;
  const { phase, round } = last;
  const turnsDone = turns.filter((turn) => turn.phase === phase && turn.round === round).length;
  return input.seats.length * indexOfSitting(panel, input, last) + turnsDone;
}

/** Returns the number of remaining sittings without an early end, including the given one. */
export function countSittingsLeft(panel: PanelDefinition, input: PanelInput, now: Sitting): number {
  return listSittings(panel, input).length - indexOfSitting(panel, input, now);
}

function indexOfSitting(
  panel: PanelDefinition,
  input: PanelInput,
  { phase, round }: Sitting,
): number {
  const index = listSittings(panel, input).findIndex(
    (sitting) => sitting.phase === phase && sitting.round === round,
  );
  return Math.max(0, index);
}

function listSittings(panel: PanelDefinition, { maxRounds }: PanelSize): readonly Sitting[] {
  const phases = listSeatPhases(panel);
  const first = phases.findIndex(({ inRound }) => inRound === true);
  const roundPhases = phases.filter(({ inRound }) => inRound === true);
  const rounds = Array.from({ length: maxRounds }, (_, at) =>
    roundPhases.map(({ name }) => ({ phase: name, round: at + 1 })),
  ).flat();
  const outsideRounds = (part: readonly SeatPhase[]) =>
    part.filter(({ inRound }) => inRound !== true).map(({ name }) => ({ phase: name, round: 0 }));
  if (first < 0) return outsideRounds(phases);
  return [
    ...outsideRounds(phases.slice(0, first)),
    ...rounds,
    ...outsideRounds(phases.slice(first)),
  ];
}
