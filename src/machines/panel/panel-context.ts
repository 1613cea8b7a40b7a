import type { JsonObject } from '../../domain/common/json.ts';
import { chargedMicroUsd } from '../../domain/panel/costs.ts';
import type { PanelDefinition, PanelOutcome } from '../../domain/panel/definition.ts';
import type { Ballot, PanelInput, Seat, Turn, TurnPhase } from '../../domain/panel/records.ts';
import type { Tally } from '../../domain/panel/tally.ts';

/** What the `seal` effect wrote, by hash. */
export interface Sealed {
  readonly transcriptSha: string;
  readonly resultSha: string;
  readonly transcriptRoot: string;
  /** SHA-256 of the payload that was signed, in hex; only where a panel signs its result. */
  readonly payloadHash?: string;
}

/** What a phase of code computed: the whole by hash, and what the count goes by. */
export interface Note {
  readonly sha: string;
  readonly summary: JsonObject;
}

/** Input of the `compute` effect: one phase of code. */
export interface ComputeOrder {
  readonly phase: string;
  readonly briefSha: string;
  readonly seats: readonly Seat[];
  readonly policy?: PanelInput['policy'];
  readonly turns: readonly Turn[];
  /** Earlier notes by phase, each by hash. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Input of the `seal` effect. */
export interface SealOrder {
  readonly input: PanelInput;
  readonly outcome: PanelOutcome;
  readonly reason: string | null;
  readonly turns: readonly Turn[];
  readonly cutTurns: number;
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  /** On panels that compute. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** Memory of a panel: plain JSON, texts by hash. */
export interface PanelContext {
  readonly input: PanelInput;
  /** The phase that was begun last, and its round (0 but in rounds, which count from 1). */
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
  /** True: it comes to its end, whoever wants to cancel it. */
  readonly isBound?: boolean;
  readonly outcome: PanelOutcome | null;
  readonly reason: string | null;
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  readonly sealed: Sealed | null;
  /** On panels that compute: what was computed, by phase. */
  readonly notes?: Readonly<Record<string, Note>>;
}

/** The context that a panel begins with. */
export function newPanel(panel: PanelDefinition, input: PanelInput): PanelContext {
  return {
    input,
    phase: panel.phases.find(({ by }) => by === 'seats')?.name ?? '',
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
    ...(panel.phases.some(({ by }) => by === 'code') ? { notes: {} } : {}),
  };
}

/** What counts against the budget so far. */
export function chargedSoFar(context: PanelContext): bigint {
  return chargedMicroUsd(context.turns);
}

/** Hashes of what was computed so far, by phase; `undefined` on panels that do not compute. */
export function noteShas({ notes }: PanelContext): Readonly<Record<string, string>> | undefined {
  if (notes === undefined) return undefined;
  return Object.fromEntries(Object.entries(notes).map(([phase, { sha }]) => [phase, sha]));
}
