import { writeLogs } from '../action/action-runner.ts';
import { childResult, childSnapshot } from '../child/child-result.ts';
import type { Send } from '../child/resolve-sends.ts';
import type { ActorCell } from '../engine/actor-cell.ts';
import type { ActorState } from '../engine/actor-state.ts';
import { toAck, toListRow, toSnapshotRow } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import type { EngineError } from '../engine/error.ts';
import type { OutboxRow, Write } from '../engine/ports.ts';
import type { LogEntry } from '../engine/step-types.ts';
import type { Ack, EffectRow, JournalEntry, ListRow } from '../engine/types.ts';
import { findSearchValues } from '../search/find-search-values.ts';
import { hasOtherValues } from '../search/search-values.ts';
import { diffChange } from './change.ts';
import { createJournalTrim } from './journal-trim.ts';

/** One journal row of an actor, with everything that belongs to its commit. */
export interface ActorChange {
  readonly moment: ActorState;
  readonly entry: JournalEntry;
  readonly rows: readonly Write[];
  readonly sends: readonly Send[];
  /** What the machine logs; passed on once the row is on disk. */
  readonly logs?: readonly LogEntry[];
  /** Rows of others written or deleted with it, such as the delivered outbox row. */
  readonly extra?: readonly Write[];
  /** Writes a snapshot even if none is due. */
  readonly snapshot?: boolean;
  /** The parent stopped the actor, so it expects no result. */
  readonly isStoppedByParent?: boolean;
}

/** A change that is on disk. */
export interface Committed {
  readonly cell: ActorCell;
  readonly before: ActorState | undefined;
  readonly after: ActorState;
  readonly entry: JournalEntry;
  readonly outbox: readonly OutboxRow[];
}

/** Called for every change once it is on disk, before its caller is notified. */
export type CommitHook = (committed: Committed) => void;

/** Receives the outcome of a commit. */
export interface CommitReceiver {
  done(ack: Ack): void;
  failed(error: EngineError): void;
}

/** Advances cells and commits their changes. */
export class Recorder {
  readonly #core: Core;
  readonly #hooks: CommitHook[] = [];
  /** Called with the id of the actor when an effect's row is on disk that has no journal row. */
  onEffectUpdated: (id: string) => void = () => undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Adds a hook that runs for every committed change. */
  addHook(hook: CommitHook): void {
    this.#hooks.push(hook);
  }

  /**
   * Advances a cell immediately and commits the change.
   *
   * @param before - The state that the rows of `change` start from.
   */
  record(
    cell: ActorCell,
    before: ActorState | undefined,
    change: ActorChange,
    receiver: CommitReceiver,
  ): void {
    const { moment: after, entry } = change;
    // Only recorded events take a global sequence number, so a rejected event leaves no gap.
    this.#core.committer.assignGlobalSeq();
    const report =
      change.isStoppedByParent === true ? undefined : reportToParent(cell, before, after);
    const sends = report === undefined ? change.sends : [...change.sends, report];
    const outbox = sends.map((send, n) => createOutboxRow(cell, after, send, n));
    const writes = this.#writes(cell, before, change, outbox);
    cell.live = after;
    cell.pending += 1;
    this.#core.committer.submit(writes, {
      done: () => {
        cell.pending -= 1;
        cell.committed = after;
        const committed = { cell, before, after, entry, outbox };
        if (change.logs !== undefined) writeLogs(this.#core, cell.subject.id, change.logs);
        for (const hook of this.#hooks) hook(committed);
        receiver.done(toAck(after));
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
  updateEffect(
    cell: ActorCell,
    row: EffectRow,
    change: Partial<Pick<EffectRow, 'attempt' | 'over' | 'spared' | 'waiting'>>,
    extra: readonly Write[] = [],
  ): Promise<boolean> {
    const current = cell.live.effects.get(row.childId);
    if (current?.token !== row.token) return Promise.resolve(false);
    const updated: EffectRow = { ...current, ...change };
    cell.live = replaceEffect(cell.live, updated);
    cell.pending += 1;
    return new Promise((resolve, reject) => {
      const writes: Write[] = [{ put: 'effect', id: cell.subject.id, row: updated }, ...extra];
      this.#core.committer.submit(writes, {
        done: () => {
          cell.pending -= 1;
          const { committed } = cell;
          if (committed?.effects.get(row.childId)?.token === row.token) {
            cell.committed = replaceEffect(committed, updated);
            this.onEffectUpdated(cell.subject.id);
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
    cell: ActorCell,
    before: ActorState | undefined,
    change: ActorChange,
    outbox: readonly OutboxRow[],
  ): Write[] {
    const { subject } = cell;
    const { moment: state } = change;
    const due = state.seq - cell.snapshotSeq >= this.#core.limits.snapshotEvery;
    const withSnapshot = change.snapshot === true || due || state.snapshot.status !== 'active';
    const writes: Write[] = [createJournalWrite(before, change, withSnapshot), ...change.rows];
    writes.push(...this.#core.systems.change(subject, before, state));
    for (const row of outbox) writes.push({ put: 'outbox', row });
    if (change.extra !== undefined) writes.push(...change.extra);
    const listed = this.#listRow(cell, before, state);
    if (cell.indexRow === undefined || hasIndexChanged(cell.indexRow, listed)) {
      writes.push({
        put: 'index',
        row: listed,
        ...(cell.indexRow === undefined ? {} : { before: cell.indexRow }),
      });
      cell.indexRow = listed;
    }
    if (withSnapshot) {
      writes.push({ put: 'snapshot', id: subject.id, row: toSnapshotRow(subject, state) });
      cell.snapshotSeq = state.seq;
      const { keep } = subject.definition;
      if (keep?.rows !== undefined || keep?.ageMs !== undefined) {
        writes.push(createJournalTrim(keep, { id: subject.id, seq: state.seq, at: state.at }));
      }
    }
    return writes;
  }

  /** Search attributes follow from the context, and are unknown after an actor was loaded. */
  #listRow({ subject, indexRow }: ActorCell, before: ActorState | undefined, after: ActorState) {
    const { id, definition } = subject;
    const { search } = this.#core.definitions.get(definition.kind) ?? definition;
    if (search === undefined) return toListRow(subject, after);
    const { context } = after.snapshot;
    const known = before?.snapshot.context === context ? indexRow?.attributes : undefined;
    return toListRow(
      subject,
      after,
      known ?? findSearchValues(this.#core, search, { id, context }),
    );
  }
}

/** Returns the message that tells a parent how its child goes on or has ended. */
function reportToParent(
  { subject }: ActorCell,
  before: ActorState | undefined,
  after: ActorState,
): Send | undefined {
  if (subject.parent === undefined) return undefined;
  return childResult(subject, after) ?? childSnapshot(subject, before, after);
}

/** Creates the journal write, with the row's change unless a snapshot covers it. */
function createJournalWrite(
  before: ActorState | undefined,
  change: ActorChange,
  withSnapshot: boolean,
): Write {
  const { entry: row, moment } = change;
  if (before === undefined || withSnapshot || row.entry !== 'event') return { put: 'journal', row };
  return { put: 'journal', row, change: diffChange(before, moment, row.event) };
}

function createOutboxRow(cell: ActorCell, after: ActorState, send: Send, n: number): OutboxRow {
  const row = { from: cell.subject.id, fromSeq: after.seq, n, ...send };
  return after.trace === undefined ? row : { ...row, trace: after.trace };
}

function hasIndexChanged(a: ListRow, b: ListRow): boolean {
  return a.state !== b.state || a.status !== b.status || hasOtherValues(a.attributes, b.attributes);
}

function replaceEffect(moment: ActorState, row: EffectRow): ActorState {
  return { ...moment, effects: new Map(moment.effects).set(row.childId, row) };
}
