import type { Clock } from '../../../domain/common/clock.ts';
import { AppError } from '../../../domain/common/error.ts';
import { HOUR_MS, MINUTE_MS, toIsoTime } from '../../../domain/common/time.ts';
import type { HostingProvider, LogFilters } from '../../../domain/hosting/hosting.ts';
import { parseInstant } from '../../../domain/hosting/instant.ts';
import type { LogPage } from '../../../domain/hosting/records.ts';
import { readOptionalQuery } from '../../a2a/read-request.ts';
import { readCount } from '../../proof/replies.ts';

/** Lines per page. */
export const LOG_PAGE_LINES = 100;
/** Default and longest time range of a log search, in hours. */
export const LOG_HOURS = { usual: 24, most: 720 } as const;

/** Filters that accept several values, separated by commas. A line must match one of them. */
const LISTS = ['level', 'type', 'instance', 'statusCode', 'method', 'host', 'path'] as const;
const FILTERS = ['resource', 'text', ...LISTS] as const;

/** The filters of a page and of a tail. */
export type LogSelection = Omit<LogFilters, 'startTime' | 'endTime' | 'direction'>;

/** The dependencies of the log pages. */
export interface LogReadDeps {
  readonly provider: HostingProvider;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Returns a page of log lines: the newest ones, those before `before`, or those from `since` on.
 *
 * @throws {AppError} `INPUT_INVALID`, `RESOURCE_UNKNOWN`
 */
export async function readLogPage(
  { provider, clock }: LogReadDeps,
  query: string,
): Promise<LogPage> {
  const asked = readOptionalQuery(query, [...FILTERS, 'hours', 'before', 'since']);
  const { before, since } = asked;
  const hours =
    asked.hours === undefined ? LOG_HOURS.usual : readCount('hours', asked.hours, LOG_HOURS.most);
  const now = clock.now();
  return provider.logs.query({
    ...toSelection(asked),
    startTime: checkTime('since', since) ?? toIsoTime(now - Math.max(1, hours) * HOUR_MS),
    // The end is exclusive, and a line may be newer than this clock reading.
    endTime: checkTime('before', before) ?? toIsoTime(now + MINUTE_MS),
    direction: since === undefined ? 'backward' : 'forward',
    limit: LOG_PAGE_LINES,
  });
}

/**
 * Parses the filters of a tail.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function readTailSelection(query: string): LogSelection {
  return toSelection(readOptionalQuery(query, FILTERS));
}

function toSelection(asked: Partial<Record<(typeof FILTERS)[number], string>>): LogSelection {
  const { resource, text } = asked;
  if (resource === undefined || resource === '') {
    throw new AppError('INPUT_INVALID', {
      message: '`resource` is missing; it must be the id of a service or a database.',
      data: { path: 'resource', received: '', allowed: 'an id' },
    });
  }
  const lists = LISTS.flatMap((name) => {
    const values = (asked[name] ?? '').split(',').filter((value) => value !== '');
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    resource: [resource],
    ...Object.fromEntries(lists),
    ...(text === undefined || text === '' ? {} : { text: [text] }),
  };
}

function checkTime(path: string, text: string | undefined): string | undefined {
  if (text === undefined || parseInstant(text) !== undefined) return text;
  const received = text.slice(0, 64);
  throw new AppError('INPUT_INVALID', {
    message: `\`${path}\` is ${JSON.stringify(received)}; it must be an RFC 3339 time.`,
    data: { path, received, allowed: 'an RFC 3339 time, such as 2026-01-31T12:00:00Z' },
  });
}
