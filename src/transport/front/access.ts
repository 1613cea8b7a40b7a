import { plainReply } from '../http/admit.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';

/** Rejects a request that an unlisted proxy claims to have forwarded. */
export const FORGED_PROXY_REPLY = plainReply(403, 'forwarded by an unlisted proxy');
/** Rejects a request from a page of another origin. */
export const FOREIGN_ORIGIN_REPLY = plainReply(403, 'origin not allowed');
/** Rejects a request without a valid operator token or issued token. */
export const TOKEN_REQUIRED_REPLY = tokenRequiredReply();

/** Returns the bearer token of a request, or an empty string. */
export function bearerToken(request: HttpRequest): string {
  const [scheme, token = ''] = (headerOf(request, 'authorization') ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' ? token : '';
}

function tokenRequiredReply(): HttpReply {
  const { headers = [], ...reply } = plainReply(401, 'operator token required');
  return { ...reply, headers: [...headers, 'www-authenticate', 'Bearer realm="stoa"'] };
}
