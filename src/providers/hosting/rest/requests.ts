import { AppError } from '../../../domain/common/error.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../../../domain/hosting/api-shapes.ts';
import type { EventQuery, MetricQuery, PageQuery } from '../../../domain/hosting/hosting.ts';
import type { RestRequest } from './rest-client.ts';

/** Maximum time that a date can represent, in milliseconds from 1970. */
const DATE_MS_MAX = 8.64e15;

/** Creates a read request, which may be retried. */
export function getRequest(path: string, query?: URLSearchParams): RestRequest {
  return { method: 'GET', path, isSafe: true, ...(query === undefined ? {} : { query }) };
}

/** Creates a read request with a posted query, which may be retried. */
export function queryRequest(path: string, body: unknown): RestRequest {
  return { method: 'POST', path, body, isSafe: true };
}

/** Creates a request that changes something; it is sent only once. */
export function changeRequest(
  method: RestRequest['method'],
  path: string,
  body?: unknown,
): RestRequest {
  return { method, path, isSafe: false, ...(body === undefined ? {} : { body }) };
}

/** Creates a request that creates something. It is sent only once; the key lets a caller retry. */
export function createRequest(path: string, body: unknown, key: string | undefined): RestRequest {
  const headers = key === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: encodeURIComponent(key) };
  return { ...changeRequest('POST', path, body), headers };
}

/**
 * Returns the path of one resource.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` for an id that would act as a path segment, such as `..`.
 */
export function resourcePath(path: string, id: string): string {
  if (!/^\.{0,2}$/.test(id)) return `${path}/${encodeURIComponent(id)}`;
  const message = `There is no resource ${JSON.stringify(id)}.`;
  throw new AppError('RESOURCE_UNKNOWN', { message, data: { received: id } });
}

/** Returns the query of a page, with further parameters. */
export function toPageQuery(
  { limit, cursor }: PageQuery,
  more: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const query = new URLSearchParams({ ...more, limit: String(limit) });
  if (cursor !== undefined && cursor !== '') query.set('cursor', cursor);
  return query;
}

/** Returns the query of an event page. */
export function toEventQuery({ types = [], start, end, ...page }: EventQuery): URLSearchParams {
  const query = toPageQuery(page);
  for (const type of types) query.append('type', type);
  if (start !== undefined) query.set('startTime', formatTime(start));
  if (end !== undefined) query.set('endTime', formatTime(end));
  return query;
}

/** Returns the body of a metrics query. */
export function toMetricBody({ start, end, ...query }: MetricQuery) {
  return { ...query, startTime: formatTime(start), endTime: formatTime(end) };
}

/** An invalid time is passed on, so that the host rejects it by name. */
function formatTime(ms: number): string {
  return Math.abs(ms) <= DATE_MS_MAX ? new Date(ms).toISOString() : String(ms);
}
