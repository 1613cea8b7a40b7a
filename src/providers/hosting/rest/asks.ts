import { AppError } from '../../../domain/common/error.ts';
import { ORDER_KEY_HEADER } from '../../../domain/hosting/api-shapes.ts';
import type { EventQuery, MetricQuery, PageQuery } from '../../../domain/hosting/hosting.ts';
import type { Ask } from './rest-client.ts';

/** Farthest time that a date can hold, in milliseconds from 1970. */
const DATE_MS_MAX = 8.64e15;

/** Asks for something; it may be asked again. */
export function read(path: string, query?: URLSearchParams): Ask {
  return { method: 'GET', path, isSafe: true, ...(query === undefined ? {} : { query }) };
}

/** Asks for something by a query that is posted; it may be asked again. */
export function readBy(path: string, body: unknown): Ask {
  return { method: 'POST', path, body, isSafe: true };
}

/** Changes something; it is asked once. */
export function change(method: Ask['method'], path: string, body?: unknown): Ask {
  return { method, path, isSafe: false, ...(body === undefined ? {} : { body }) };
}

/** Makes something; it is asked once, and the key lets a caller ask again. */
export function order(path: string, body: unknown, key: string | undefined): Ask {
  const headers = key === undefined ? {} : { [ORDER_KEY_HEADER]: encodeURIComponent(key) };
  return { ...change('POST', path, body), headers };
}

/**
 * The address of one thing.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` for an id that an address takes for a step, such as `..`.
 */
export function at(path: string, id: string): string {
  if (!/^\.{0,2}$/.test(id)) return `${path}/${encodeURIComponent(id)}`;
  const message = `There is no resource ${JSON.stringify(id)}.`;
  throw new AppError('RESOURCE_UNKNOWN', { message, data: { received: id } });
}

/** Where a list goes on, and what else it is asked by. */
export function pageQuery(
  { limit, cursor }: PageQuery,
  more: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const query = new URLSearchParams({ ...more, limit: String(limit) });
  if (cursor !== undefined && cursor !== '') query.set('cursor', cursor);
  return query;
}

/** A page of events as it is asked for. */
export function eventQuery({ types = [], start, end, ...page }: EventQuery): URLSearchParams {
  const query = pageQuery(page);
  for (const type of types) query.append('type', type);
  if (start !== undefined) query.set('startTime', timeText(start));
  if (end !== undefined) query.set('endTime', timeText(end));
  return query;
}

/** A query for series as it is posted. */
export function metricBody({ start, end, ...query }: MetricQuery) {
  return { ...query, startTime: timeText(start), endTime: timeText(end) };
}

/** A time that is none is left for the host to refuse by name. */
function timeText(ms: number): string {
  return Math.abs(ms) <= DATE_MS_MAX ? new Date(ms).toISOString() : String(ms);
}
