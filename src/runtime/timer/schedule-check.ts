import { EngineError } from '../engine/error.ts';
import { isName } from '../engine/name.ts';
import { toStorable } from '../value/plain.ts';
import { parseCron } from './cron.ts';
import type { DateRange, Schedule } from './schedule-types.ts';
import { BACKFILL_MAX, SCHEDULE_NAME_CHARS_MAX } from './schedule-types.ts';

/**
 * Validates a schedule and returns its stored form.
 *
 * @throws {EngineError} `SCHEDULE_INVALID`, `ACTOR_KIND_UNKNOWN`, `EVENT_INVALID`
 */
export function validateSchedule(
  name: string,
  schedule: Schedule,
  kinds: { has(kind: string): boolean },
): Schedule {
  const { kind, input, overlap = 'allow', missed = 'once', jitterMs = 0 } = schedule;
  if (!isName(name) || name.length > SCHEDULE_NAME_CHARS_MAX) {
    throw invalidSchedule('name', name, `1 to ${SCHEDULE_NAME_CHARS_MAX} printable characters`);
  }
  if (!['allow', 'skip'].includes(overlap))
    throw invalidSchedule('overlap', overlap, 'allow or skip');
  if (!['once', 'skip'].includes(missed)) throw invalidSchedule('missed', missed, 'once or skip');
  if (!Number.isSafeInteger(jitterMs) || jitterMs < 0)
    throw invalidSchedule('jitterMs', jitterMs, 'an integer from 0');
  if (!kinds.has(kind)) {
    throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`, {
      data: { kind },
    });
  }
  return toStorable({ ...schedule, input: toStorable(input, 'input') }, 'schedule');
}

/** Creates the error for a pattern without a future date. */
export function noDateLeftError({ cron, timezone = 'UTC' }: Schedule, now: number): EngineError {
  const allowed = `a pattern with a date after ${new Date(now).toISOString()}`;
  return invalidSchedule('cron', `${cron} (${timezone})`, allowed);
}

/** Creates the error for exceeding the maximum number of schedules. */
export function tooManySchedulesError(max: number): EngineError {
  return new EngineError('OVERLOADED', `The engine is full: ${max} schedules.`, { data: { max } });
}

/** Creates the error for a name without a schedule. */
export function unknownScheduleError(name: string): EngineError {
  return invalidSchedule('name', name, 'the name of a schedule');
}

/**
 * Returns the dates of a schedule in a range.
 *
 * @throws {EngineError} `SCHEDULE_INVALID` if the range is no range, is not over yet, or contains
 *   more than `BACKFILL_MAX` dates.
 */
export function datesBetween(
  { cron, timezone = 'UTC' }: Schedule,
  { from, to }: DateRange,
  now: number,
): readonly number[] {
  if (!Number.isFinite(from) || !(from <= to && to <= now)) {
    throw invalidSchedule('range', { from, to }, `from ≤ to ≤ ${now}`);
  }
  const dates: number[] = [];
  const pattern = parseCron(cron, timezone);
  for (let at = pattern.next(from - 1); at !== undefined && at <= to; at = pattern.next(at)) {
    dates.push(at);
    if (dates.length > BACKFILL_MAX)
      throw invalidSchedule('range', { from, to }, `at most ${BACKFILL_MAX} dates`);
  }
  return dates;
}

function invalidSchedule(what: string, received: unknown, allowed: string): EngineError {
  const message = `${what} ${JSON.stringify(received)} is not ${allowed}`;
  return new EngineError('SCHEDULE_INVALID', message, { data: { what, received, allowed } });
}
