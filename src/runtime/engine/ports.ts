import type { Awaitable } from '../load/awaitable.ts';
import type { QueueReads, QueueWrite } from '../queue/queue-ports.ts';
import type { SystemReads, SystemWrite } from '../system/system-ports.ts';
import type { ScheduleReads, ScheduleWrite } from '../timer/schedule-ports.ts';
import type { EngineError } from './error.ts';
import type { ActionCall } from './step-types.ts';
import type {
  Ack,
  DeadLetter,
  EffectRow,
  Ev,
  JournalEntry,
  ListQuery,
  ListRow,
  Page,
  PersistedSnapshot,
  TimerRow,
} from './types.ts';

/** Clock of an engine. `at` can be arbitrarily far ahead; see `systemClock`. */
export interface RuntimeClock {
  now(): number;
  /** Calls `run` once, at or after `at`. Returns a function that cancels it. */
  at(at: number, run: () => void): () => void;
  /** Calls `run` once after `ms`, however the clock is set meanwhile. Default: by `at`. */
  after?(ms: number, run: () => void): () => void;
  /** Calls `listener` when the clock was set back. Returns a function that ends it. */
  onSetBack?(listener: () => void): () => void;
}

/** A stored snapshot. */
export interface SnapshotRow {
  readonly kind: string;
  readonly version: number;
  readonly seq: number;
  readonly at: number;
  readonly createdAt: number;
  /** Separate from the machine's own status. */
  readonly stuck: boolean;
  readonly snapshot: PersistedSnapshot;
  /** Pending timers and running effects at `seq`: the start of time travel and forks. */
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
  /** The trace that the actor belongs to at `seq`. */
  readonly trace?: string;
  /** Present for a child machine. */
  readonly parent?: ParentLink;
}

/** A message to be delivered from one actor to another. */
export interface OutboxRow {
  readonly from: string;
  readonly fromSeq: number;
  /** Position among the sends of that row. */
  readonly n: number;
  readonly to: string;
  /** Present if the actor must be created first (idempotent). */
  readonly create?: {
    readonly kind: string;
    readonly input: unknown;
    /** Present for a child. */
    readonly parent?: ParentLink;
  };
  readonly event?: { readonly type: string; readonly [key: string]: unknown };
  /** Present for a message to a child: only the child with this token gets it, or is stopped. */
  readonly child?: { readonly token: string; readonly stop?: true };
  /** Present for a message to an effect: it is dropped if the effect with this token has ended. */
  readonly effect?: { readonly token: string };
  /** Present if the event is a child's snapshot for `onSnapshot`. */
  readonly snapshot?: { readonly childId: string; readonly token: string };
  /** Present if the event is the result of a child: the row of the parent that it ends. */
  readonly result?: { readonly childId: string; readonly token: string };
  /** A message to oneself, a parent or a child, which is dropped if the receiver has ended. */
  readonly isRelative?: boolean;
  /** Present if a function of the sender runs instead of a delivery. */
  readonly call?: ActionCall;
  /** The trace that its sender belongs to. */
  readonly trace?: string;
}

/** The place of a child machine in its parent. */
export interface ParentLink {
  /** Actor id of the parent. */
  readonly id: string;
  readonly childId: string;
  /** Token of the child's row in its parent. */
  readonly token: string;
  /** Present if the parent gets the child's snapshots: it has `onSnapshot`. */
  readonly sync?: true;
  /** Actor id of the root of the tree, unless that is the parent. */
  readonly root?: string;
}

/** An acknowledgement kept for repeated calls. */
export interface IdempotencyRow {
  readonly ack: Ack;
  readonly expires: number;
}

/**
 * What an event changed in an actor, stored with its journal row. Together with the row's value and
 * status it leads from one state to the next without the machine.
 */
export interface RowChange {
  /** Delta of the context, see `applyDelta`; absent if unchanged. */
  readonly context?: unknown;
  /** The whole history value; absent if unchanged. */
  readonly history?: unknown;
  readonly output?: unknown;
  /** Removed timers, by id or by index among the sorted ids, and added timers. */
  readonly timers?: readonly [readonly (string | number)[], readonly CameTimer[]];
  readonly effects?: readonly [readonly (string | number)[], readonly CameEffect[]];
}

/** Id, delay, order, and the event unless its type is the id. The token follows from the row. */
export type CameTimer = readonly [string, number, number, Ev?];

/** Id, effect, attempt, the input derived from the context, trace, `sync`, and the system id. */
export type CameEffect = readonly [
  string,
  string,
  number,
  (readonly [unknown] | null)?,
  (string | null)?,
  (1 | 0)?,
  string?,
];

/** A journal row after the last snapshot. Rows written by older programs have no change. */
export interface TailRow extends JournalEntry {
  readonly change?: RowChange;
}

/** One write of a batch. Each row has one owner: the actor whose batch contains it. */
export type Write =
  | { readonly put: 'journal'; readonly row: JournalEntry; readonly change?: RowChange }
  | { readonly put: 'snapshot'; readonly id: string; readonly row: SnapshotRow }
  | { readonly put: 'timer'; readonly id: string; readonly row: TimerRow }
  | { readonly del: 'timer'; readonly id: string; readonly row: TimerRow }
  | { readonly put: 'effect'; readonly id: string; readonly row: EffectRow }
  | { readonly del: 'effect'; readonly id: string; readonly childId: string }
  | { readonly put: 'crash'; readonly row: CrashRow }
  | { readonly del: 'crash'; readonly id: string; readonly childId: string }
  | { readonly put: 'outbox'; readonly row: OutboxRow }
  | { readonly del: 'outbox'; readonly row: OutboxRow }
  | {
      readonly put: 'idempotency';
      readonly id: string;
      readonly key: string;
      readonly row: IdempotencyRow;
    }
  | { readonly put: 'dead'; readonly row: DeadLetter }
  | { readonly del: 'dead'; readonly deadLetterId: string }
  /** A text of the engine itself, see `EngineStore.mark`. */
  | { readonly put: 'mark'; readonly name: string; readonly text: string }
  | { readonly put: 'index'; readonly row: ListRow; readonly before?: ListRow }
  | { readonly purge: 'actor'; readonly row: ListRow }
  /** Removes rows up to `seq` and rows up to the time `at`, as far as a snapshot covers them. */
  | {
      readonly trim: 'journal';
      readonly id: string;
      readonly seq: number;
      readonly at: number;
    }
  | QueueWrite
  | ScheduleWrite
  | SystemWrite;

/** How often the process crashed while it ran one child of an actor. */
export interface CrashRow {
  readonly id: string;
  readonly childId: string;
  readonly deaths: number;
  /** Present once the child is no longer run: the dead letter that records it. */
  readonly deadLetterId?: string;
}

/** Everything stored for an actor. */
export interface StoredActor {
  readonly snapshot: SnapshotRow;
  /** Rows after the snapshot, in order. */
  readonly tail: readonly TailRow[];
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
}

/** A pending timer with its owner. */
export interface DueTimer {
  readonly id: string;
  readonly row: TimerRow;
}

/**
 * Storage of an engine's rows. `commit` writes all or nothing, in call order, and resolves when the
 * data is on disk. Reads see committed rows only.
 *
 * A read answers at once or by a promise, which the engine awaits before it decides. It starts
 * after every commit that has resolved and sees all of them. A rejected commit ends the engine, and
 * so does a rejected read of rows that it must not miss: a store repeats what may still succeed.
 */
export interface EngineStore extends QueueReads, ScheduleReads, SystemReads {
  commit(writes: readonly Write[]): Promise<void>;
  load(id: string): Awaitable<StoredActor | undefined>;
  /** Returns the newest snapshot at or before `seq`, and the rows from there to `seq`. */
  loadAt(id: string, seq: number): Awaitable<StoredActor | undefined>;
  /**
   * Returns an actor that `load` cannot read, at its last row, as far as its removal needs it.
   * Optional: a store that cannot be damaged lacks it, and one that has it answers at once.
   */
  loadDamaged?(id: string): StoredActor | undefined;
  /** Calls the listener once for each damaged row that a read skips, also for earlier ones. */
  watchDamage?(listener: (damage: EngineError) => void): void;
  idempotency(id: string, key: string): Awaitable<IdempotencyRow | undefined>;
  readJournal(id: string, from: number, limit: number): Awaitable<readonly JournalEntry[]>;
  feed(fromGlobalSeq: number, limit: number): Awaitable<readonly JournalEntry[]>;
  list(query: ListQuery): Awaitable<Page<ListRow>>;
  /**
   * Returns timers due at or before `at`, earliest first. Timers of one actor due at the same time
   * come in the order in which they were set.
   *
   * @param after - Continues after this timer, or after all timers due by this time.
   */
  dueTimers(at: number, limit: number, after?: DueTimer | number): Awaitable<readonly DueTimer[]>;
  /** Returns the due time of the earliest timer. */
  nextDue(): Awaitable<number | undefined>;
  /** Returns the ids of actors with running effects, which a start must resume. */
  actorsWithEffects(): Awaitable<readonly string[]>;
  /** Returns children during which a process crashed and which have not ended since. */
  crashes(): Awaitable<readonly CrashRow[]>;
  outbox(limit: number): Awaitable<readonly OutboxRow[]>;
  deadLetters(cursor: string | undefined, limit: number): Awaitable<Page<DeadLetter>>;
  deadLetter(deadLetterId: string): Awaitable<DeadLetter | undefined>;
  /** Read once, when an engine opens. */
  lastGlobalSeq(): Awaitable<number>;
  /** Returns the text stored under a name. */
  mark(name: string): Awaitable<string | undefined>;
  /**
   * Returns `false` while free disk space is below the reserve: writes are rejected, reads work.
   * Called for every event, so it answers from memory.
   */
  hasRoom(): boolean;
  /** Removes expired rows, a limited number per call, and returns how many. */
  trim(now: number): Awaitable<number>;
  /**
   * Returns free space to the file system while reads and commits continue. Optional: a store may
   * not need it.
   *
   * @returns The result, or `undefined` if there is too little to gain and `force` is not set.
   */
  compact?(o?: { readonly force?: boolean }): Promise<Compacted | undefined>;
  /** Returns rows and bytes of each key family without a scan. In-memory stores lack it. */
  sizes?(): readonly FamilySize[];
  close(): Promise<void>;
}

/** A store that answers every read at once, as those in memory and on LMDB do. */
export type SyncEngineStore = {
  [Name in keyof EngineStore]: Name extends 'commit' | 'close'
    ? EngineStore[Name]
    : EngineStore[Name] extends (...args: infer Args) => infer Answer
      ? (...args: Args) => Exclude<Answer, Promise<unknown>>
      : EngineStore[Name];
};

/** Size of one key family of a store. */
export interface FamilySize {
  readonly family: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Result of a store compaction. */
export interface Compacted {
  readonly beforeBytes: number;
  readonly afterBytes: number;
  /** How long commits waited, in milliseconds. */
  readonly pausedMs: number;
}
