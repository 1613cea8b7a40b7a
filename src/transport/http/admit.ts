import { checkHead } from './check-head.ts';
import { checkHandshake } from './handshake.ts';
import { headerOf } from './headers.ts';
import type { HttpReply, HttpRequest, HttpRoute } from './host.ts';
import { CLOSING_RETRY_S } from './host.ts';
import type { HostOptions } from './host-options.ts';
import { RouteTable } from './route-table.ts';

/** The decision on a request head: a reply at once, or a route that reads the body first. */
export type Admission =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'route'; readonly route: HttpRoute };

/** Decides on request heads, for both engines. */
export class Admitter {
  private readonly options: HostOptions;
  private readonly routes: RouteTable<HttpRoute>;
  /** Paths that serve WebSockets only. */
  private readonly sockets: ReadonlySet<string>;

  constructor(options: HostOptions) {
    this.options = options;
    this.routes = new RouteTable(options.routes);
    this.sockets = new Set(options.sockets?.map(({ path }) => path));
  }

  /** Runs the checks, finds the route, and rejects a body announced as too large. */
  admit(request: HttpRequest): Admission {
    const fault = checkHead(request);
    if (fault !== undefined) return reject(plainReply(fault.status, fault.reason), true);
    const refused = runChecks(this.options, request);
    if (refused !== undefined) return reject(refused, hasBody(request));
    if (this.sockets.has(request.path)) {
      return reject(checkHandshake(request) ?? plainReply(400, 'bad handshake'), true);
    }
    const candidates = this.routes.find(request.path);
    const route = candidates.find((one) => one.methods.includes(request.method));
    if (route !== undefined) {
      const length = Number(headerOf(request, 'content-length') ?? 0);
      if (length > (route.bodyBytesMax ?? 0)) return reject(bodyTooLargeReply(route), true);
      return { kind: 'route', route };
    }
    return reject(unroutedReply(request, candidates), hasBody(request));
  }
}

/** Returns the first reply of the checks of a head, if any. */
export function runChecks({ checks = [] }: HostOptions, request: HttpRequest) {
  for (const check of checks) {
    const reply = check(request);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

/** Returns the reply to a body over the route's limit. It closes the connection. */
export function bodyTooLargeReply(route: HttpRoute): HttpReply {
  return { ...(route.tooLarge ?? plainReply(413, 'body too large')), isLast: true };
}

/** Builds a short plain-text reply. */
export function plainReply(status: number, text: string): HttpReply {
  return { status, headers: ['content-type', 'text/plain; charset=utf-8'], body: `${text}\n` };
}

/** The reply of a server that is shutting down. */
export const CLOSING_REPLY: HttpReply = {
  status: 503,
  headers: ['content-type', 'text/plain; charset=utf-8', 'retry-after', String(CLOSING_RETRY_S)],
  body: 'closing\n',
  isLast: true,
};

function unroutedReply(request: HttpRequest, candidates: readonly HttpRoute[]): HttpReply {
  if (candidates.length === 0) return plainReply(404, 'not found');
  const allow = [...new Set(candidates.flatMap((route) => route.methods)), 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return { status: 204, headers: ['allow', allow] };
  const { headers = [], ...reply } = plainReply(405, 'method not allowed');
  return { ...reply, headers: [...headers, 'allow', allow] };
}

// A reply that precedes the body leaves unread bytes, which must not be parsed as a request.
function reject(reply: HttpReply, endsConnection: boolean): Admission {
  return { kind: 'reply', reply: endsConnection ? { ...reply, isLast: true } : reply };
}

function hasBody(request: HttpRequest): boolean {
  const length = headerOf(request, 'content-length');
  return (
    (length !== undefined && length !== '0') || headerOf(request, 'transfer-encoding') !== undefined
  );
}
