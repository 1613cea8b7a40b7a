import type { QueueReads, QueueWrite } from '../queue/queue-ports.ts';
import type { ScheduleReads, ScheduleWrite } from '../timer/schedule-ports.ts';
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

/** Time for an engine. `at` may be any distance ahead; see `systemClock`. */
export interface RuntimeClock {
  now(): number;
  /** Calls `run` once, at or after `at`. Returns the canceller. */
  at(at: number, run: () => void): () => void;
}

/** A snapshot at rest. */
export interface SnapshotRow {
  readonly kind: string;
  readonly version: number;
  readonly seq: number;
  readonly at: number;
  readonly createdAt: number;
  /** `stuck` stands beside the machine's own status. */
  readonly stuck: boolean;
  readonly snapshot: PersistedSnapshot;
  /** Pending timers and running effects at `seq`: what time travel and forks start from. */
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
  /** The trace that it belongs to at `seq`. */
  readonly trace?: string;
}

/** A message on its way from one actor to another. */
export interface OutboxRow {
  readonly from: string;
  readonly fromSeq: number;
  /** Position among the sends of that row. */
  readonly n: number;
  readonly to: string;
  /** Present when the actor is to be created first (idempotent). */
  readonly create?: { readonly kind: string; readonly input: unknown };
  readonly event?: { readonly type: string; readonly [key: string]: unknown };
  /** The trace that its sender belongs to. */
  readonly trace?: string;
}

/** An answer kept for repeats. */
export interface IdempotencyRow {
  readonly ack: Ack;
  readonly expires: number;
}

/**
 * What an event did to an actor, as it stands beside its journal row: with the value and the status
 * of the row it leads from one state to the next without the machine.
 */
export interface RowChange {
  /** Of the context, see `applyDelta`; absent when it stayed. */
  readonly context?: unknown;
  /** The whole history value; absent when it stayed. */
  readonly history?: unknown;
  readonly output?: unknown;
  /** Timers that went, by id or by their place among the sorted ids, and timers that came. */
  readonly timers?: readonly [readonly (string | number)[], readonly CameTimer[]];
  readonly effects?: readonly [readonly (string | number)[], readonly CameEffect[]];
}

/** Id, delay, order, and the event unless its type is the id. The token follows from the row. */
export type CameTimer = readonly [string, number, number, Ev?];

/** Id, effect, attempt, the input made out of the context, and the trace. */
export type CameEffect = readonly [string, string, number, (readonly [unknown] | null)?, string?];

/** A journal row after the last snapshot. Rows of older programs have no change. */
export interface TailRow extends JournalEntry {
  readonly change?: RowChange;
}

/** One write of a batch. Every kind of row has one owner: the actor whose batch it is in. */
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
  /** Rows up to `seq`, and those up to the time `at`, go, as far as a snapshot stands for them. */
  | {
      readonly trim: 'journal';
      readonly id: string;
      readonly seq: number;
      readonly at: number;
    }
  | QueueWrite
  | ScheduleWrite;

/** How often the process died while one child of an actor was at work. */
export interface CrashRow {
  readonly id: string;
  readonly childId: string;
  readonly deaths: number;
  /** Present once it is not run again: the dead letter that says so. */
  readonly deadLetterId?: string;
}

/** Everything an actor left at rest. */
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
 * Where an engine keeps its rows. `commit` writes all or nothing, in the order of the calls, and
 * resolves when the disk has it. Reads see committed rows only. No read outlives its call.
 */
export interface EngineStore extends QueueReads, ScheduleReads {
  commit(writes: readonly Write[]): Promise<void>;
  load(id: string): StoredActor | undefined;
  /** The newest snapshot at or before `seq`, and the rows from there to `seq`. */
  loadAt(id: string, seq: number): StoredActor | undefined;
  idempotency(id: string, key: string): IdempotencyRow | undefined;
  journal(id: string, from: number, limit: number): readonly JournalEntry[];
  feed(fromGlobalSeq: number, limit: number): readonly JournalEntry[];
  list(query: ListQuery): Page<ListRow>;
  /**
   * Timers due at or before `at`, earliest first; of one time, those of an actor as they were set.
   *
   * @param after - Reads on behind this timer, or behind all that are due by this time.
   */
  dueTimers(at: number, limit: number, after?: DueTimer | number): readonly DueTimer[];
  /** Due time of the earliest timer. */
  nextDue(): number | undefined;
  /** Ids of actors with running effects: what a start must take up again. */
  actorsWithEffects(): readonly string[];
  /** Children during which a process died, and which have not ended since. */
  crashes(): readonly CrashRow[];
  outbox(limit: number): readonly OutboxRow[];
  deadLetters(cursor: string | undefined, limit: number): Page<DeadLetter>;
  deadLetter(deadLetterId: string): DeadLetter | undefined;
  lastGlobalSeq(): number;
  /** The text that was put under a name. */
  mark(name: string): string | undefined;
  /** False while the disk reserve is not there: new work is refused, reads go on. */
  hasRoom(): boolean;
  /** Removes what is past its age, a bounded number per call; returns how many. */
  trim(now: number): number;
  /**
   * Gives free space back to the file system while reads and commits go on. Stores without such a
   * need lack it.
   *
   * @returns What it came to; `undefined` when there is too little to gain, unless forced.
   */
  compact?(o?: { readonly force?: boolean }): Promise<Compacted | undefined>;
  /** Rows and bytes of each key family, without a walk over them. Stores in memory lack it. */
  sizes?(): readonly FamilySize[];
  close(): Promise<void>;
}

/** How large one key family of a store is. */
export interface FamilySize {
  readonly family: string;
  readonly rows: number;
  readonly bytes: number;
}

/** What a compaction of a store came to. */
export interface Compacted {
  readonly beforeBytes: number;
  readonly afterBytes: number;
  /** How long commits waited, in milliseconds. */
  readonly pausedMs: number;
}
