import type {
  AnyStateMachine,
  ContextFrom,
  EventFrom,
  EventObject,
  InputFrom,
  OutputFrom,
  StateValueFrom,
} from 'xstate';
import type { SearchAttributes, SearchQuery, SearchValues } from '../search/search-types.ts';
import type { DateRange, Schedule, Scheduled } from '../timer/schedule-types.ts';

/** An event for an actor: plain JSON with a `type`. */
export interface Ev extends EventObject {
  readonly [key: string]: unknown;
}

/** Status of an actor. A `stuck` actor waits for a repair, see `ActorEngine.retry`. */
export type ActorStatus = 'active' | 'done' | 'error' | 'stopped' | 'stuck';

/** Acknowledgement of an accepted event, returned only after the commit is on disk. */
export interface Ack {
  /** Sequence number of the journal row that holds the event. */
  readonly seq: number;
  /** State value after the event, as XState writes it. */
  readonly value: unknown;
  readonly status: ActorStatus;
}

/** Public state of an actor at one point of its journal. */
export interface View {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  readonly seq: number;
  /** When the row `seq` was written, in milliseconds. */
  readonly at: number;
  readonly createdAt: number;
  readonly status: ActorStatus;
  readonly value: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly output?: unknown;
  /** The error that ended the actor; only with the status `error`. */
  readonly error?: unknown;
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
}

/** A pending timer. */
export interface TimerRow {
  /** XState's send id: equal ids replace each other. */
  readonly timerId: string;
  /** Milliseconds since 1970; may be years ahead. */
  readonly due: number;
  /** `actor:transition:timerId`. An event that carries another token is stale. */
  readonly token: string;
  readonly event: Ev;
  /** Timers of one actor due at the same time fire in ascending order. */
  readonly order?: number;
}

/** A running effect. */
export interface EffectRow {
  /** XState's child id: equal ids replace each other. */
  readonly childId: string;
  /** Name of the effect in the definition. */
  readonly src: string;
  readonly input: unknown;
  /**
   * `actor:transition:effect`. The same on every attempt; use it as the idempotency key of
   * payments.
   */
  readonly token: string;
  /** Attempts started so far. */
  readonly attempt: number;
  /** How many of them the end of a process interrupted; they do not count towards the limit. */
  readonly spared?: number;
  /** The last attempt known to be over. A later one was interrupted by a crash. */
  readonly over?: number;
  /** True while the effect waits for `complete`; it is not run again. */
  readonly waiting: boolean;
  /** The trace that started it; see `TellOptions.trace`. */
  readonly trace?: string;
  /** Present if the machine wants the actor's snapshots: it has `onSnapshot`. */
  readonly sync?: true;
  /** Its name in the tree of its root actor. */
  readonly systemId?: string;
}

/** Why a journal row exists. `who` is set if a person caused it, see `TellOptions.who`. */
export type Cause =
  | { readonly by: 'create'; readonly who?: string }
  | { readonly by: 'outside'; readonly idempotencyKey?: string; readonly who?: string }
  | { readonly by: 'timer'; readonly token: string }
  | { readonly by: 'effect'; readonly token: string; readonly attempt: number }
  | { readonly by: 'actor'; readonly from: string; readonly fromSeq: number }
  | { readonly by: 'retry'; readonly deadLetterId: string; readonly who?: string }
  | { readonly by: 'engine'; readonly why: 'migrate' | 'fork' | 'stop'; readonly who?: string };

/** Type of a journal row. `stale` and `poison` rows did not change the state. */
export type JournalKind = 'event' | 'stale' | 'poison';

/** One row of an actor's journal. */
export interface JournalEntry {
  readonly id: string;
  readonly kind: string;
  readonly seq: number;
  /** Position among the rows of all actors in the store. */
  readonly globalSeq: number;
  readonly at: number;
  readonly entry: JournalKind;
  readonly event: Ev;
  readonly cause: Cause;
  readonly version: number;
  /** State value after the row. */
  readonly value: unknown;
  readonly status: ActorStatus;
  /**
   * 16 hex digits of SHA-256 over state value, status and the hashes of the context's members, all
   * after the row.
   */
  readonly hash: string;
  /** Events that the machine emitted with this row, without addressed sends. */
  readonly emits: readonly Ev[];
  /** The trace that came with the event; see `TellOptions.trace`. */
  readonly trace?: string;
}

/** An event that an actor could not process. */
export interface DeadLetter {
  readonly deadLetterId: string;
  readonly actorId: string;
  readonly at: number;
  readonly event: Ev;
  readonly cause: Cause;
  readonly reason: string;
}

/** Returned by an effect that ends later, by a call to `ActorEngine.complete`. */
export const LATER: unique symbol = Symbol('later');

/** What an effect receives in addition to its input. */
export interface EffectContext {
  readonly actorId: string;
  /** Stable across attempts and restarts: use it as the idempotency key of side effects. */
  readonly token: string;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /**
   * Aborts if the machine leaves the state, the actor ends, the time is up, or the engine closes.
   */
  readonly signal: AbortSignal;
  now(): number;
  /** Sends an event to any actor and resolves when it is durable. Effects never `ask`. */
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  /** Does the same, with the event typed by the kind of the actor. */
  tell<M extends AnyStateMachine>(
    kind: Kind<M>,
    id: string,
    event: EventFrom<M>,
    o?: TellOptions,
  ): Promise<Ack>;
  /** Creates an actor, with the input typed by its kind. See `ActorEngine.create`. */
  create<M extends AnyStateMachine>(
    kind: Kind<M>,
    id: string,
    input: InputFrom<M>,
    o?: CreateOptions,
  ): Promise<Ack>;
  create(kind: string, id: string, input?: unknown, o?: CreateOptions): Promise<Ack>;
  /** Puts an actor into a queue, with the input typed by its kind. See `ActorEngine.enqueue`. */
  enqueue<M extends AnyStateMachine>(
    queue: string,
    kind: Kind<M>,
    id: string,
    input: InputFrom<M>,
  ): Promise<Enqueued>;
  enqueue(queue: string, kind: string, id: string, input?: unknown): Promise<Enqueued>;
  /**
   * Sends an event to the actor of the effect. The event is dropped once the effect has ended.
   * Calls keep their order.
   *
   * @throws {EngineError} `EVENT_INVALID`; `OVERLOADED` if too many events are not on disk yet.
   */
  sendBack(event: Ev): void;
  /** Calls `listener` for every event that the machine sends to this effect with `sendTo`. */
  receive(listener: (event: Ev) => void): void;
  /** Reports progress: the timeouts of the attempt begin again. */
  heartbeat(): void;
  /** Sends a transient event, such as a token delta, to current watchers. It is not stored. */
  show(event: Ev): void;
}

/** Implementation of a named effect of the machine. */
export interface Effect<In = never, Out = unknown> {
  run(input: In, context: EffectContext): Promise<Out | typeof LATER>;
  /** Maximum attempts that end, including those before restarts. Default 3. */
  readonly attempts?: number;
  /** Process crashes during this effect after which it is not run again. Default 3. */
  readonly deathsMax?: number;
  /** Returns the milliseconds before attempt n+1. Default `min(30 s, 250 ms · 2^n)`. */
  backoff?(attempt: number): number;
  /** Milliseconds after the last heartbeat, or the start, that end an attempt. Default 15 min. */
  readonly timeoutMs?: number;
  /** Milliseconds without a heartbeat that end an attempt. Default: only `timeoutMs` counts. */
  readonly heartbeatMs?: number;
  /** Returns whether to retry after an error. Default: always. */
  isRetryable?(error: unknown): boolean;
  /** What to do after which error, within `attempts`. Default: `isRetryable` and `backoff`. */
  readonly retry?: RetryRule;
  /** At most `max` effects with the same key run at once; the rest wait in order. */
  readonly limit?: { readonly max: number; key(input: In): string };
}

/**
 * The pause before the next attempt in milliseconds, or `false` for none: as a function of the
 * thrown error and the attempt, from 1, or as a table by the error's code or name. An error that a
 * table does not list follows `backoff`. A rule that throws counts as `false` and is reported.
 */
export type RetryRule =
  | ((error: unknown, attempt: number) => number | false)
  | Readonly<Record<string, number | false>>;

/** An error as written to events and the journal. */
export interface EffectError {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
}

/** Converts the data of an older machine version to the next version. */
export interface Migration {
  readonly from: number;
  /**
   * Migrates one actor.
   *
   * @param persisted - Persisted snapshot, pending timers and running effects of version `from`.
   * @returns The same for version `from + 1`. Timers keep their due time unless changed here.
   */
  migrate(persisted: PersistedActor): PersistedActor;
}

/** The stored parts of an actor. */
export interface PersistedActor {
  readonly snapshot: PersistedSnapshot;
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
}

/** XState's persisted snapshot without children: running effects are in their own rows. */
export interface PersistedSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value: unknown;
  readonly historyValue?: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** A kind of actor: a machine, its version, and its effect implementations. See `define`. */
export interface Definition<M extends AnyStateMachine = AnyStateMachine> {
  readonly kind: string;
  readonly version: number;
  readonly machine: M;
  readonly effects: Readonly<Record<string, Effect<never>>>;
  /** Definitions of the machines that it invokes or spawns, by their names in the machine. */
  readonly children: Readonly<Record<string, Definition>>;
  readonly migrations: readonly Migration[];
  /** Definitions of earlier versions, which their actors keep until they end. */
  readonly earlier?: readonly Definition[];
  readonly keep?: JournalKeep;
  readonly search?: SearchAttributes;
}

/**
 * Retention of a kind's actors and of their journals; without it all rows are kept. Rows past
 * `rows` or `ageMs` are dropped from the journal and the feed when a later snapshot is written.
 * Time travel to them throws `JOURNAL_TRIMMED`; `journal`, `watch` and `feed` start at the first
 * row kept.
 */
export interface JournalKeep {
  /** Number of newest rows to keep. Up to two snapshot intervals more are kept. */
  readonly rows?: number;
  /** Maximum age of kept rows, in milliseconds. */
  readonly ageMs?: number;
  /**
   * Milliseconds after its end after which an actor is purged with all its rows and children.
   * Default: it is kept until `purge`. Children are purged with their parent only.
   */
  readonly endedMs?: number;
}

/** Options of `tell`. */
export interface TellOptions {
  /**
   * A repeat with the same key on the same actor gets the first acknowledgement; kept for 24 h.
   * Another event with the same key is rejected with `IDEMPOTENCY_CONFLICT`.
   */
  readonly idempotencyKey?: string;
  /** Rejects with `SEQ_CONFLICT` unless the actor is at this sequence number. */
  readonly expectSeq?: number;
  /** Author of the call as recorded in the journal; same format as an id. */
  readonly who?: string;
  /**
   * Trace of this work: a `traceparent` or any other text of 1 to 256 printable characters. The
   * actor belongs to it until another trace comes, across restarts. Its effects and the actors it
   * tells inherit the trace. Only the engine's observer uses it.
   */
  readonly trace?: string;
}

/** Options of `create`. */
export interface CreateOptions {
  readonly idempotencyKey?: string;
  /** Author of the call; see `TellOptions.who`. */
  readonly who?: string;
  /** Trace of this work; see `TellOptions.trace`. */
  readonly trace?: string;
}

/** Options of `ask`. */
export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Options of `waitFor`. */
export interface WaitOptions extends AskOptions {
  /** Waits for an actor that does not exist yet. Default: `ACTOR_UNKNOWN`. */
  readonly untilCreated?: boolean;
}

/** Filter and page of `list`. */
export interface ListQuery extends SearchQuery {
  readonly kind?: string;
  /** Top-level state, or `a.b` path of a nested one, in the format of `stateName`. */
  readonly state?: string;
  readonly status?: ActorStatus;
  /** Prefix of the id. */
  readonly prefix?: string;
  readonly cursor?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

/** One row of `list`. */
export interface ListRow {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly status: ActorStatus;
  readonly seq: number;
  readonly createdAt: number;
  readonly at: number;
  /** Values of the search attributes that its kind declares. */
  readonly attributes?: SearchValues;
}

/** A page with the cursor of the next page, if there is one. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly cursor?: string;
}

/** A kind of actor with its machine, such as a `Definition`. */
export interface Kind<M extends AnyStateMachine = AnyStateMachine> {
  readonly kind: string;
  readonly machine: M;
}

/** A view with the types of the actor's machine. */
export interface ViewOf<M extends AnyStateMachine> extends View {
  readonly value: StateValueFrom<M>;
  readonly context: ContextFrom<M> & View['context'];
  readonly output?: OutputFrom<M>;
}

/** The actors of one kind, with the types of their machine. See `ActorEngine.of`. */
export interface TypedActors<M extends AnyStateMachine> {
  /** Creates an actor. See `ActorEngine.create`. */
  create(id: string, input: InputFrom<M>, o?: CreateOptions): Promise<Ack>;
  /** Sends an outside event to an actor. See `ActorEngine.tell`. */
  tell(id: string, event: EventFrom<M>, o?: TellOptions): Promise<Ack>;
  /** Sends an event, then waits until the view matches. See `ActorEngine.ask`. */
  ask(
    id: string,
    event: EventFrom<M>,
    until: (view: ViewOf<M>) => boolean,
    o: AskOptions,
  ): Promise<ViewOf<M>>;
  /** Waits until the view matches. See `ActorEngine.waitFor`. */
  waitFor(id: string, until: (view: ViewOf<M>) => boolean, o: WaitOptions): Promise<ViewOf<M>>;
  /**
   * Returns the committed state, or the state after row `atSeq`. Throws `ACTOR_KIND_CONFLICT` if
   * the actor is of another kind.
   */
  view(id: string, atSeq?: number): Promise<ViewOf<M>>;
}

/** The durable actor engine. Acknowledging promises resolve only once the data is on disk. */
export interface ActorEngine {
  /**
   * Creates an actor. A repeat with the same id returns the first acknowledgement, or throws
   * `ACTOR_KIND_CONFLICT` if the actor is of another kind.
   */
  create(kind: string, id: string, input?: unknown, o?: CreateOptions): Promise<Ack>;
  /**
   * Returns the actors of one kind, with state, context, events and output typed by its machine.
   *
   * @example
   * const counters = engine.of(counter);
   * await counters.tell('a', { type: 'add', n: 2 });
   * const { context } = await counters.view('a');
   */
  of<M extends AnyStateMachine>(kind: Kind<M>): TypedActors<M>;
  /** Sends an outside event to an actor. */
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  /** Sends an event, then waits until the view matches. Throws `ASK_TIMEOUT` after the timeout. */
  ask(id: string, event: Ev, until: (view: View) => boolean, o: AskOptions): Promise<View>;
  /** Waits until the view matches, without sending an event. */
  waitFor(id: string, until: (view: View) => boolean, o: WaitOptions): Promise<View>;
  /** Returns the committed state, or the state after row `atSeq`. */
  view(id: string, atSeq?: number): Promise<View>;
  /** Calls `listener` for every committed row from `fromSeq` on, in order, then for new rows. */
  watch(id: string, fromSeq: number, listener: (entry: JournalEntry) => void): () => void;
  /** Calls `listener` for the transient events that this actor's effects `show`. */
  watchShown(id: string, listener: (event: Ev) => void): () => void;
  journal(id: string, from?: number, limit?: number): AsyncIterable<JournalEntry>;
  /** Returns a page of actors. Throws `QUERY_INVALID` for attributes that the kind lacks. */
  list(query: ListQuery): Promise<Page<ListRow>>;
  /** Calls `listener` for the committed rows of all actors from `fromGlobalSeq` on, in order. */
  feed(fromGlobalSeq: number, listener: (entry: JournalEntry) => void): () => void;
  /** Returns at most `limit` committed rows of all actors, from `fromGlobalSeq` on. */
  feedRows(fromGlobalSeq: number, limit: number): Promise<readonly JournalEntry[]>;
  /** Calls `listener` for every committed change of a `list` row, including purges. */
  watchList(listener: (change: ListChange) => void): () => void;
  /** Calls `listener` with the id of every purged actor. */
  watchPurges(listener: (id: string) => void): () => void;
  /**
   * Returns an actor now or after row `atSeq`, with the transitions that the row took and those
   * possible next. Nothing is run. Throws the errors of `view`.
   */
  explain(id: string, atSeq?: number): Promise<Explained>;
  /** Returns how many accepted events of an actor are not on disk yet or wait for its repair. */
  waiting(id: string): number;
  /** Stops an actor, its timers and its effects. */
  stop(id: string): Promise<Ack>;
  /**
   * Removes an ended actor and all its rows. Throws `ACTOR_ACTIVE` if it has not ended or still has
   * undelivered messages. A new actor with the same id can reuse the old tokens.
   */
  purge(id: string): Promise<void>;
  /**
   * Copies an actor as of row `atSeq` under a new id, without its effects. Running child machines
   * are copied with it, under the copy's id, as they were when that row was written. Throws the
   * errors of `view`, `REPLAY_VERSION_GONE` naming an actor that the program cannot continue.
   */
  fork(id: string, atSeq: number, o?: ForkOptions): Promise<{ readonly id: string } & Ack>;
  /**
   * Ends an effect that returned `LATER`. Throws `EFFECT_UNKNOWN` if its row is no longer current.
   */
  complete(effectToken: string, result: EffectResult): Promise<Ack>;
  deadLetters(cursor?: string): Promise<Page<DeadLetter>>;
  /** Delivers a dead letter again, for example after a new version of the machine. */
  retry(deadLetterId: string, o?: RetryOptions): Promise<Ack>;
  /**
   * Creates an actor when its queue has a free slot: immediately, or by priority and then arrival.
   * A full key does not block other keys. A repeat with the same id has no effect and returns the
   * current state. Throws `QUEUE_UNKNOWN`, `OVERLOADED` above `waitingMax`, `STORE_FULL`,
   * `ACTOR_KIND_CONFLICT`.
   */
  enqueue(
    queue: string,
    kind: string,
    id: string,
    input?: unknown,
    o?: EnqueueOptions,
  ): Promise<Enqueued>;
  /** Returns the actors that wait in a queue, in order, 100 per page. Throws `QUEUE_UNKNOWN`. */
  queued(queue: string, cursor?: string): Promise<Page<QueuedRow>>;
  /**
   * Removes a waiting actor from a queue; returns `false` if it does not wait there. Throws
   * `QUEUE_UNKNOWN`.
   */
  dequeue(queue: string, id: string): Promise<boolean>;
  /**
   * Creates or changes a schedule. On every date of its pattern it creates the actor
   * `<name>@<date>`, with the date in UTC as in RFC 3339, exactly once across crashes and restarts.
   * The due date is kept if the pattern stays the same. Throws `SCHEDULE_INVALID`, `QUEUE_UNKNOWN`,
   * `ACTOR_KIND_UNKNOWN`, `STORE_FULL`, `OVERLOADED` above `SCHEDULES_MAX`.
   */
  schedule(name: string, schedule: Schedule): Promise<Scheduled>;
  /** Returns all schedules, sorted by name. */
  schedules(): Promise<readonly Scheduled[]>;
  /**
   * Pauses a schedule, also across restarts and changes of the schedule: its dates pass and create
   * nothing. Throws `SCHEDULE_INVALID` if there is none with this name.
   */
  pauseSchedule(name: string): Promise<Scheduled>;
  /** Resumes a paused schedule with its next date. Throws `SCHEDULE_INVALID`. */
  resumeSchedule(name: string): Promise<Scheduled>;
  /**
   * Creates the actors of past dates that have none, for example those of a pause. Jitter and
   * `overlap` do not apply. Throws `SCHEDULE_INVALID` above `BACKFILL_MAX` dates.
   *
   * @returns The ids of the actors of all dates in the range.
   */
  backfillSchedule(name: string, range: DateRange): Promise<readonly string[]>;
  /** Removes a schedule but not its actors; returns `false` if there is none. */
  unschedule(name: string): Promise<boolean>;
  /** Returns the current numbers for metrics. */
  stats(): EngineStats;
  /** Stops accepting events, aborts effects (they run again at the next start), awaits commits. */
  close(): Promise<void>;
}

/** Outcome of an effect. */
export type EffectResult =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: EffectError };

/** Current numbers of an engine, for metrics; see `ActorEngine.stats`. */
export interface EngineStats {
  readonly live: number;
  readonly pendingCommits: number;
  readonly runningEffects: number;
  /** Callers of `ask` and `waitFor` whose view has not matched yet. */
  readonly waitingCallers: number;
  /** Earliest timer, schedule date or queue rate refill, in milliseconds. */
  readonly nextDue: number | undefined;
  readonly globalSeq: number;
}

/** A committed change of one actor's `ActorEngine.list` row. */
export interface ListChange {
  /** `undefined` for a new actor. */
  readonly before: ListRow | undefined;
  /** `undefined` for a purged actor. */
  readonly after: ListRow | undefined;
  /** The journal row that caused it; `undefined` for a purge. */
  readonly entry: JournalEntry | undefined;
}

/**
 * An actor at one row of its journal, with the transitions to and from it. A transition is written
 * as `<source>|<event>|<index>`: the state's path with dots, the event type as in the machine (`''`
 * for `always`), and the index among that state's candidates for the event, from 0.
 */
export interface Explained {
  readonly view: View;
  /** The row `view.seq`; `undefined` if it was trimmed. */
  readonly entry: JournalEntry | undefined;
  /** State value before that row; `undefined` at the first row kept. */
  readonly valueBefore: unknown;
  /** Transitions that the row took, in order, including `always`; empty if unknown. */
  readonly taken: readonly string[];
  /** Candidates of every event that the current states handle, regardless of their guards. */
  readonly possible: readonly string[];
}

/** Options of `fork`. */
export interface ForkOptions {
  /** Copies no timers either, so the copy stays unchanged until it receives an event. */
  readonly withoutTimers?: boolean;
  /** Author of the call; see `TellOptions.who`. */
  readonly who?: string;
}

/** Options of `retry`. */
export interface RetryOptions {
  /** Author of the call; see `TellOptions.who`. */
  readonly who?: string;
}

/** Options of `ActorEngine.enqueue`. */
export interface EnqueueOptions {
  /** Key for the `perKey` limits, such as a customer. Up to `QUEUE_KEY_CHARS_MAX` characters. */
  readonly key?: string;
  /** Integer within `PRIORITY_MAX`; higher ones start first. Default 0. */
  readonly priority?: number;
}

/** Queue state of an actor. */
export interface Enqueued {
  readonly queue: string;
  readonly id: string;
  readonly state: 'waiting' | 'started';
  /** The actor's first acknowledgement, once it has started. */
  readonly ack?: Ack;
}

/** An actor that waits in a queue. */
export interface QueuedRow {
  readonly queue: string;
  readonly id: string;
  readonly kind: string;
  readonly key?: string;
  readonly priority: number;
  /** Time of enqueueing, in milliseconds. */
  readonly at: number;
}
