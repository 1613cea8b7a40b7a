import type { JsonObject } from '../../domain/common/json.ts';
import { sumChargedMicroUsd } from '../../domain/panel/costs.ts';
import type { PanelDefinition, PanelOutcome } from '../../domain/panel/definition.ts';
import type { Ballot, PanelInput, Seat, Turn, TurnPhase } from '../../domain/panel/records.ts';
import type { Tally } from '../../domain/panel/tally.ts';

/** Output of the `seal` effect, by hash. */
export interface SealedPanel {
  readonly transcriptSha: string;
  readonly resultSha: string;
  readonly transcriptRoot: string;
  /** SHA-256 of the signed payload, in hex; only for panels that sign their result. */
  readonly payloadHash?: string;
}

/** Output of a code phase: the full note by hash, and the summary for the tally. */
export interface PhaseNote {
  readonly sha: string;
  readonly summary: JsonObject;
}

/** Input of the `compute` effect for one code phase. */
export interface ComputeInput {
  readonly phase: string;
  readonly briefSha: string;
  readonly seats: readonly Seat[];
  readonly policy?: PanelInput['policy'];
  readonly turns: readonly Turn[];
  /** Hashes of earlier notes by phase. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Input of the `seal` effect. */
export interface PanelSealInput {
  readonly input: PanelInput;
  readonly outcome: PanelOutcome;
  readonly reason: string | null;
  readonly turns: readonly Turn[];
  readonly cutTurns: number;
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  /** Only for panels with code phases. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** Context of a panel actor: plain JSON, texts by hash. */
export interface PanelContext {
  readonly input: PanelInput;
  /** Phase that started last, with its round (from 1 within rounds, otherwise 0). */
  readonly phase: TurnPhase;
  readonly round: number;
  /** Ids of running turns, such as `opening.0.s3`. */
  readonly pending: readonly string[];
  /** Finished turns in order of completion. */
  readonly turns: readonly Turn[];
  /** Number of turns that were started and interrupted. */
  readonly cutTurns: number;
  /** True after the soft deadline. */
  readonly isLate: boolean;
  /** What ended the turns before the vote was complete. */
  readonly cutBy: 'deadline' | 'budget' | null;
  /** True if no client is waiting any more; the work continues. */
  readonly detached: boolean;
  /** True if the panel can no longer be cancelled. */
  readonly isBound?: boolean;
  readonly outcome: PanelOutcome | null;
  readonly reason: string | null;
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  readonly sealed: SealedPanel | null;
  /** Notes by phase; only for panels with code phases. */
  readonly notes?: Readonly<Record<string, PhaseNote>>;
}

/** Creates the initial context of a panel. */
export function createPanelContext(panel: PanelDefinition, input: PanelInput): PanelContext {
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

/** Returns the amount charged to the budget so far. */
export function sumCharged(context: PanelContext): bigint {
  return sumChargedMicroUsd(context.turns);
}

/** Returns the hashes of all notes by phase, or `undefined` for panels without code phases. */
export function listNoteHashes({
  notes,
}: PanelContext): Readonly<Record<string, string>> | undefined {
  if (notes === undefined) return undefined;
  return Object.fromEntries(Object.entries(notes).map(([phase, { sha }]) => [phase, sha]));
}
