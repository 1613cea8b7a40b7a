import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { HostedConnection, HostingChangeResult } from '../../../src/domain/inspect/hosting.ts';
import { RequestError } from '../connection/request-error.ts';
import { consoleUrl } from '../shell/router.ts';

/** Base path of the hosting endpoints. */
const BASE = '/inspect/hosting';
/** Poll interval of pages that change while open, in milliseconds. */
export const POLL_MS = 2_000;

/** Returns the path of a hosting endpoint; encodes the parts and omits empty query values. */
export function hostingUrl(
  parts: readonly string[] = [],
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, value);
  }
  const path = [BASE, ...parts.map(encodeURIComponent)].join('/');
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Returns the path of a service's page, or of one of its tabs. */
export function serviceUrl(id: string, part?: string): string {
  return consoleUrl(['hosting', 'services', id, ...(part === undefined ? [] : [part])]);
}

/** Returns the path of a database's page, or of one of its tabs. */
export function databaseUrl(id: string, part?: string): string {
  return consoleUrl(['hosting', 'databases', id, ...(part === undefined ? [] : [part])]);
}

/** Sends a change. Rejects with a displayable {@link RequestError}. */
export function changeHosting(
  parts: readonly string[],
  body: object = {},
): Promise<HostingChangeResult> {
  return post<HostingChangeResult>(parts, body);
}

/** Reads the addresses of a database. Rejects with a displayable {@link RequestError}. */
export function readConnection(id: string): Promise<HostedConnection> {
  return post<HostedConnection>(['databases', id, 'connection'], {});
}

async function post<Answer>(parts: readonly string[], body: object): Promise<Answer> {
  const answer = await fetch(hostingUrl(parts), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new RequestError({ code: 'NO_ANSWER', message: 'The server did not respond.' });
  });
  const told: unknown = await answer.json().catch(() => null);
  if (answer.ok) return told as Answer;
  const { error, message, data } = (told ?? {}) as {
    readonly error?: string;
    readonly message?: string;
    readonly data?: JsonObject;
  };
  throw new RequestError({
    code: error ?? String(answer.status),
    message: message ?? `The server returned HTTP ${answer.status}.`,
    ...(data === undefined ? {} : { data }),
  });
}

/** Returns the path of the rejected field; `null` if the error names none. */
export function rejectedField(thrown: unknown): string | null {
  const path = thrown instanceof RequestError ? thrown.data?.['path'] : undefined;
  return typeof path === 'string' && path !== '' ? path : null;
}
