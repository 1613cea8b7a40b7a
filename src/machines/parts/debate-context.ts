import { chargedMicroUsd } from '../../domain/debate/costs.ts';
import type { Ballot, DebateInput, Turn, TurnPhase } from '../../domain/debate/records.ts';
import type { DebateResult } from '../../domain/debate/result.ts';
import type { Tally } from '../../domain/debate/tally.ts';

/** How a debate ends. */
export type DebateOutcome = DebateResult['outcome'];

/** What the `seal` effect wrote, by hash. */
export interface Sealed {
  readonly transcriptSha: string;
  readonly resultSha: string;
  readonly transcriptRoot: string;
}

/** Input of the `seal` effect. */
export interface SealOrder {
  readonly input: DebateInput;
  readonly outcome: DebateOutcome;
  readonly reason: string | null;
  readonly turns: readonly Turn[];
  readonly cutTurns: number;
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
}

/** Memory of a debate: plain JSON, texts by hash. */
export interface DebateContext {
  readonly input: DebateInput;
  /** The phase that was begun last, and its round (0 but in rebuttals, which count from 1). */
  readonly phase: TurnPhase;
  readonly round: number;
  /** Ids of turns that are running, as `opening.0.s3`. */
  readonly pending: readonly string[];
  /** Finished turns in the order in which they finished. */
  readonly turns: readonly Turn[];
  /** Turns that were begun and cut off. */
  readonly cutTurns: number;
  /** True from the soft deadline on. */
  readonly isLate: boolean;
  /** What ended the turns before the vote was complete. */
  readonly cutBy: 'deadline' | 'budget' | null;
  /** True when nobody waits on the line any more; the work goes on. */
  readonly detached: boolean;
  readonly outcome: DebateOutcome | null;
  readonly reason: string | null;
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  readonly sealed: Sealed | null;
}

/** The context that a debate begins with. */
export function newDebate({ input }: { readonly input: DebateInput }): DebateContext {
  return {
    input,
    phase: 'opening',
    round: 0,
    pending: [],
    turns: [],
    cutTurns: 0,
    isLate: false,
    cutBy: null,
    detached: false,
    outcome: null,
    reason: null,
    ballots: [],
    tally: null,
    sealed: null,
  };
}

/** What counts against the budget so far. */
export function chargedSoFar(context: DebateContext): bigint {
  return chargedMicroUsd(context.turns);
}

/** Turns if nothing ends early: one opening and one vote per seat, and every rebuttal round. */
export function plannedTurns({ seats, maxRounds }: DebateInput): number {
  return seats.length * (2 + maxRounds);
}

/**
 * How far a debate has come after its last turn, out of {@link plannedTurns}. It only grows, and
 * jumps where rounds are left out.
 */
export function progressAfter(input: DebateInput, turns: readonly Turn[]): number {
  const last = turns.at(-1);
  if (last === undefined) return 0;
  const { phase, round } = last;
  const done = turns.filter((turn) => turn.phase === phase && turn.round === round).length;
  const before = phase === 'vote' ? 1 + input.maxRounds : round;
  return input.seats.length * before + done;
}

/** Phases that are still to come if nothing ends early, the present one included. */
export function phasesLeft({ phase, round, input }: DebateContext): number {
  switch (phase) {
    case 'opening':
      return 2 + input.maxRounds;
    case 'rebuttal':
      return 2 + input.maxRounds - round;
    case 'vote':
      return 1;
  }
}
