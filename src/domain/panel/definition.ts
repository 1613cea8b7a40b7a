import type { z } from 'zod';
import type { JsonObject } from '../common/json.ts';
import type { ParsedAnswer, SeatAnswer } from './answer.ts';
import type { TurnOrder, TurnPrompt } from './order.ts';
import type { Ballot, PanelInput, Seat, Turn } from './records.ts';
import type { PanelResultBase } from './result.ts';
import type { Tally, TallyRules } from './tally.ts';

/** An option of a panel. */
export interface PanelOption {
  readonly optionId: string;
  readonly name: string;
}

/** The part of a brief that all panels share. Stored by hash. */
export interface PanelBrief {
  readonly question: string;
  readonly options: readonly PanelOption[];
  readonly evidence: readonly { readonly evidenceId: string; readonly text: string }[];
}

/**
 * What a seat sees of other seats. `ring`: its own last position and those of two neighbours under
 * letters; in rebuttals also the count per option. `all`: its own position and all others.
 */
export type PeerVisibility = 'none' | 'own' | 'ring' | 'all';

/** A phase in which all seats take their turns concurrently. */
export interface SeatPhase {
  readonly by: 'seats';
  /** Part of turn ids, see {@link TurnPhase}. The last phase is `vote`. */
  readonly name: string;
  /** State of the phase in the chart. */
  readonly state: string;
  readonly description: string;
  /** `stand`: a position with reasons. `talk`: no position. `ballot`: secret, the last phase. */
  readonly answer: 'stand' | 'talk' | 'ballot';
  readonly view: PeerVisibility;
  /** Name of an earlier phase whose turns are shown to the seats that they address. */
  readonly hears?: string;
  /** Whether only addressed seats take a turn. */
  readonly onlyAddressed?: boolean;
  /**
   * Whether the phase belongs to the round that may be skipped or repeated. Such phases are
   * adjacent.
   */
  readonly inRound?: boolean;
}

/** A phase in which a pure function computes a note from the current state. */
export interface CodePhase<Brief extends PanelBrief = PanelBrief> {
  readonly by: 'code';
  readonly name: string;
  readonly state: string;
  readonly description: string;
  compute(facts: CodePhaseInput<Brief>): CodeNote;
}

/** A phase of a panel. */
export type PanelPhase<Brief extends PanelBrief = PanelBrief> = SeatPhase | CodePhase<Brief>;

/** The result of a code phase. */
export interface CodeNote {
  /** For seats, transcript and result; stored by hash. */
  readonly content: JsonObject;
  /** For the tally; stored in the actor, at most a few hundred bytes. */
  readonly summary: JsonObject;
}

/** A turn with its texts. */
export interface SpokenTurn extends Turn {
  readonly argument: string | null;
  readonly content: JsonObject | null;
}

/** Input of a code phase. The same facts give the same note. */
export interface CodePhaseInput<Brief extends PanelBrief = PanelBrief> {
  readonly brief: Brief;
  readonly seats: readonly Seat[];
  readonly policy: PanelPolicy;
  readonly turns: readonly SpokenTurn[];
  /** Contents of earlier code phases by name. */
  readonly notes: PanelNotes;
}

/** Rules of the caller for this panel, by name. */
export type PanelPolicy = Readonly<Record<string, readonly string[]>>;
/** Results of code phases, by phase name. */
export type PanelNotes = Readonly<Record<string, JsonObject>>;

/**
 * Conditions that skip the round, checked in this order. Without a match, a round starts if any
 * remain.
 */
export type SkipRule = 'isUnanimous' | 'isStable' | 'mustHurry';

/** The state that decides whether to start a round. */
export interface RoundRule {
  readonly state: string;
  readonly description: string;
  readonly skipWhen: readonly SkipRule[];
}

/** Input of a prompt. */
export interface PromptInput<Brief extends PanelBrief = PanelBrief> {
  readonly brief: Brief;
  readonly notes: PanelNotes;
  /**
   * Returns an argument of a seat by its hash, with names removed that would identify the speaker.
   */
  textOf(sha: string): string;
  /** Returns the further content of an answer by its hash, with names removed in the same way. */
  contentOf(sha: string): JsonObject;
}

/** Input for the validation of an answer. */
export interface ParseInput<Brief extends PanelBrief = PanelBrief> {
  readonly order: TurnOrder;
  readonly brief: Brief;
}

/** Input for ballots and tally, beyond turns and ballots. */
export interface TallyInput {
  readonly notes: PanelNotes;
  readonly policy: PanelPolicy;
  readonly seats: readonly Seat[];
}

/** The outcome of a panel. */
export type PanelOutcome = 'decided' | 'no_quorum' | 'cancelled' | 'failed';

/** Input of a result. The same facts give the same result. */
export interface ReportInput<Brief extends PanelBrief = PanelBrief> {
  readonly input: PanelInput;
  readonly outcome: PanelOutcome;
  readonly reason: string | null;
  readonly turns: readonly SpokenTurn[];
  /** Number of turns that were started and cut off. */
  readonly cutTurns: number;
  /** Ballots with reasons; empty if nothing was counted. */
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  readonly brief: Brief;
  readonly notes: PanelNotes;
  readonly transcriptRoot: string | null;
}

/**
 * A panel as data and a few pure functions. Machine, effects, reading, cancellation, caller turns,
 * transcript, console and verification are derived from it. A new panel is one definition and one
 * line in `panels.ts`.
 */
export interface PanelDefinition<Brief extends PanelBrief = PanelBrief> {
  /** Kind of its actors and id of its chart. */
  readonly kind: string;
  /** Increases whenever the meaning of a state, event or context field changes. */
  readonly version: number;
  readonly title: string;
  readonly seats: { readonly least: number; readonly most: number };
  /** Whether seats see each other by role. Otherwise each view assigns new letters. */
  readonly showsRoles: boolean;
  readonly phases: readonly PanelPhase<Brief>[];
  /** Present if some phases are `inRound`. */
  readonly rounds?: RoundRule;
  readonly brief: z.ZodType<Brief>;
  /** Whether positions, turns and evidence are hidden until the panel is sealed. */
  readonly isSecret?: boolean;
  /** Whether the panel can be bound (`isBound`), after which it cannot be cancelled. */
  readonly mayBind?: boolean;
  /** Returns the brief as shown in transcripts; defaults to the brief itself. */
  publicBrief?(brief: Brief): PanelBrief;
  /** Schema of the result, see `report`. */
  readonly result: z.ZodType<PanelResult>;
  /**
   * Creates the prompt of a turn. Equal orders give equal prompts. Contains no model or vendor
   * name.
   */
  prompt(order: TurnOrder, facts: PromptInput<Brief>): TurnPrompt;
  /** Validates an answer of a model or of the caller's agent. Never throws. */
  parse(value: unknown, facts: ParseInput<Brief>): ParsedAnswer;
  /** Takes a turn by the rule that the model of the seat names. */
  applyRule(order: TurnOrder, facts: PromptInput<Brief>): SeatAnswer;
  /** Creates ballots from turns if a vote is more than a ranking; defaults to `createBallots`. */
  ballots?(turns: readonly Turn[], cast: readonly Ballot[]): readonly Ballot[];
  /** Counts the ballots. Anyone can recompute the tally from the transcript. */
  tally(ballots: readonly Ballot[], rules: TallyRules, facts: TallyInput): Tally;
  report(facts: ReportInput<Brief>): PanelResult;
  /** Formats a result. */
  resultText(result: PanelResult): PanelResultText;
}

/** The text of a panel's result. */
export interface PanelResultText {
  /** The decision, or that there is none. */
  readonly answer: string;
  /** Why: votes or figures. */
  readonly why: string;
  readonly details: readonly string[];
  /** Who decided, if not just the seats. */
  readonly decidedBy?: string;
}

/** A result: the common fields and those of the panel. */
export type PanelResult = PanelResultBase & Readonly<Record<string, unknown>>;
