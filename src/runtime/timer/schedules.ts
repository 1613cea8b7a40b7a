import type { ActorCache } from '../engine/actor-cache.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Ingress } from '../engine/ingress.ts';
import type { Intake } from '../engine/intake.ts';
import type { Write } from '../engine/ports.ts';
import { Submitter } from '../engine/submitter.ts';
import type { Queues } from '../queue/queues.ts';
import { sha256Prefix } from '../value/state-hash.ts';
import { parseCron } from './cron.ts';
import { findEarliest } from './earliest.ts';
import {
  datesBetween,
  noDateLeftError,
  tooManySchedulesError,
  unknownScheduleError,
  validateSchedule,
} from './schedule-check.ts';
import type { ScheduleRow } from './schedule-ports.ts';
import type { DateRange, Schedule, Scheduled } from './schedule-types.ts';
import { SCHEDULES_MAX } from './schedule-types.ts';

/** Time after which a date without an actor counts as missed, in milliseconds. */
export const MISSED_AFTER_MS = 60_000;
/** Delay before an actor that was rejected for lack of capacity is tried again, in milliseconds. */
const RETRY_MS = 10_000;

/** Creates scheduled actors, each exactly once: in the batch that advances the schedule's date. */
export class Schedules {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  readonly #ingress: Ingress;
  readonly #queues: Queues;
  readonly #submitter: Submitter;
  readonly #rows = new Map<string, ScheduleRow>();
  /** Until when a schedule waits for capacity, by name. */
  readonly #delayed = new Map<string, number>();
  #cancel: () => void = () => undefined;
  #isClosed = false;

  constructor(
    core: Core,
    parts: {
      readonly cells: ActorCache;
      readonly intake: Intake;
      readonly ingress: Ingress;
      readonly queues: Queues;
    },
  ) {
    this.#core = core;
    this.#cells = parts.cells;
    this.#intake = parts.intake;
    this.#ingress = parts.ingress;
    this.#queues = parts.queues;
    this.#submitter = new Submitter(core, parts.intake);
  }

  /** Loads the stored schedules and starts them. */
  start(): void {
    const now = this.#core.clock.now();
    for (const row of this.#core.store.schedules()) this.#rows.set(row.name, recoverRow(row, now));
    this.#scheduleNext();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** Returns the next date of all schedules. */
  get nextDue(): number | undefined {
    return findEarliest([...this.#rows.values()].map((row) => this.#nextDueAt(row)));
  }

  /** Implements `ActorEngine.schedule`. */
  async set(name: string, definition: Schedule): Promise<Scheduled> {
    const { definitions, clock, store } = this.#core;
    const spec = validateSchedule(name, definition, definitions);
    if (spec.queue !== undefined) this.#queues.get(spec.queue);
    const dates = parseCron(spec.cron, spec.timezone ?? 'UTC');
    const before = this.#rows.get(name);
    if (before === undefined && this.#rows.size >= SCHEDULES_MAX)
      throw tooManySchedulesError(SCHEDULES_MAX);
    if (!store.hasRoom()) {
      const message = 'Free disk space is below the reserve. Reads still work.';
      throw new EngineError('STORE_FULL', message);
    }
    const upcoming = dates.next(clock.now());
    const next = hasSameDates(before?.spec, spec)
      ? findEarliest([before?.next, upcoming])
      : upcoming;
    if (next === undefined) throw noDateLeftError(spec, clock.now());
    const { spec: _spec, ...kept } = before ?? { skipped: 0 };
    const row: ScheduleRow = { ...kept, name, spec, next };
    this.#delayed.delete(name);
    const committed = this.#commit(row, (extra) => this.#submitter.write(extra));
    this.#scheduleNext();
    await committed;
    return toScheduled(row);
  }

  /** Implements `ActorEngine.pauseSchedule` and `ActorEngine.resumeSchedule`. */
  async setPaused(name: string, isPaused: boolean): Promise<Scheduled> {
    const { isPaused: wasPaused = false, next: _next, ...kept } = this.#require(name);
    if (wasPaused === isPaused) return toScheduled(this.#require(name));
    const resumed = advanceRow(kept, this.#core.clock.now());
    const row: ScheduleRow = isPaused ? { ...resumed, isPaused } : resumed;
    this.#delayed.delete(name);
    const committed = this.#commit(row, (extra) => this.#submitter.write(extra));
    this.#scheduleNext();
    await committed;
    return toScheduled(row);
  }

  /** Implements `ActorEngine.backfillSchedule`. */
  async backfill(name: string, range: DateRange): Promise<readonly string[]> {
    const row = this.#require(name);
    const dates = datesBetween(row.spec, range, this.#core.clock.now());
    const ids = dates.map((date) => toActorId(name, date));
    await Promise.all(ids.map((id) => this.#createActor(row, id, [])));
    return ids;
  }

  /** Implements `ActorEngine.unschedule`. */
  async remove(name: string): Promise<boolean> {
    if (!this.#rows.delete(name)) return false;
    this.#delayed.delete(name);
    this.#scheduleNext();
    await this.#submitter.write([{ del: 'schedule', name }]);
    return true;
  }

  /** Implements `ActorEngine.schedules`. */
  list(): readonly Scheduled[] {
    const rows = [...this.#rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return rows.map(toScheduled);
  }

  #scheduleNext(): void {
    this.#cancel();
    if (this.#isClosed) return;
    const at = this.nextDue;
    if (at !== undefined) this.#cancel = this.#core.clock.at(at, () => this.#fire());
  }

  #require(name: string): ScheduleRow {
    const row = this.#rows.get(name);
    if (row === undefined) throw unknownScheduleError(name);
    return row;
  }

  #nextDueAt({ name, next, spec, isPaused }: ScheduleRow): number {
    if (next === undefined || isPaused === true) return Number.POSITIVE_INFINITY;
    const due = next + jitter(name, next, spec);
    return Math.max(due, this.#delayed.get(name) ?? due);
  }

  #fire(): void {
    if (this.#isClosed) return;
    const now = this.#core.clock.now();
    for (const { name } of [...this.#rows.values()]) {
      for (;;) {
        const row = this.#rows.get(name);
        if (row?.next === undefined || this.#nextDueAt(row) > now) break;
        this.#delayed.delete(name);
        this.#fireOne(row, row.next, now);
      }
    }
    this.#scheduleNext();
  }

  #fireOne(row: ScheduleRow, date: number, now: number): void {
    const { name, spec } = row;
    const isMissed = now - date - jitter(name, date, spec) > MISSED_AFTER_MS;
    const advanced = advanceRow(row, isMissed ? now : date);
    const id = toActorId(name, date);
    const isSkipped =
      (isMissed && spec.missed === 'skip') ||
      (spec.overlap === 'skip' && row.lastId !== undefined && this.#isRunning(row.lastId));
    if (isSkipped) {
      this.#commitOrDelay({ ...advanced, skipped: row.skipped + 1 }, (extra) =>
        this.#submitter.write(extra),
      );
      return;
    }
    this.#commitOrDelay({ ...advanced, lastId: id }, (extra) => this.#createActor(row, id, extra));
  }

  /** @throws {EngineError} If it cannot be created now, but later; see `retryAfterMs`. */
  #createActor({ name, spec }: ScheduleRow, id: string, extra: readonly Write[]): Promise<unknown> {
    const { kind, input, queue } = spec;
    try {
      if (!this.#core.store.hasRoom()) throw new EngineError('STORE_FULL', 'The disk is full.');
      if (this.#ingress.pendingPurge(id) !== undefined) {
        throw new EngineError('OVERLOADED', `The previous actor ${id} is still being purged.`);
      }
      if (this.#exists(id)) return this.#submitter.write(extra);
      if (queue !== undefined) {
        return this.#queues.enqueue({ queue, kind, id, input, options: {}, extra });
      }
      const definition = this.#core.definitions.get(kind);
      if (definition === undefined) {
        throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`);
      }
      const event = { type: 'xstate.init', input };
      return this.#intake.create(definition, id, { event, cause: { by: 'create' } }, { extra });
    } catch (error) {
      if (retryAfterMs(error) !== undefined) throw error;
      return this.#submitter.deadLetter({ to: id, kind, input, mark: name }, error, extra);
    }
  }

  /** Commits an advanced row, unless the action that comes with it must wait. */
  #commitOrDelay(row: ScheduleRow, act: (extra: readonly Write[]) => Promise<unknown>): void {
    try {
      // A failed commit stops the engine; nobody waits here.
      this.#commit(row, act).catch(() => undefined);
    } catch (cause) {
      const { name } = row;
      this.#delayed.set(name, this.#core.clock.now() + (retryAfterMs(cause) ?? RETRY_MS));
      const message = `The schedule ${name} is delayed: ${String(cause)}`;
      this.#core.notice({ kind: 'schedule_delayed', actorId: '', message, cause });
    }
  }

  #commit(row: ScheduleRow, act: (extra: readonly Write[]) => Promise<unknown>) {
    const committed = act([{ put: 'schedule', row }]);
    this.#rows.set(row.name, row);
    return committed;
  }

  #exists(id: string): boolean {
    return this.#cells.find(id) !== undefined || this.#queues.isWaiting(id);
  }

  /** An actor that cannot be loaded has not ended either. */
  #isRunning(id: string): boolean {
    try {
      const cell = this.#cells.find(id);
      return cell === undefined
        ? this.#queues.isWaiting(id)
        : cell.live.snapshot.status === 'active';
    } catch {
      return true;
    }
  }
}

function toActorId(name: string, date: number): string {
  return `${name}@${new Date(date).toISOString().replace('.000Z', 'Z')}`;
}

/** Returns the delay of a date in milliseconds: the same on each start. */
function jitter(name: string, date: number, { jitterMs = 0 }: Schedule): number {
  if (jitterMs === 0) return 0;
  return Number.parseInt(sha256Prefix(`${name}@${date}`).slice(0, 12), 16) % (jitterMs + 1);
}

function advanceRow({ next: _past, ...row }: ScheduleRow, after: number): ScheduleRow {
  const next = parseCron(row.spec.cron, row.spec.timezone ?? 'UTC').next(after);
  return next === undefined ? row : { ...row, next };
}

/**
 * Returns a row whose next date is no later than the one that follows now. It is later if the clock
 * was ahead when the last date was due. A date that has run already has its actor.
 */
function recoverRow(row: ScheduleRow, now: number): ScheduleRow {
  const upcoming = parseCron(row.spec.cron, row.spec.timezone ?? 'UTC').next(now);
  const next = findEarliest([row.next, upcoming]);
  return next === undefined || next === row.next ? row : { ...row, next };
}

/** Redefining a schedule, as programs do at every start, must not lose a due date. */
function hasSameDates(before: Schedule | undefined, spec: Schedule): boolean {
  return before?.cron === spec.cron && (before.timezone ?? 'UTC') === (spec.timezone ?? 'UTC');
}

/** Returns when to retry; a missing kind or queue only appears with another program. */
function retryAfterMs(error: unknown): number | undefined {
  const code = error instanceof EngineError ? error.code : undefined;
  if (code === 'STORE_FULL' || code === 'OVERLOADED') return RETRY_MS;
  const needsOtherProgram = code === 'ACTOR_KIND_UNKNOWN' || code === 'QUEUE_UNKNOWN';
  return needsOtherProgram ? Number.POSITIVE_INFINITY : undefined;
}

function toScheduled({ name, spec, ...row }: ScheduleRow): Scheduled {
  return { ...spec, name, ...row };
}
