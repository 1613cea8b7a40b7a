import type { Json, JsonObject } from '../common/json.ts';
import type { AuditFrame } from './audit-frame.ts';
import type { PanelDetails } from './details.ts';

/**
 * The words of `/inspect`, a WebSocket of JSON texts. A client sends {@link ClientMessage}s; each
 * is answered by one {@link Answer} with its id, and a subscription pushes {@link Push}es that
 * carry the id of the message that began it. `frame` pushes are states: a slow client gets fewer
 * of them, always the newest. `rows` pushes are journal rows: none is left out, and a client that
 * was away goes on with `fromSeq`. Times are milliseconds since 1970.
 */
export type ServerMessage = Answer | Push;

/** Answer to one client message. */
export type Answer =
  | { readonly id: number; readonly ok: true; readonly result: Json }
  | { readonly id: number; readonly ok: false; readonly error: WireError };

/** A refusal: a code of the error table, and what was wrong. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly data?: JsonObject;
}

/** Something of a subscription. */
export type Push =
  | { readonly sub: number; readonly kind: 'frame'; readonly frame: Frame }
  | {
      readonly sub: number;
      readonly kind: 'rows';
      readonly rows: readonly JournalRow[];
      /** Where to go on: a `fromSeq` of the same topic. */
      readonly nextSeq: number;
    }
  | { readonly sub: number; readonly kind: 'shown'; readonly event: JsonObject }
  | { readonly sub: number; readonly kind: 'ended'; readonly error: WireError };

/** States that subscriptions push, one shape a topic. */
export type Frame = HelloFrame | ActorsFrame | ActorFrame | PanelFrame | AuditFrame | RuntimeFrame;

/** First thing that a client is told, without asking (`sub` 0). */
export interface HelloFrame {
  readonly topic: 'hello';
  readonly version: string;
  readonly now: number;
  /** Changes with every start of the server. */
  readonly epoch: string;
  /** Actions that the operator turned on. */
  readonly actions: readonly ('send' | 'retry' | 'fork' | 'hosting' | 'reports')[];
  /** Kinds of actors that take test events. */
  readonly developmentKinds: readonly string[];
}

/** The directory: whole in one or more frames with `isFirst`/`isWhole`, then what changed. */
export interface ActorsFrame {
  readonly topic: 'actors';
  /** Forget what was known before this frame. */
  readonly isFirst: boolean;
  /** Everything that the directory holds has been sent. */
  readonly isWhole: boolean;
  readonly rows: readonly ActorRow[];
  /** Ids of actors that were purged, or left out above the bound. */
  readonly gone: readonly string[];
  /** All actors by `kind`, then by state; also those that the directory has no row for. */
  readonly counts: readonly ActorCount[];
  /** How many rows the directory may hold; older finished actors are left out above it. */
  readonly rowsMax: number;
}

/** One line of the directory. */
export interface ActorRow {
  readonly id: string;
  readonly kind: string;
  /** Leaf states by dots, parallel ones joined by `, `. */
  readonly state: string;
  readonly status: string;
  readonly seq: number;
  readonly createdAt: number;
  /** When it last moved. */
  readonly at: number;
  /** Type of its last event; `null` until its journal was looked at. */
  readonly lastEvent: string | null;
}

/** How many actors of a kind are in a state. */
export interface ActorCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

/** An actor at one row of its journal, redacted by the allow list of its machine. */
export interface ActorPoint {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  readonly seq: number;
  readonly at: number;
  readonly createdAt: number;
  readonly status: string;
  readonly value: Json;
  /** Ids of all active states, as in the machine's graph. */
  readonly activeIds: readonly string[];
  /** Hidden members hold a {@link Hidden} in their place. */
  readonly context: JsonObject;
  readonly tags: readonly string[];
  readonly output: Json;
  readonly timers: readonly TimerLine[];
  readonly effects: readonly EffectLine[];
  /** What can happen from here. */
  readonly possible: readonly PossibleEvent[];
  /** What led here; `null` at the first row. */
  readonly last: LastStep | null;
}

/** Stands where a value is not shown. */
export interface Hidden {
  readonly hidden: 'text' | 'number' | 'boolean' | 'list' | 'object' | 'null';
  /** Characters, items or members. */
  readonly size: number;
}

/** A pending timer. */
export interface TimerLine {
  readonly timerId: string;
  readonly due: number;
  readonly eventType: string;
}

/** A running effect. */
export interface EffectLine {
  readonly src: string;
  readonly childId: string;
  readonly attempt: number;
  /** Waits for an answer from outside. */
  readonly waiting: boolean;
}

/** One transition that an event can take from here. */
export interface PossibleEvent {
  readonly transitionId: string;
  readonly eventType: string;
  readonly trigger: string;
  readonly label: string;
  readonly guard: string | null;
  readonly targetIds: readonly string[];
}

/** The row that led to a point. */
export interface LastStep {
  readonly event: JsonObject;
  readonly entry: string;
  readonly cause: JsonObject;
  /** Transitions taken by it, in order, `always` ones included. */
  readonly transitionIds: readonly string[];
  readonly leftIds: readonly string[];
}

/** An actor now. */
export interface ActorFrame extends ActorPoint {
  readonly topic: 'actor';
  /** Events that wait to be taken. */
  readonly mailbox: number;
  readonly deadLetters: readonly DeadLetterLine[];
}

/** An event that an actor could not take. */
export interface DeadLetterLine {
  readonly deadLetterId: string;
  readonly actorId: string;
  readonly at: number;
  readonly event: JsonObject;
  readonly reason: string;
}

/** One row of a journal, redacted. */
export interface JournalRow {
  readonly id: string;
  readonly kind: string;
  readonly seq: number;
  readonly globalSeq: number;
  readonly at: number;
  readonly entry: string;
  readonly event: JsonObject;
  readonly cause: JsonObject;
  readonly version: number;
  readonly activeIds: readonly string[];
  readonly status: string;
  readonly emits: readonly string[];
}

/** A panel now: the same shape for every kind of panel, and in `details` what is its kind's own. */
export interface PanelFrame {
  readonly topic: 'panel';
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly phase: string;
  readonly phases: readonly string[];
  readonly question: string;
  readonly options: readonly string[];
  readonly createdAt: number;
  readonly at: number;
  readonly deadlineAt: number | null;
  readonly seats: readonly PanelSeat[];
  readonly turns: readonly PanelTurn[];
  readonly ballots: readonly PanelBallot[];
  /** One row an option, best first; `null` before the count. */
  readonly tally: readonly PanelCount[] | null;
  readonly decision: PanelDecision | null;
  readonly cost: PanelCost;
  /** `null` on kinds that have none, and where the brief is not kept any more. */
  readonly details: PanelDetails | null;
}

/** A panel as a list of panels tells it. */
export interface PanelLine {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** What was decided, or how else it ended; `null` before the end. */
  readonly decision: string | null;
}

/** Who sits on a panel. */
export interface PanelSeat {
  readonly seat: string;
  readonly role: string;
  /** Model, rule or caller's agent: shown to the operator alone. */
  readonly filledBy: string;
  readonly state: 'waiting' | 'speaking' | 'spoken' | 'failed';
}

/** One finished turn, with its text. */
export interface PanelTurn {
  readonly seat: string;
  readonly phase: string;
  readonly round: number;
  readonly at: number;
  readonly isOk: boolean;
  readonly text: string;
}

/** One seat's ballot. */
export interface PanelBallot {
  readonly seat: string;
  readonly round: number;
  /** Options, best first. */
  readonly ranking: readonly string[];
  readonly confidence: number | null;
  readonly reason: string;
}

/** One line of a tally. */
export interface PanelCount {
  readonly option: string;
  readonly score: string;
  readonly detail: string;
}

/** What was decided. */
export interface PanelDecision {
  readonly option: string | null;
  readonly how: string;
  readonly isForced: boolean;
  readonly dissent: readonly { readonly seat: string; readonly text: string }[];
}

/** What a panel cost so far. */
export interface PanelCost {
  readonly microUsd: string;
  readonly budgetMicroUsd: string | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly turns: number;
}

/** The runtime: the first frame carries what is kept, later ones one sample each. */
export interface RuntimeFrame {
  readonly topic: 'runtime';
  readonly isFirst: boolean;
  readonly samples: readonly RuntimeSample[];
  /** Bytes and rows of every key family against its bound. */
  readonly store: readonly StoreFamily[];
  readonly effects: readonly EffectLoad[];
}

/** One second. Rates are per second, times in milliseconds, sizes in bytes. */
export interface RuntimeSample {
  readonly at: number;
  readonly events: number;
  readonly commits: number;
  readonly commitP50Ms: number | null;
  readonly commitP99Ms: number | null;
  readonly pendingCommits: number;
  readonly liveActors: number;
  readonly timers: number;
  readonly timersDue: number;
  readonly runningEffects: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly loopDelayP99Ms: number;
  readonly sessions: number;
  readonly streams: number;
  readonly consoles: number;
  readonly calls: number;
}

/** One key family of a store. */
export interface StoreFamily {
  readonly environment: string;
  readonly family: string;
  readonly rows: number;
  readonly bytes: number;
  /** In words, as in docs/retention.md. */
  readonly bound: string;
  /** Share of the bound in use, 0 to 1; `null` where it has no number. */
  readonly used: number | null;
}

/** Effects of one name since the start. */
export interface EffectLoad {
  readonly kind: string;
  readonly src: string;
  readonly provider: string;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  readonly retried: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}
