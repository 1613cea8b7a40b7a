import type { ActorCache } from '../engine/actor-cache.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Ingress } from '../engine/ingress.ts';
import type { Intake } from '../engine/intake.ts';
import type { Write } from '../engine/ports.ts';
import { Submitter } from '../engine/submitter.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { isPromise, perform, read } from '../load/awaitable.ts';
import type { Need } from '../load/loader.ts';
import type { WaitingRow } from '../queue/queue-ports.ts';
import type { EnqueueRequest, Queues } from '../queue/queues.ts';
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
  #isStarted = false;
  #unwatch: () => void = () => undefined;
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

  /** Loads the stored schedules. */
  *open(): Reading<void> {
    const rows = yield* read(this.#core.store.schedules());
    for (const row of rows) this.#rows.set(row.name, row);
  }

  /** Starts the schedules. */
  start(): void {
    const now = this.#core.clock.now();
    for (const row of [...this.#rows.values()]) this.#rows.set(row.name, recoverRow(row, now));
    this.#isStarted = true;
    this.#scheduleNext();
    this.#unwatch = this.#core.clock.onSetBack?.(() => this.#recover()) ?? this.#unwatch;
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch();
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
    const create = (id: string) =>
      this.#cells.prepare(this.#needOf(row, id), (found) => this.#createActor(row, found, []));
    await Promise.all(ids.map(create));
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
    if (this.#isClosed || !this.#isStarted) return;
    const at = this.nextDue;
    if (at !== undefined) this.#cancel = this.#core.clock.at(at, () => this.#fire());
  }

  /** Dates that ran while the clock was ahead must not hold up those that follow now. */
  #recover(): void {
    const now = this.#core.clock.now();
    this.#delayed.clear();
    for (const row of [...this.#rows.values()]) {
      const recovered = recoverRow(row, now);
      if (recovered === row) continue;
      // A failed commit stops the engine; nobody waits here.
      this.#commit(recovered, (extra) => this.#submitter.write(extra)).catch(() => undefined);
    }
    this.#scheduleNext();
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
    const fired = this.#cells.loader.track(this.#fireDue());
    if (isPromise(fired)) fired.catch((cause: unknown) => this.#core.committer.fail(cause));
  }

  *#fireDue(): Reading<void> {
    const now = this.#core.clock.now();
    for (const { name } of [...this.#rows.values()]) {
      for (;;) {
        const row = this.#rows.get(name);
        if (row?.next === undefined || this.#nextDueAt(row) > now || this.#isClosed) break;
        const { next } = row;
        const need = this.#needOf(row, toActorId(name, next));
        const fire = (found: FoundDate): void => {
          // It may have been changed while the rows were read.
          if (this.#isClosed || this.#rows.get(name) !== row) return;
          this.#delayed.delete(name);
          this.#fireOne(row, { now, date: next, found });
        };
        yield* read(this.#cells.prepare(need, fire));
      }
    }
    this.#scheduleNext();
  }

  /** Returns what decides about a date of a schedule. */
  #needOf({ spec, lastId }: ScheduleRow, id: string): Need<FoundDate> {
    const { kind, input, queue, overlap } = spec;
    const last = overlap === 'skip' ? lastId : undefined;
    const request = queue === undefined ? undefined : { queue, kind, id, input, options: {} };
    const place = request === undefined ? undefined : this.#queues.needOf(request);
    const found = { id, last, request };
    const ids = last === undefined ? [id] : [id, last];
    const readDate = () => perform(this.#readDate(found, place?.read));
    return place?.lane === undefined
      ? { ids, read: readDate }
      : { ids, lane: place.lane, read: readDate };
  }

  *#readDate(
    date: Pick<FoundDate, 'id' | 'last' | 'request'>,
    readPlace: () => Awaitable<WaitingRow | undefined> = () => undefined,
  ): Reading<FoundDate> {
    const { id, last } = date;
    const isWaiting = yield* read(this.#queues.readWaiting(id));
    const isLastWaiting = last !== undefined && (yield* read(this.#queues.readWaiting(last)));
    return { ...date, isWaiting, isLastWaiting, place: yield* read(readPlace()) };
  }

  #fireOne(
    row: ScheduleRow,
    {
      now,
      date,
      found,
    }: { readonly now: number; readonly date: number; readonly found: FoundDate },
  ): void {
    const { name, spec } = row;
    const isMissed = now - date - jitter(name, date, spec) > MISSED_AFTER_MS;
    const advanced = advanceRow(row, isMissed ? now : date);
    const { id, last } = found;
    const isSkipped =
      (isMissed && spec.missed === 'skip') ||
      (last !== undefined && this.#isRunning(last, found.isLastWaiting));
    if (isSkipped) {
      this.#commitOrDelay({ ...advanced, skipped: row.skipped + 1 }, (extra) =>
        this.#submitter.write(extra),
      );
      return;
    }
    this.#commitOrDelay({ ...advanced, lastId: id }, (extra) =>
      this.#createActor(row, found, extra),
    );
  }

  /** @throws {EngineError} If it cannot be created now, but later; see `retryAfterMs`. */
  #createActor(
    { name, spec }: ScheduleRow,
    { id, isWaiting, request, place }: FoundDate,
    extra: readonly Write[],
  ): Promise<unknown> {
    const { kind, input } = spec;
    try {
      if (!this.#core.store.hasRoom()) throw new EngineError('STORE_FULL', 'The disk is full.');
      if (this.#ingress.pendingPurge(id) !== undefined) {
        throw new EngineError('OVERLOADED', `The previous actor ${id} is still being purged.`);
      }
      const exists = this.#cells.find(id) !== undefined || isWaiting;
      if (exists) return this.#submitter.write(extra);
      if (request !== undefined) {
        return this.#queues.enqueuePrepared({ ...request, extra }, place);
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

  /** An actor that cannot be loaded has not ended either. */
  #isRunning(id: string, isWaiting: boolean): boolean {
    try {
      const cell = this.#cells.find(id);
      return cell === undefined ? isWaiting : cell.live.snapshot.status === 'active';
    } catch {
      return true;
    }
  }
}

/** What was read for the actor of a date. */
interface FoundDate {
  readonly id: string;
  readonly isWaiting: boolean;
  /** The actor of the date before, if it must have ended. */
  readonly last: string | undefined;
  readonly isLastWaiting: boolean;
  /** Present if a queue starts the actor. */
  readonly request: EnqueueRequest | undefined;
  readonly place: WaitingRow | undefined;
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
