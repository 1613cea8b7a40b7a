import { AppError } from '../../domain/common/error.ts';
import type { LogFilters } from '../../domain/hosting/hosting.ts';
import type { LogLine, LogPage } from '../../domain/hosting/records.ts';
import type { HostingLogs } from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import { compileLogFilters } from '../../domain/hosting/telemetry/log-filter.ts';
import {
  compareLogTimes,
  formatLogTime,
  type LogTime,
  parseLogTime,
} from '../../domain/hosting/telemetry/log-time.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { Lane } from './hosting-log-day.ts';
import { LogDays, type LogRetention } from './hosting-log-days.ts';
import { LogFollower } from './hosting-log-follower.ts';
import { toLogLine } from './hosting-log-lines.ts';
import { type LogSearch, type SearchContext, searchLogs } from './hosting-log-query.ts';
import { type LogRate, LogRateLimiter } from './hosting-log-rate.ts';
import { labelValues } from './hosting-log-values.ts';
import { LogWriter } from './hosting-log-writer.ts';

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
  const {
    retention = LOG_RETENTION,
    rate = LOG_RATE,
    clock = systemClock(),
    ...location
  } = options;
  const days = new LogDays(location, retention, clock.now());
  const followers = new Set<LogFollower>();
  const writer = new LogWriter({
    days,
    clock,
    rateLimiter: new LogRateLimiter(rate),
    onLines: (lines) => notifyFollowers(followers, lines),
    hasFollowers: () => followers.size > 0,
  });
  const context: SearchContext = {
    between: (first, last) => days.between(first, last),
    day: (day) => days.get(day, clock.now()),
    now: () => clock.now(),
  };
  return {
    storedUntil: (source) => writer.storedUntil(source),
    append: (source, lines) => writer.append(source, lines),
    forget: (source) => writer.forget(source),
    query: async ({ direction, limit, ...filters }) => {
      assertLimit(limit);
      const search = { ...toSearch(filters), direction, limit };
      return toPage(search, await searchLogs(context, search));
    },
    labelValues: async ({ label, ...filters }) => labelValues(context, toSearch(filters), label),
    tail: ({ resource }, signal) => followLogs(followers, resource, signal),
    trim: () => days.trim(clock.now()),
    close: async () => {
      await writer.close();
      await days.close();
    },
  };
}

function toSearch(filters: Omit<LogFilters, 'direction'>): Omit<LogSearch, 'direction' | 'limit'> {
  const sieve = compileLogFilters(filters);
  const resources = [...new Set(filters.resource)];
  const lanes = resources.flatMap((resource) =>
    sieve.types.map((type): Lane => ({ resource, type })),
  );
  return {
    lanes,
    sieve,
    start: parseLogTime(filters.startTime, 'startTime'),
    end: parseLogTime(filters.endTime, 'endTime'),
  };
}

function assertLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_LINES_MAX) return;
  throw new AppError('INPUT_INVALID', {
    message: `limit is ${limit}; it must be an integer from 1 to ${PAGE_LINES_MAX}`,
    data: { parameter: 'limit', received: limit },
  });
}

/**
 * Creates a page. The next page continues where this one ended, so later lines are found as well.
 */
function toPage(
  { start, end, direction }: LogSearch,
  { lines, resumeAt }: Awaited<ReturnType<typeof searchLogs>>,
): LogPage {
  const last = lines.at(-1);
  const isForward = direction === 'forward';
  const edge = isForward ? 1 : 0;
  const afterLast = last && { day: last.day, nano: last.line.nano + edge };
  const next: LogTime = resumeAt ?? afterLast ?? (isForward ? start : end);
  const from = isForward ? next : start;
  const until = isForward ? end : next;
  return {
    logs: lines.map(({ day, lane, line }) => toLogLine(day, lane, line)),
    hasMore: resumeAt !== undefined && compareLogTimes(from, until) < 0,
    nextStartTime: formatLogTime(from),
    nextEndTime: formatLogTime(until),
  };
}

function notifyFollowers(followers: ReadonlySet<LogFollower>, lines: readonly LogLine[]): void {
  for (const follower of followers) {
    const matching = lines.filter(({ labels }) => follower.resources.has(labels.resource));
    if (matching.length > 0) follower.push(matching);
  }
}

/** Starts following immediately, so no line is missed before the first read. */
function followLogs(
  followers: Set<LogFollower>,
  resource: readonly string[],
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const follower = new LogFollower(resource);
  if (!signal.aborted) followers.add(follower);
  signal.addEventListener('abort', () => followers.delete(follower), { once: true });
  return follower.lines(signal);
}
