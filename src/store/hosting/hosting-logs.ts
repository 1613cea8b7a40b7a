import { AppError } from '../../domain/common/error.ts';
import type { LogFilters, LogPage } from '../../domain/hosting/hosting.ts';
import type { LogLine } from '../../domain/hosting/records.ts';
import type { HostingLogs } from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import { logSieve } from '../../domain/hosting/telemetry/log-filter.ts';
import {
  compareMoments,
  formatLogMoment,
  type LogMoment,
  parseLogMoment,
} from '../../domain/hosting/telemetry/log-time.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { Lane } from './hosting-log-day.ts';
import { LogDays, type LogRetention } from './hosting-log-days.ts';
import { LogFollower } from './hosting-log-follower.ts';
import { LogGate, type LogRate } from './hosting-log-gate.ts';
import { LogWriter } from './hosting-log-intake.ts';
import { shownLine } from './hosting-log-lines.ts';
import { type LogSearch, type SearchWorld, searchLogs } from './hosting-log-query.ts';
import { labelValues } from './hosting-log-values.ts';

/** Default log retention: 30 days, 4 GiB in total. */
export const LOG_RETENTION: LogRetention = { daysMax: 30, bytesMax: 4 * 1024 ** 3 };
/** Default rate per resource; the burst equals one minute of the rate. */
export const LOG_RATE: LogRate = { linesPerSecond: 1_000, burst: 60_000 };

/** Maximum lines per page. */
const PAGE_LINES_MAX = 100;

/** Location and limits of the logs. */
export interface LogOptions extends EnvironmentOptions {
  readonly retention?: LogRetention;
  readonly rate?: LogRate;
  readonly clock?: RuntimeClock;
}

/**
 * Opens the logs of all resources: a folder with one environment per day.
 *
 * @throws {EngineError} `STORE_FULL`, `STORE_NEWER`, `STORE_BUSY`, `STORE_FAILED`
 */
export function openHostingLogs(options: LogOptions): HostingLogs {
  const { retention = LOG_RETENTION, rate = LOG_RATE, clock = systemClock(), ...place } = options;
  const days = new LogDays(place, retention, clock.now());
  const followers = new Set<LogFollower>();
  const writer = new LogWriter({
    days,
    clock,
    gate: new LogGate(rate),
    onLines: (lines) => tell(followers, lines),
    isHeard: () => followers.size > 0,
  });
  const world: SearchWorld = {
    between: (first, last) => days.between(first, last),
    day: (day) => days.get(day, clock.now()),
    now: () => clock.now(),
  };
  return {
    taken: (source) => writer.taken(source),
    append: (source, lines) => writer.append(source, lines),
    forget: (source) => writer.forget(source),
    query: async ({ direction, limit, ...filters }) => {
      refuseLimit(limit);
      const search = { ...searchOf(filters), direction, limit };
      return pageOf(search, await searchLogs(world, search));
    },
    labelValues: async ({ label, ...filters }) => labelValues(world, searchOf(filters), label),
    tail: ({ resource }, signal) => follow(followers, resource, signal),
    trim: () => days.trim(clock.now()),
    close: async () => {
      await writer.close();
      await days.close();
    },
  };
}

function searchOf(filters: Omit<LogFilters, 'direction'>): Omit<LogSearch, 'direction' | 'limit'> {
  const sieve = logSieve(filters);
  const resources = [...new Set(filters.resource)];
  const lanes = resources.flatMap((resource) =>
    sieve.types.map((type): Lane => ({ resource, type })),
  );
  return {
    lanes,
    sieve,
    start: parseLogMoment(filters.startTime, 'startTime'),
    end: parseLogMoment(filters.endTime, 'endTime'),
  };
}

function refuseLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_LINES_MAX) return;
  throw new AppError('INPUT_INVALID', {
    message: `limit is ${limit}; it must be an integer from 1 to ${PAGE_LINES_MAX}`,
    data: { parameter: 'limit', received: limit },
  });
}

/**
 * Creates a page. The next page continues where this one ended, so later lines are found as well.
 */
function pageOf(
  { start, end, direction }: LogSearch,
  { lines, goOn }: Awaited<ReturnType<typeof searchLogs>>,
): LogPage {
  const last = lines.at(-1);
  const isForward = direction === 'forward';
  const edge = isForward ? 1 : 0;
  const behind = last && { day: last.day, nano: last.line.nano + edge };
  const next: LogMoment = goOn ?? behind ?? (isForward ? start : end);
  const from = isForward ? next : start;
  const until = isForward ? end : next;
  return {
    logs: lines.map(({ day, lane, line }) => shownLine(day, lane, line)),
    hasMore: goOn !== undefined && compareMoments(from, until) < 0,
    nextStartTime: formatLogMoment(from),
    nextEndTime: formatLogMoment(until),
  };
}

function tell(followers: ReadonlySet<LogFollower>, lines: readonly LogLine[]): void {
  for (const follower of followers) {
    const told = lines.filter(({ labels }) => follower.resources.has(labels.resource));
    if (told.length > 0) follower.tell(told);
  }
}

/** Starts following immediately, so no line is missed before the first read. */
function follow(
  followers: Set<LogFollower>,
  resource: readonly string[],
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const follower = new LogFollower(resource);
  if (!signal.aborted) followers.add(follower);
  signal.addEventListener('abort', () => followers.delete(follower), { once: true });
  return follower.lines(signal);
}
