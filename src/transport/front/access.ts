import { plain } from '../http/admit.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';

/** A request says that it was forwarded, and nobody believes who forwarded it. */
export const FORGED = plain(403, 'forwarded by an unlisted proxy');
/** A page of another origin. */
export const FOREIGN = plain(403, 'origin not allowed');
/** The operator's token, or one that the operator has made, is missing or not valid. */
export const TOKEN_NEEDED = tokenNeeded();

/** The token that a request presents; empty where it presents none. */
export function bearerOf(request: HttpRequest): string {
  const [scheme, token = ''] = (headerOf(request, 'authorization') ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' ? token : '';
}

function tokenNeeded(): HttpReply {
  const { headers = [], ...reply } = plain(401, 'the operator token is needed');
  return { ...reply, headers: [...headers, 'www-authenticate', 'Bearer realm="stoa"'] };
}
