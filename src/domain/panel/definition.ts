import type { z } from 'zod';
import type { JsonObject } from '../common/json.ts';
import type { Answer, ParsedAnswer } from './answer.ts';
import type { TurnOrder, TurnPrompt } from './order.ts';
import type { Ballot, PanelInput, Seat, Turn } from './records.ts';
import type { PanelResultBase } from './result.ts';
import type { Tally, TallyRules } from './tally.ts';

/** An option as every panel has it. */
export interface PanelOption {
  readonly optionId: string;
  readonly name: string;
}

/** What every brief holds, whatever else a panel's own brief adds. Kept by hash. */
export interface PanelBrief {
  readonly question: string;
  readonly options: readonly PanelOption[];
  readonly evidence: readonly { readonly evidenceId: string; readonly text: string }[];
}

/**
 * What a seat sees of the others. `ring`: its own last stand and those of two neighbours under
 * letters, in rebuttals also the count per option. `all`: its own and those of everybody.
 */
export type ViewRule = 'none' | 'own' | 'ring' | 'all';

/** A phase in which seats take turns, all of them at once. */
export interface SeatPhase {
  readonly by: 'seats';
  /** Stands in the ids of turns, as {@link TurnPhase}; the last one is `vote`. */
  readonly name: string;
  /** Its state in the chart. */
  readonly state: string;
  readonly description: string;
  /** `stand`: a position with reasons. `talk`: no position. `ballot`: secret, the last phase. */
  readonly answer: 'stand' | 'talk' | 'ballot';
  readonly view: ViewRule;
  /** Name of the earlier phase whose turns, where they speak to a seat, that seat hears. */
  readonly hears?: string;
  /** Only seats that are spoken to take a turn. */
  readonly onlyAddressed?: boolean;
  /** Part of the round that may be left out or repeated; such phases follow each other. */
  readonly inRound?: boolean;
}

/** A phase in which nobody speaks: a pure function computes a note from what is there. */
export interface CodePhase<Brief extends PanelBrief = PanelBrief> {
  readonly by: 'code';
  readonly name: string;
  readonly state: string;
  readonly description: string;
  compute(facts: CodeFacts<Brief>): CodeNote;
}

/** One phase of a panel. */
export type PanelPhase<Brief extends PanelBrief = PanelBrief> = SeatPhase | CodePhase<Brief>;

/** What a phase of code computed. */
export interface CodeNote {
  /** For seats, transcript and result; kept by hash. */
  readonly content: JsonObject;
  /** For the tally; kept in the actor, at most a few hundred bytes. */
  readonly summary: JsonObject;
}

/** A turn with its words. */
export interface SpokenTurn extends Turn {
  readonly argument: string | null;
  readonly content: JsonObject | null;
}

/** What a phase of code computes from. The same facts give the same note. */
export interface CodeFacts<Brief extends PanelBrief = PanelBrief> {
  readonly brief: Brief;
  readonly seats: readonly Seat[];
  readonly policy: PanelPolicy;
  readonly turns: readonly SpokenTurn[];
  /** Contents of earlier phases of code, by name. */
  readonly notes: PanelNotes;
}

/** What the caller laid down for this panel, by name of the rule. */
export type PanelPolicy = Readonly<Record<string, readonly string[]>>;
/** What phases of code have computed, by the name of the phase. */
export type PanelNotes = Readonly<Record<string, JsonObject>>;

/** When the round is left out, checked in this order; else it begins while any are left. */
export type SkipRule = 'isUnanimous' | 'isStable' | 'mustHurry';

/** The state that decides about a round, and what leads around it. */
export interface RoundRule {
  readonly state: string;
  readonly description: string;
  readonly skipWhen: readonly SkipRule[];
}

/** What a prompt is worded from. */
export interface PromptFacts<Brief extends PanelBrief = PanelBrief> {
  readonly brief: Brief;
  readonly notes: PanelNotes;
  /** Gives an argument of a seat by its hash; names that would tell who speaks are taken out. */
  textOf(sha: string): string;
  /** Gives the further content of an answer by its hash, in the same way. */
  contentOf(sha: string): JsonObject;
}

/** What an answer is checked against. */
export interface ParseFacts<Brief extends PanelBrief = PanelBrief> {
  readonly order: TurnOrder;
  readonly brief: Brief;
}

/** What ballots and tally are made from, beside turns and ballots. */
export interface TallyFacts {
  readonly notes: PanelNotes;
  readonly policy: PanelPolicy;
  readonly seats: readonly Seat[];
}

/** How a panel ends. */
export type PanelOutcome = 'decided' | 'no_quorum' | 'cancelled' | 'failed';

/** What a result is written from. The same facts give the same result. */
export interface ReportFacts<Brief extends PanelBrief = PanelBrief> {
  readonly input: PanelInput;
  readonly outcome: PanelOutcome;
  readonly reason: string | null;
  readonly turns: readonly SpokenTurn[];
  /** Turns that were begun and cut off. */
  readonly cutTurns: number;
  /** With their reasons. Empty when nothing was counted. */
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  readonly brief: Brief;
  readonly notes: PanelNotes;
  readonly transcriptRoot: string | null;
}

/**
 * A panel: data, and a few pure functions. The machine, the effects, reading, cancelling, caller
 * turns, transcript, console and verification follow from it. A new panel is one such definition
 * and one line in `panels.ts`.
 */
export interface PanelDefinition<Brief extends PanelBrief = PanelBrief> {
  /** Kind of its actors, id of its chart. */
  readonly kind: string;
  /** Raised whenever the meaning of a state, event or context field changes. */
  readonly version: number;
  readonly title: string;
  readonly seats: { readonly least: number; readonly most: number };
  /** True: seats see each other by role. False: by letters that are dealt anew in each view. */
  readonly showsRoles: boolean;
  readonly phases: readonly PanelPhase<Brief>[];
  /** There when some phases are `inRound`. */
  readonly rounds?: RoundRule;
  readonly brief: z.ZodType<Brief>;
  /** True: until it is sealed nobody reads positions, turns or evidence. */
  readonly isSecret?: boolean;
  /** True: it may be bound (`isBound`), and takes no cancel from then on. */
  readonly mayBind?: boolean;
  /** The brief as transcripts show it; default the brief itself. */
  shown?(brief: Brief): PanelBrief;
  /** Shape of the result, see `report`. */
  readonly result: z.ZodType<PanelResult>;
  /** Words the prompt of a turn; equal orders give equal prompts. Names no model or vendor. */
  prompt(order: TurnOrder, facts: PromptFacts<Brief>): TurnPrompt;
  /** Checks an answer of a model or of the caller's agent. Never throws. */
  parse(value: unknown, facts: ParseFacts<Brief>): ParsedAnswer;
  /** Takes a turn with the rule that the seat's model names. */
  rule(order: TurnOrder, facts: PromptFacts<Brief>): Answer;
  /** Makes ballots from turns where a vote is more than a ranking; default `ballotsOf`. */
  ballots?(turns: readonly Turn[], cast: readonly Ballot[]): readonly Ballot[];
  /** Counts. Anyone can recompute it from the transcript. */
  tally(ballots: readonly Ballot[], rules: TallyRules, facts: TallyFacts): Tally;
  report(facts: ReportFacts<Brief>): PanelResult;
  /** Words a result, the decision in the first line. */
  resultLines(result: PanelResult): readonly string[];
}

/** A result: what all have in common, and what the panel's own shape adds. */
export type PanelResult = PanelResultBase & Readonly<Record<string, unknown>>;
