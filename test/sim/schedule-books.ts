import type { ScheduleRow, ScheduleWrite } from '../../src/runtime/timer/schedule-ports.ts';
import type { Schedule } from '../../src/runtime/timer/schedule-types.ts';
import type { ModelActor } from './model-actor.ts';
import { isSame } from './model-state.ts';
import type { QueueBooks } from './queue-books.ts';
import { dateAfter } from './queue-kit.ts';
import type { Faults } from './trace.ts';

/** A date without its actor is missed after this time, in milliseconds. */
const MISSED_AFTER_MS = 60_000;

/** What the schedules did with one batch. */
export interface ScheduleBatch {
  /** When the batch was handed to the disk, in milliseconds. */
  readonly at: number;
  readonly buried: readonly { readonly actorId: string }[];
  readonly fired: Map<string, string | undefined>;
}

/**
 * Follows the rows of schedules: every date once, none early, none passed over without a reason.
 */
export class ScheduleBooks {
  readonly rows = new Map<string, ScheduleRow>();
  readonly counts = { fired: 0, late: 0, skipped: 0 };
  readonly #asked = new Map<string, Schedule[]>();
  readonly #made = new Set<string>();
  readonly #faults: Faults;
  readonly #actors: ReadonlyMap<string, ModelActor>;
  readonly #queues: QueueBooks;
  readonly #history = new Map<string, ScheduleRow[]>();

  constructor(
    faults: Faults,
    around: { readonly actors: ReadonlyMap<string, ModelActor>; readonly queues: QueueBooks },
  ) {
    this.#faults = faults;
    this.#actors = around.actors;
    this.#queues = around.queues;
  }

  /** Notes what a caller asks for. */
  ask(name: string, spec: Schedule): void {
    const known = this.#asked.get(name) ?? [];
    this.#asked.set(name, [...known, spec]);
  }

  /** True when the disk has had this row. */
  had(row: ScheduleRow): boolean {
    return (this.#history.get(row.name) ?? []).some((each) => isSame(each, row));
  }

  /** Takes one write of a batch, in its order. */
  take(write: ScheduleWrite, batch: ScheduleBatch): void {
    if ('del' in write) {
      const isThere = this.rows.delete(write.name);
      this.#faults.check(isThere, 'only a schedule that is there is removed', () => write);
      return;
    }
    const { row } = write;
    const before = this.rows.get(row.name);
    this.rows.set(row.name, row);
    this.#history.set(row.name, [...(this.#history.get(row.name) ?? []), row]);
    if (before === undefined) this.#checkSet(row, undefined, batch);
    else if (row.lastId !== before.lastId) this.#checkFired(row, before, batch);
    else if (row.skipped !== before.skipped) this.#checkSkipped(row, before, batch);
    else this.#checkSet(row, before, batch);
  }

  /** Looks at a batch as a whole. */
  finish({ fired, buried }: ScheduleBatch): void {
    for (const id of fired.keys()) {
      const isMade =
        this.#actors.has(id) ||
        this.#queues.waiting.has(id) ||
        buried.some(({ actorId }) => actorId === id);
      this.#faults.check(isMade, 'a date that moves on makes its actor', () => id);
    }
  }

  #checkSet(row: ScheduleRow, before: ScheduleRow | undefined, { at }: ScheduleBatch): void {
    const isAsked = (this.#asked.get(row.name) ?? []).some((spec) => isSame(spec, row.spec));
    this.#faults.check(isAsked, 'a schedule is as it was asked for', () => row);
    const isKept = before !== undefined && before.spec.cron === row.spec.cron;
    const next = isKept ? before.next : dateAfter(row.spec.cron, at);
    const { lastId, skipped = 0 } = before ?? {};
    const same = isSame([row.next, row.lastId, row.skipped], [next, lastId, skipped]);
    this.#faults.check(same, 'setting up keeps what is due', () => ({ row, before, next, at }));
  }

  #checkFired(row: ScheduleRow, before: ScheduleRow, batch: ScheduleBatch): void {
    const { at, fired } = batch;
    const { name, spec } = row;
    const date = this.#checkMoved(row, before, at);
    const id = `${name}@${new Date(date).toISOString().replace('.000Z', 'Z')}`;
    const facts = () => ({ row, before, at });
    const isMissed = at - date > MISSED_AFTER_MS;
    this.#faults.check(row.lastId === id, 'an actor bears its date', facts);
    this.#faults.check(!this.#made.has(id), 'a date makes one actor', facts);
    this.#faults.check(row.skipped === before.skipped, 'a date that fires is not skipped', facts);
    const isLate = isMissed && spec.missed === 'skip';
    this.#faults.check(!isLate, 'a missed date that is to be skipped makes none', facts);
    const overlaps = spec.overlap === 'skip' && this.#isRunning(before.lastId);
    this.#faults.check(!overlaps, 'no actor is made beside the one before', facts);
    this.#made.add(id);
    fired.set(id, spec.queue);
    this.counts.fired += 1;
    if (isMissed) this.counts.late += 1;
  }

  #checkSkipped(row: ScheduleRow, before: ScheduleRow, { at }: ScheduleBatch): void {
    const { spec } = row;
    const date = this.#checkMoved(row, before, at);
    const isMissed = at - date > MISSED_AFTER_MS && spec.missed === 'skip';
    const overlaps = spec.overlap === 'skip' && this.#isRunning(before.lastId);
    const isFair = row.skipped === before.skipped + 1 && (isMissed || overlaps);
    this.#faults.check(isFair, 'no date is skipped without a reason', () => ({ row, before, at }));
    this.counts.skipped += 1;
  }

  /** @returns The date that the row has left. */
  #checkMoved(row: ScheduleRow, before: ScheduleRow, at: number): number {
    const date = before.next ?? Number.POSITIVE_INFINITY;
    const facts = () => ({ row, before, at });
    this.#faults.check(date <= at, 'nothing fires before its date', facts);
    const after = at - date > MISSED_AFTER_MS ? at : date;
    const isNext = row.next === dateAfter(row.spec.cron, after);
    this.#faults.check(isNext, 'the next date is the first one behind', facts);
    this.#faults.check(isSame(row.spec, before.spec), 'a schedule changes when asked', facts);
    return date;
  }

  #isRunning(id: string | undefined): boolean {
    if (id === undefined) return false;
    return this.#queues.waiting.has(id) || this.#actors.get(id)?.isClosed === false;
  }
}
