import type { ActorState, Subject } from './actor-state.ts';
import type { Ack, Ev, ListRow } from './types.ts';

/** A call with an idempotency key that is not on disk yet. */
export interface KeyedCall {
  readonly event: Ev;
  readonly ack: Promise<Ack>;
}

/** An actor in memory. Only the recorder writes to it. */
export interface ActorCell {
  readonly subject: Subject;
  /** State after the last accepted event, whether or not it is on disk. */
  live: ActorState;
  /** State after the last event on disk, which is what callers see; `undefined` until the first. */
  committed: ActorState | undefined;
  /** Sequence number of the last snapshot written. */
  snapshotSeq: number;
  /** The index row written last. */
  indexRow: ListRow | undefined;
  /** Number of rows that are not on disk yet. */
  pending: number;
  /** Number of outside events that are not on disk yet. */
  outside: number;
  /** Time of the last access, in milliseconds. */
  usedAt: number;
  /** Acknowledgement of the creation, until it is on disk. */
  created: Promise<Ack> | undefined;
  /** Resolves when `committed` is set; absent once it is. */
  ready: Promise<unknown> | undefined;
  /** Acknowledgements by idempotency key, until they are on disk. */
  readonly keys: Map<string, KeyedCall>;
  /** The poison internal event that is about to be retried; later events wait behind it. */
  retried: object | undefined;
  /** Internal events that wait until the actor is no longer stuck, or for the retried event. */
  readonly held: (() => void)[];
}

/** Creates a cell. Without `committed`, none of the actor is on disk yet. */
export function createCell(subject: Subject, live: ActorState, facts: CellOptions): ActorCell {
  return {
    subject,
    live,
    committed: facts.committed,
    snapshotSeq: facts.snapshotSeq,
    indexRow: facts.indexRow,
    pending: 0,
    outside: 0,
    usedAt: facts.usedAt,
    created: undefined,
    ready: undefined,
    keys: new Map(),
    retried: undefined,
    held: [],
  };
}

/** Initial values of a cell, in addition to its state. */
export interface CellOptions {
  readonly committed: ActorState | undefined;
  readonly snapshotSeq: number;
  readonly indexRow: ListRow | undefined;
  readonly usedAt: number;
}

/** Returns whether the cell can be evicted from memory without losing anything. */
export function isEvictable(cell: ActorCell): boolean {
  return cell.pending === 0 && cell.held.length === 0 && cell.retried === undefined;
}
