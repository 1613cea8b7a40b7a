import type { AnyStateMachine, EventObject } from 'xstate';
import type { Enqueued, EnqueueOptions, QueuedRow } from '../queue/queue-types.ts';
import type { Schedule, Scheduled } from '../timer/schedule-types.ts';
import type { Explained, ForkOptions, ListChange, RetryOptions } from '../view/look-types.ts';

/** An event for an actor: plain JSON with a `type`. */
export interface Ev extends EventObject {
  readonly [key: string]: unknown;
}

/** What became of an actor. `stuck` waits for a repair, see `ActorEngine.retry`. */
export type ActorStatus = 'active' | 'done' | 'error' | 'stopped' | 'stuck';

/** The answer to an accepted event; it exists only after the commit is on disk. */
export interface Ack {
  /** The journal row that holds the event. */
  readonly seq: number;
  /** State value after the event, as XState writes it. */
  readonly value: unknown;
  readonly status: ActorStatus;
}

/** What can be seen of an actor at one point of its journal. */
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
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
}

/** A pending timer. */
export interface TimerRow {
  /** XState's send id: equal ids replace each other. */
  readonly timerId: string;
  /** Milliseconds; may be years ahead. */
  readonly due: number;
  /** `actor:transition:timerId`; an event that carries another token is stale. */
  readonly token: string;
  readonly event: Ev;
  /** Timers of one actor that are due at the same time fire from the lowest order up. */
  readonly order?: number;
}

/** A running effect. */
export interface EffectRow {
  /** XState's child id; equal ids replace each other. */
  readonly childId: string;
  /** Name of the effect in the definition. */
  readonly src: string;
  readonly input: unknown;
  /** `actor:transition:effect`; the same on every attempt, and the key of anything it pays. */
  readonly token: string;
  /** Attempts begun so far. */
  readonly attempt: number;
  /** Attempts among them that an orderly close cut short: they do not use up the limit. */
  readonly spared?: number;
  /** The last attempt that is known to be over; a later one was cut short by a dead process. */
  readonly over?: number;
  /** True while it waits for `complete`; it is not run again. */
  readonly waiting: boolean;
  /** The trace that began it; see `TellOptions.trace`. */
  readonly trace?: string;
}

/** Why a journal row exists; `who` is there where a person did it, see `TellOptions.who`. */
export type Cause =
  | { readonly by: 'create'; readonly who?: string }
  | { readonly by: 'outside'; readonly idempotencyKey?: string; readonly who?: string }
  | { readonly by: 'timer'; readonly token: string }
  | { readonly by: 'effect'; readonly token: string; readonly attempt: number }
  | { readonly by: 'actor'; readonly from: string; readonly fromSeq: number }
  | { readonly by: 'retry'; readonly deadLetterId: string; readonly who?: string }
  | { readonly by: 'engine'; readonly why: 'migrate' | 'fork' | 'stop'; readonly who?: string };

/** What a journal row did: `stale` and `poison` rows left the state as it was. */
export type JournalKind = 'event' | 'stale' | 'poison';

/** One row of an actor's journal. */
export interface JournalEntry {
  readonly id: string;
  readonly kind: string;
  readonly seq: number;
  /** Position over all actors of the store. */
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
   * 16 hex digits of SHA-256 over state value, status and the hashes of the context's members, each
   * as it is after the row; see `stateHash`.
   */
  readonly hash: string;
  /** Events that the machine emitted with this row (addressed sends are not among them). */
  readonly emits: readonly Ev[];
  /** The trace that came along with the event; see `TellOptions.trace`. */
  readonly trace?: string;
}

/** An event that an actor could not take. */
export interface DeadLetter {
  readonly deadLetterId: string;
  readonly actorId: string;
  readonly at: number;
  readonly event: Ev;
  readonly cause: Cause;
  readonly reason: string;
}

/** Answer of an effect that ends later, from outside, by `ActorEngine.complete`. */
export const LATER: unique symbol = Symbol('later');

/** What an effect is given beside its input. */
export interface EffectContext {
  readonly actorId: string;
  /** Stable over attempts and restarts: use it as the idempotency key of what the effect does. */
  readonly token: string;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /** Aborts when the machine leaves the state, the actor ends, time is up, or the engine closes. */
  readonly signal: AbortSignal;
  now(): number;
  /** Sends an event to any actor; resolves when it is durable. Effects never `ask`. */
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  /** Shows something that is not kept (token deltas) to those who watch right now. */
  show(event: Ev): void;
}

/** How an effect runs. A named effect of the machine has one of these. */
export interface Effect<In = never, Out = unknown> {
  run(input: In, context: EffectContext): Promise<Out | typeof LATER>;
  /** Total attempts over all restarts. Default 3. */
  readonly attempts?: number;
  /** Deaths of the process during this effect after which it is not run again. Default 3. */
  readonly deathsMax?: number;
  /** Milliseconds before attempt n+1. Default `min(30 s, 250 ms · 2^n)`. */
  backoff?(attempt: number): number;
  /** Milliseconds for one attempt. Default 15 minutes. */
  readonly timeoutMs?: number;
  /** Tells whether an error is worth another attempt. Default: always. */
  isRetryable?(error: unknown): boolean;
  /** At most this many of one `key` run at once; the rest wait in order. */
  readonly limit?: { readonly max: number; key(input: In): string };
}

/** What an error becomes in events and journal. */
export interface EffectError {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
}

/** Maps what an older version of a machine left behind to this version. */
export interface Migration {
  readonly from: number;
  /**
   * @param persisted - Persisted snapshot, pending timers and running effects of version `from`.
   * @returns The same for version `from + 1`. Timers keep their due time unless changed here.
   */
  migrate(persisted: PersistedActor): PersistedActor;
}

/** The parts of an actor at rest. */
export interface PersistedActor {
  readonly snapshot: PersistedSnapshot;
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
}

/** XState's persisted snapshot, without children: running effects stand in their own rows. */
export interface PersistedSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value: unknown;
  readonly historyValue?: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** A kind of actor: a machine, its version, and what its named effects do. See `define`. */
export interface Definition {
  readonly kind: string;
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly effects: Readonly<Record<string, Effect<never>>>;
  readonly migrations: readonly Migration[];
  readonly keep?: JournalKeep;
}

/**
 * How much of its journal an actor keeps while it lives; without it, all. Rows past either bound
 * are dropped when a later snapshot is written, and so are those of the feed. Time travel to them
 * answers `JOURNAL_TRIMMED`; `journal`, `watch` and `feed` go on at the first row that is kept.
 */
export interface JournalKeep {
  /** Newest rows that are kept; up to two distances of snapshots more are there. */
  readonly rows?: number;
  /** Age of rows that are kept, in milliseconds. */
  readonly ageMs?: number;
}

/** Options of `tell`. */
export interface TellOptions {
  /** A repeat with the same key on the same actor gets the first answer; kept for 24 h. */
  readonly idempotencyKey?: string;
  /** Refuse with `SEQ_CONFLICT` unless the actor stands at this sequence number. */
  readonly expectSeq?: number;
  /** Who does it, as the journal shall name them; a name like an id. */
  readonly who?: string;
  /**
   * Whose work this is: a `traceparent` or any other text of 1 to 256 printable characters. The
   * actor belongs to it until another comes, over restarts too, and so do its effects and those
   * whom it tells. The observer of the engine is told; nothing else depends on it.
   */
  readonly trace?: string;
}

/** Options of `create`. */
export interface CreateOptions {
  readonly idempotencyKey?: string;
  /** See `TellOptions.who`. */
  readonly who?: string;
  /** As in `TellOptions`. */
  readonly trace?: string;
}

/** Options of `ask`. */
export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Filter and page of `list`. */
export interface ListQuery {
  readonly kind?: string;
  /** Top-level state, or `a.b` path of a nested one, as `stateName` writes it. */
  readonly state?: string;
  readonly status?: ActorStatus;
  /** What the id begins with. */
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
}

/** A page with the cursor of the next one, if there is one. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly cursor?: string;
}

/** The durable actor engine. Every promise that acknowledges resolves after the disk has it. */
export interface ActorEngine {
  /**
   * Starts an actor. The same id again gives the first answer; `ACTOR_KIND_CONFLICT` if it is of
   * another kind.
   */
  create(kind: string, id: string, input?: unknown, o?: CreateOptions): Promise<Ack>;
  /** Hands an outside event to an actor. */
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  /** Tells, then waits until the view fits. `ASK_TIMEOUT` when it does not in time. */
  ask(id: string, event: Ev, until: (view: View) => boolean, o: AskOptions): Promise<View>;
  /** Waits until the view fits, without telling anything. */
  waitFor(id: string, until: (view: View) => boolean, o: AskOptions): Promise<View>;
  /** The committed state now, or as it was after row `atSeq`. */
  view(id: string, atSeq?: number): Promise<View>;
  /** Calls `listener` for every committed row from `fromSeq` on, in order, then for new ones. */
  watch(id: string, fromSeq: number, listener: (entry: JournalEntry) => void): () => void;
  /** Calls `listener` for what effects of this actor `show`; nothing of it is kept. */
  watchShown(id: string, listener: (event: Ev) => void): () => void;
  journal(id: string, from?: number, limit?: number): AsyncIterable<JournalEntry>;
  list(query: ListQuery): Promise<Page<ListRow>>;
  /** Every committed row of every actor, in global order, from `fromGlobalSeq` on. */
  feed(fromGlobalSeq: number, listener: (entry: JournalEntry) => void): () => void;
  /** Committed rows of every actor from `fromGlobalSeq` on, at most `limit` of them. */
  feedRows(fromGlobalSeq: number, limit: number): Promise<readonly JournalEntry[]>;
  /** Calls `listener` for every committed change of what `list` tells, purges too. */
  watchList(listener: (change: ListChange) => void): () => void;
  /** Calls `listener` with the id of every actor that is purged. */
  watchPurges(listener: (id: string) => void): () => void;
  /**
   * An actor now or after row `atSeq`, with the transitions that the row took and those that can
   * be next. Nothing is run. Errors as of `view`.
   */
  explain(id: string, atSeq?: number): Promise<Explained>;
  /** Events of an actor that were accepted and are not on disk yet, or wait for its repair. */
  waiting(id: string): number;
  /** Ends an actor: its timers and effects end with it. */
  stop(id: string): Promise<Ack>;
  /**
   * Removes a finished actor and all its rows. `ACTOR_ACTIVE` when it has not ended, or when
   * messages of it are on their way. Tokens of a new actor with the id can be those of the one
   * before.
   */
  purge(id: string): Promise<void>;
  /** Makes a copy of an actor as it was after row `atSeq`, under a new id, without its effects. */
  fork(id: string, atSeq: number, o?: ForkOptions): Promise<{ readonly id: string } & Ack>;
  /** Ends an effect that answered `LATER`. `EFFECT_UNKNOWN` when its row is no longer current. */
  complete(effectToken: string, result: EffectResult): Promise<Ack>;
  deadLetters(cursor?: string): Promise<Page<DeadLetter>>;
  /** Delivers a dead letter again, for instance after a new version of the machine. */
  retry(deadLetterId: string, o?: RetryOptions): Promise<Ack>;
  /**
   * Makes an actor when its queue has a place for it: at once, or when its turn comes by priority,
   * then by arrival; a key that is full holds up nobody else. The same id again does nothing and
   * tells where it stands. `QUEUE_UNKNOWN`, `OVERLOADED` above `waitingMax`, `STORE_FULL`,
   * `ACTOR_KIND_CONFLICT`.
   */
  enqueue(
    queue: string,
    kind: string,
    id: string,
    input?: unknown,
    o?: EnqueueOptions,
  ): Promise<Enqueued>;
  /** Who waits in a queue, in order; 100 a page. `QUEUE_UNKNOWN` */
  queued(queue: string, cursor?: string): Promise<Page<QueuedRow>>;
  /** Takes an actor out that waits; false when it does not. `QUEUE_UNKNOWN` */
  dequeue(queue: string, id: string): Promise<boolean>;
  /**
   * Sets a schedule up, or changes it. On every date of its pattern it makes the actor
   * `<name>@<date>`, the date in UTC as RFC 3339 writes it, exactly once over crashes and restarts.
   * A due date is kept when the pattern stays the same. `SCHEDULE_INVALID`, `QUEUE_UNKNOWN`,
   * `ACTOR_KIND_UNKNOWN`, `STORE_FULL`, `OVERLOADED` above `SCHEDULES_MAX`.
   */
  schedule(name: string, schedule: Schedule): Promise<Scheduled>;
  /** All schedules, by name. */
  schedules(): Promise<readonly Scheduled[]>;
  /** Removes a schedule, not its actors; false when there is none. */
  unschedule(name: string): Promise<boolean>;
  /** Numbers of this moment, for metrics. */
  stats(): EngineStats;
  /** Stops taking events, aborts effects (they run again at the next start), waits for commits. */
  close(): Promise<void>;
}

/** How an effect ended. */
export type EffectResult =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: EffectError };

/** See `ActorEngine.stats`. */
export interface EngineStats {
  readonly live: number;
  readonly pendingCommits: number;
  readonly runningEffects: number;
  /** Earliest timer, date of a schedule, or turn of a queue's rate, in milliseconds. */
  readonly nextDue: number | undefined;
  readonly globalSeq: number;
}
