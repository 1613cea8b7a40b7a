import { AppError, ERRORS, errorBody } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { HttpReply } from '../http/host.ts';

const COUNT = /^(0|[1-9]\d{0,15})$/;
const NO_STORE = 'no-store';

/**
 * Reads required query parameters, each exactly once. Rejects others.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function readExactQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const asked = [...new URLSearchParams(query)];
  const values = Object.fromEntries(asked);
  const isExact = asked.length === names.length && names.every((name) => name in values);
  if (isExact) return values as Record<Name, string>;
  throw new AppError('INPUT_INVALID', {
    message: `The query must be ${names.map((name) => `${name}=…`).join('&') || 'empty'}.`,
    data: { received: query.slice(0, 200), allowed: names },
  });
}

/**
 * Parses a whole number from a query or a path.
 *
 * @throws {AppError} `INPUT_INVALID` unless it is between 0 and `max`.
 */
export function readCount(name: string, text: string, max: number): number {
  const count = Number(text);
  if (COUNT.test(text) && count <= max) return count;
  throw new AppError('INPUT_INVALID', {
    message: `\`${name}\` must be a whole number from 0 to ${max}.`,
    data: { received: text.slice(0, 40), allowed: `0 to ${max}` },
  });
}

/** Builds a JSON reply. */
export function jsonReply(status: number, value: unknown, cache = NO_STORE): HttpReply {
  const headers = ['content-type', 'application/json', 'cache-control', cache];
  return { status, headers, body: JSON.stringify(value) };
}

/** Builds a reply of text or bytes. */
export function bytesReply(type: string, body: string | Uint8Array, cache: string): HttpReply {
  return { status: 200, headers: ['content-type', type, 'cache-control', cache], body };
}

/** Builds the error reply, with `Retry-After` where the delay is known. */
export function errorReply(error: AppError, waitMs?: number): HttpReply {
  const { headers = [], ...reply } = jsonReply(ERRORS[error.code].status, errorBody(error));
  if (waitMs === undefined) return { ...reply, headers };
  const seconds = String(Math.ceil(waitMs / SECOND_MS));
  return { ...reply, headers: [...headers, 'retry-after', seconds] };
}
