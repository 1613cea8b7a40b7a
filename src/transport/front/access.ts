import { plain } from '../http/admit.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';

/** Rejects a request that an unlisted proxy claims to have forwarded. */
export const FORGED = plain(403, 'forwarded by an unlisted proxy');
/** Rejects a request from a page of another origin. */
export const FOREIGN = plain(403, 'origin not allowed');
/** Rejects a request without a valid operator token or issued token. */
export const TOKEN_NEEDED = tokenNeeded();

/** Returns the bearer token of a request, or an empty string. */
export function bearerOf(request: HttpRequest): string {
  const [scheme, token = ''] = (headerOf(request, 'authorization') ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' ? token : '';
}

function tokenNeeded(): HttpReply {
  const { headers = [], ...reply } = plain(401, 'operator token required');
  return { ...reply, headers: [...headers, 'www-authenticate', 'Bearer realm="stoa"'] };
}
