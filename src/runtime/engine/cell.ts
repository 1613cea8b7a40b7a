import type { Moment, Subject } from './moment.ts';
import type { Ack, ListRow } from './types.ts';

/** An actor in memory. Its only writer is the recorder. */
export interface Cell {
  readonly subject: Subject;
  /** After the last event that was taken, on disk or not. */
  live: Moment;
  /** After the last event on disk; `undefined` until the first. What callers see. */
  committed: Moment | undefined;
  /** Row of the last snapshot that was written. */
  snapshotSeq: number;
  /** The index row that was written last. */
  listed: ListRow | undefined;
  /** Rows that are not on disk yet. */
  pending: number;
  /** Outside events that are not on disk yet. */
  outside: number;
  /** When it was last asked for, in milliseconds. */
  usedAt: number;
  /** The first answer, while it is not on disk yet. */
  created: Promise<Ack> | undefined;
  /** Resolves when there is a `committed` moment, while there is none. */
  ready: Promise<unknown> | undefined;
  /** Answers by idempotency key, while they are not on disk yet. */
  readonly keys: Map<string, Promise<Ack>>;
  /** The internal event that poisoned and is about to be tried again; others wait behind it. */
  retried: object | undefined;
  /** Internal events that wait for the end of `stuck`, or behind the one that is retried. */
  readonly held: (() => void)[];
}

/** Makes a cell; without `committed` nothing of it is on disk yet. */
export function newCell(subject: Subject, live: Moment, facts: CellFacts): Cell {
  return {
    subject,
    live,
    committed: facts.committed,
    snapshotSeq: facts.snapshotSeq,
    listed: facts.listed,
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

/** What a new cell is made with beside its moment. */
export interface CellFacts {
  readonly committed: Moment | undefined;
  readonly snapshotSeq: number;
  readonly listed: ListRow | undefined;
  readonly usedAt: number;
}

/** Tells whether a cell may leave the memory without anything being lost. */
export function isIdle(cell: Cell): boolean {
  return cell.pending === 0 && cell.held.length === 0 && cell.retried === undefined;
}
