import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { HostingChanged } from '../../../src/domain/inspect/hosting.ts';
import { Refusal } from '../connection/refusal.ts';
import { addressOf } from '../shell/router.ts';

/** Where the server tells of what it hosts, and takes changes. */
const BASE = '/inspect/hosting';
/** Time between two reads of what moves while it is looked at, in milliseconds. */
export const AGAIN_MS = 2_000;

/** Address of a read or a change; parts are encoded, members without a value left out. */
export function hostingAddress(
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

/** Address of a service's page, or of a part of it. */
export function serviceAddress(id: string, part?: string): string {
  return addressOf(['hosting', 'services', id, ...(part === undefined ? [] : [part])]);
}

/** Address of a database's page, or of a part of it. */
export function databaseAddress(id: string, part?: string): string {
  return addressOf(['hosting', 'databases', id, ...(part === undefined ? [] : [part])]);
}

/** Makes a change. Rejects with a {@link Refusal} that can be shown. */
export async function changeHosting(
  parts: readonly string[],
  body: object = {},
): Promise<HostingChanged> {
  const answer = await fetch(hostingAddress(parts), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Refusal({ code: 'NO_ANSWER', message: 'The server did not answer.' });
  });
  const told: unknown = await answer.json().catch(() => null);
  if (answer.ok) return told as HostingChanged;
  const { error, message, data } = (told ?? {}) as {
    readonly error?: string;
    readonly message?: string;
    readonly data?: JsonObject;
  };
  throw new Refusal({
    code: error ?? String(answer.status),
    message: message ?? `The server answered ${answer.status}.`,
    ...(data === undefined ? {} : { data }),
  });
}

/** The member of a change that was refused; `null` where none is named. */
export function refusedMember(thrown: unknown): string | null {
  const path = thrown instanceof Refusal ? thrown.data?.['path'] : undefined;
  return typeof path === 'string' && path !== '' ? path : null;
}
