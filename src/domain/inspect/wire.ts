import type { Json, JsonObject } from '../common/json.ts';
import type { AuditFrame } from './audit-frame.ts';
import type { CoverageReport } from './coverage.ts';
import type { PanelDetails } from './details.ts';

/**
 * The protocol of `/inspect`, a WebSocket of JSON texts. A client sends {@link ClientMessage}s.
 * Each gets one {@link WireReply} with its id. A subscription pushes {@link Push}es with the id of
 * the message that started it. `frame` pushes are states: a slow client gets fewer, the newest.
 * `rows` pushes are journal rows: none is skipped, and a returning client continues with `fromSeq`.
 * Times are milliseconds since 1970.
 */
export type ServerMessage = WireReply | Push;

/** The response to a client message. */
export type WireReply =
  | { readonly id: number; readonly ok: true; readonly result: Json }
  | { readonly id: number; readonly ok: false; readonly error: WireError };

/** An error: a code of the error table and a description. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly data?: JsonObject;
}

/** A push of a subscription. */
export type Push =
  | { readonly sub: number; readonly kind: 'frame'; readonly frame: Frame }
  | {
      readonly sub: number;
      readonly kind: 'rows';
      readonly rows: readonly JournalRow[];
      /** Continuation point: a `fromSeq` of the same topic. */
      readonly nextSeq: number;
    }
  | { readonly sub: number; readonly kind: 'shown'; readonly event: JsonObject }
  | { readonly sub: number; readonly kind: 'ended'; readonly error: WireError };

/** States that subscriptions push, one shape per topic. */
export type Frame = HelloFrame | ActorsFrame | ActorFrame | PanelFrame | AuditFrame | RuntimeFrame;

/** The first message to a client, sent without a request (`sub` 0). */
export interface HelloFrame {
  readonly topic: 'hello';
  readonly version: string;
  readonly now: number;
  /** Changes at every server start. */
  readonly epoch: string;
  /** Actions that the operator enabled. */
  readonly actions: readonly ('send' | 'retry' | 'fork' | 'hosting' | 'reports')[];
  /** Kinds of actors that accept test events. */
  readonly developmentKinds: readonly string[];
}

/**
 * The directory of actors. It arrives complete in one or more frames with `isFirst` and `isWhole`;
 * changes follow.
 */
export interface ActorsFrame {
  readonly topic: 'actors';
  /** Discard all rows from before this frame. */
  readonly isFirst: boolean;
  /** The complete directory has been sent. */
  readonly isWhole: boolean;
  readonly rows: readonly ActorRow[];
  /** Ids of actors that were purged or exceed the limit of rows. */
  readonly gone: readonly string[];
  /** Number of actors by `kind` and state, including actors without a row. */
  readonly counts: readonly ActorCount[];
  /** Maximum number of rows. Older finished actors are omitted beyond it. */
  readonly rowsMax: number;
}

/** A row of the directory. */
export interface ActorRow {
  readonly id: string;
  readonly kind: string;
  /** Leaf states as dotted paths; parallel ones joined by `, `. */
  readonly state: string;
  readonly status: string;
  readonly seq: number;
  readonly createdAt: number;
  /** Time of the last transition. */
  readonly at: number;
  /** Type of the last event; `null` until the journal was read. */
  readonly lastEvent: string | null;
}

/** Number of actors of a kind in a state. */
export interface ActorCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

/** An actor at one journal row, redacted by the allow list of its machine. */
export interface ActorPoint {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  readonly seq: number;
  readonly at: number;
  readonly createdAt: number;
  readonly status: string;
  readonly value: Json;
  /** Ids of all active states, as in the machine graph. */
  readonly activeIds: readonly string[];
  /** Hidden members are replaced by {@link HiddenValue}. */
  readonly context: JsonObject;
  readonly tags: readonly string[];
  readonly output: Json;
  readonly timers: readonly TimerLine[];
  readonly effects: readonly EffectLine[];
  /** Events that can occur from here. */
  readonly possible: readonly PossibleEvent[];
  /** The step that led here; `null` at the first row. */
  readonly last: LastStep | null;
}

/** Placeholder of a hidden value. */
export interface HiddenValue {
  readonly hidden: 'text' | 'number' | 'boolean' | 'list' | 'object' | 'null';
  /** Number of characters, items or members. */
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
  /** Whether it waits for an external response. */
  readonly waiting: boolean;
}

/** A transition that an event can trigger from here. */
export interface PossibleEvent {
  readonly transitionId: string;
  readonly eventType: string;
  readonly trigger: string;
  readonly label: string;
  readonly guard: string | null;
  readonly targetIds: readonly string[];
}

/** The journal row that led to a point. */
export interface LastStep {
  readonly event: JsonObject;
  readonly entry: string;
  readonly cause: JsonObject;
  /** Its transitions in order, including `always` ones. */
  readonly transitionIds: readonly string[];
  readonly leftIds: readonly string[];
}

/** The current state of an actor. */
export interface ActorFrame extends ActorPoint {
  readonly topic: 'actor';
  /** Number of queued events. */
  readonly mailbox: number;
  readonly deadLetters: readonly DeadLetterLine[];
}

/** An event that an actor could not process. */
export interface DeadLetterLine {
  readonly deadLetterId: string;
  readonly actorId: string;
  readonly at: number;
  readonly event: JsonObject;
  readonly reason: string;
}

/** A redacted journal row. */
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

/** The current state of a panel. All kinds share this shape; `details` depends on the kind. */
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
  /** One row per option, best first; `null` before the count. */
  readonly tally: readonly PanelCount[] | null;
  readonly decision: PanelDecision | null;
  readonly cost: PanelCost;
  /** `null` for kinds without details, and if the brief is no longer stored. */
  readonly details: PanelDetails | null;
}

/** A panel in a list. */
export interface PanelLine {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** The decision or other outcome; `null` before the end. */
  readonly decision: string | null;
}

/** A member of a panel. */
export interface PanelSeat {
  readonly seat: string;
  readonly role: string;
  /** Model, rule or caller's agent; shown only to the operator. */
  readonly filledBy: string;
  readonly state: 'waiting' | 'speaking' | 'spoken' | 'failed';
}

/** A finished turn with its text. */
export interface PanelTurn {
  readonly seat: string;
  readonly phase: string;
  readonly round: number;
  readonly at: number;
  readonly isOk: boolean;
  readonly text: string;
}

/** The ballot of one seat. */
export interface PanelBallot {
  readonly seat: string;
  readonly round: number;
  /** Options, best first. */
  readonly ranking: readonly string[];
  readonly confidence: number | null;
  readonly reason: string;
}

/** A line of a tally. */
export interface PanelCount {
  readonly option: string;
  readonly score: string;
  readonly detail: string;
}

/** The decision of a panel. */
export interface PanelDecision {
  readonly option: string | null;
  readonly how: string;
  readonly isForced: boolean;
  readonly dissent: readonly { readonly seat: string; readonly text: string }[];
}

/** The cost of a panel so far. */
export interface PanelCost {
  readonly microUsd: string;
  readonly budgetMicroUsd: string | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly turns: number;
}

/** Runtime metrics. The first frame contains all stored samples, later frames one each. */
export interface RuntimeFrame {
  readonly topic: 'runtime';
  readonly isFirst: boolean;
  readonly samples: readonly RuntimeSample[];
  /** Bytes and rows of every key family against its limit. */
  readonly store: readonly StoreFamily[];
  readonly effects: readonly EffectLoad[];
}

/** Metrics of one second. Rates are per second, times in milliseconds, sizes in bytes. */
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

/** A key family of a store. */
export interface StoreFamily {
  readonly environment: string;
  readonly family: string;
  readonly rows: number;
  readonly bytes: number;
  /** Description of the limit, as in docs/retention.md. */
  readonly bound: string;
  /** Used share of the limit, 0 to 1; `null` if the limit has no number. */
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

/** Result of each read, by the name of its query. */
export interface ReadResults {
  readonly point: ActorPoint;
  /** `firstSeq` is the oldest stored row. */
  readonly journal: {
    readonly rows: readonly JournalRow[];
    readonly firstSeq: number;
    readonly lastSeq: number;
  };
  readonly dead_letters: { readonly rows: readonly DeadLetterLine[]; readonly cursor?: string };
  readonly find: { readonly rows: readonly ActorRow[] };
  readonly panels: { readonly panels: readonly PanelLine[] };
  readonly coverage: { readonly reports: readonly CoverageReport[] };
}
