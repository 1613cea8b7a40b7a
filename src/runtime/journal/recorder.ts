import type { Cell } from '../engine/cell.ts';
import { changeBetween } from '../engine/change.ts';
import type { Core } from '../engine/core.ts';
import type { EngineError } from '../engine/error.ts';
import type { Moment } from '../engine/moment.ts';
import { ackOf, listRow, snapshotRow } from '../engine/moment.ts';
import type { OutboxRow, Write } from '../engine/ports.ts';
import type { Send } from '../engine/step.ts';
import type { Ack, EffectRow, JournalEntry, ListRow } from '../engine/types.ts';
import { journalTrim } from './journal-cut.ts';

/** One journal row of an actor, with everything that belongs to its commit. */
export interface Change {
  readonly moment: Moment;
  readonly entry: JournalEntry;
  readonly rows: readonly Write[];
  readonly sends: readonly Send[];
  /** Rows of others written or deleted with it, such as the delivered outbox row. */
  readonly extra?: readonly Write[];
  /** Writes a snapshot even if none is due. */
  readonly snapshot?: boolean;
}

/** A change that is on disk. */
export interface Committed {
  readonly cell: Cell;
  readonly before: Moment | undefined;
  readonly after: Moment;
  readonly entry: JournalEntry;
  readonly outbox: readonly OutboxRow[];
}

/** Called for every change once it is on disk, before its caller is notified. */
export type CommitHook = (committed: Committed) => void;

/** Receives the outcome of a commit. */
export interface Receiver {
  done(ack: Ack): void;
  failed(error: EngineError): void;
}

/** Advances cells and commits their changes. */
export class Recorder {
  readonly #core: Core;
  readonly #hooks: CommitHook[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** Adds a hook that runs for every committed change. */
  follow(hook: CommitHook): void {
    this.#hooks.push(hook);
  }

  /**
   * Advances a cell immediately and commits the change.
   *
   * @param before - The state that the rows of `change` start from.
   */
  record(cell: Cell, before: Moment | undefined, change: Change, receiver: Receiver): void {
    const { moment: after, entry } = change;
    // Only recorded events take a global sequence number, so a rejected event leaves no gap.
    this.#core.committer.takeGlobalSeq();
    const outbox = change.sends.map((send, n) => outboxRow(cell, after, send, n));
    const writes = this.#writes(cell, before, change, outbox);
    cell.live = after;
    cell.pending += 1;
    this.#core.committer.submit(writes, {
      done: () => {
        cell.pending -= 1;
        cell.committed = after;
        const committed = { cell, before, after, entry, outbox };
        for (const hook of this.#hooks) hook(committed);
        receiver.done(ackOf(after));
      },
      failed: (error) => {
        cell.pending -= 1;
        receiver.failed(error);
      },
    });
  }

  /**
   * Updates the row of a running effect without a journal row.
   *
   * @param extra - Rows written or deleted with it.
   * @returns `false` if the effect is no longer running.
   */
  note(
    cell: Cell,
    row: EffectRow,
    change: Partial<Pick<EffectRow, 'attempt' | 'over' | 'spared' | 'waiting'>>,
    extra: readonly Write[] = [],
  ): Promise<boolean> {
    const current = cell.live.effects.get(row.childId);
    if (current?.token !== row.token) return Promise.resolve(false);
    const noted: EffectRow = { ...current, ...change };
    cell.live = withEffect(cell.live, noted);
    cell.pending += 1;
    return new Promise((resolve, reject) => {
      const writes: Write[] = [{ put: 'effect', id: cell.subject.id, row: noted }, ...extra];
      this.#core.committer.submit(writes, {
        done: () => {
          cell.pending -= 1;
          const { committed } = cell;
          if (committed?.effects.get(row.childId)?.token === row.token) {
            cell.committed = withEffect(committed, noted);
          }
          resolve(true);
        },
        failed: (error) => {
          cell.pending -= 1;
          reject(error);
        },
      });
    });
  }

  #writes(
    cell: Cell,
    before: Moment | undefined,
    change: Change,
    outbox: readonly OutboxRow[],
  ): Write[] {
    const { subject } = cell;
    const { moment } = change;
    const due = moment.seq - cell.snapshotSeq >= this.#core.limits.snapshotEvery;
    const withSnapshot = change.snapshot === true || due || moment.snapshot.status !== 'active';
    const writes: Write[] = [journalWrite(before, change, withSnapshot), ...change.rows];
    for (const row of outbox) writes.push({ put: 'outbox', row });
    if (change.extra !== undefined) writes.push(...change.extra);
    const listed = listRow(subject, moment);
    if (cell.listed === undefined || isListedOtherwise(cell.listed, listed)) {
      writes.push({
        put: 'index',
        row: listed,
        ...(cell.listed === undefined ? {} : { before: cell.listed }),
      });
      cell.listed = listed;
    }
    if (withSnapshot) {
      writes.push({ put: 'snapshot', id: subject.id, row: snapshotRow(subject, moment) });
      cell.snapshotSeq = moment.seq;
      const { keep } = subject.definition;
      if (keep !== undefined) {
        writes.push(journalTrim(keep, { id: subject.id, seq: moment.seq, at: moment.at }));
      }
    }
    return writes;
  }
}

/** Creates the journal write, with the row's change unless a snapshot covers it. */
function journalWrite(before: Moment | undefined, change: Change, withSnapshot: boolean): Write {
  const { entry: row, moment } = change;
  if (before === undefined || withSnapshot || row.entry !== 'event') return { put: 'journal', row };
  return { put: 'journal', row, change: changeBetween(before, moment, row.event) };
}

function outboxRow(cell: Cell, after: Moment, send: Send, n: number): OutboxRow {
  const row = { from: cell.subject.id, fromSeq: after.seq, n, ...send };
  return after.trace === undefined ? row : { ...row, trace: after.trace };
}

function isListedOtherwise(a: ListRow, b: ListRow): boolean {
  return a.state !== b.state || a.status !== b.status;
}

function withEffect(moment: Moment, row: EffectRow): Moment {
  return { ...moment, effects: new Map(moment.effects).set(row.childId, row) };
}
