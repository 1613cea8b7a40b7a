import { checkHead } from './check-head.ts';
import { checkHandshake } from './handshake.ts';
import { headerOf } from './headers.ts';
import type { HttpReply, HttpRequest, HttpRoute } from './host.ts';
import { CLOSING_RETRY_S } from './host.ts';
import type { HostOptions } from './host-options.ts';

/** The decision on a request head: a reply at once, or a route that reads the body first. */
export type Admission =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'route'; readonly route: HttpRoute };

/** Decides on request heads, for both engines. */
export class Admitter {
  private readonly options: HostOptions;
  private readonly exact = new Map<string, HttpRoute[]>();
  private readonly prefixes: readonly HttpRoute[];
  /** Paths that serve WebSockets only. */
  private readonly sockets: ReadonlySet<string>;

  constructor(options: HostOptions) {
    this.options = options;
    for (const route of options.routes) {
      if (route.isPrefix) continue;
      this.exact.set(route.path, [...(this.exact.get(route.path) ?? []), route]);
    }
    this.sockets = new Set(options.sockets?.map(({ path }) => path));
    this.prefixes = options.routes
      .filter((route) => route.isPrefix)
      .sort((a, b) => b.path.length - a.path.length || suffixOf(b).length - suffixOf(a).length);
  }

  /** Checks the head and the guard, finds the route, and rejects a body announced as too large. */
  admit(request: HttpRequest): Admission {
    const fault = checkHead(request);
    if (fault !== undefined) return reject(plainReply(fault.status, fault.reason), true);
    const guarded = this.options.guard?.(request);
    if (guarded !== undefined) return reject(guarded, hasBody(request));
    if (this.sockets.has(request.path)) {
      return reject(checkHandshake(request) ?? plainReply(400, 'bad handshake'), true);
    }
    const candidates = this.routesAt(request.path);
    const route = candidates.find((one) => one.methods.includes(request.method));
    if (route !== undefined) {
      const length = Number(headerOf(request, 'content-length') ?? 0);
      if (length > (route.bodyBytesMax ?? 0)) return reject(bodyTooLargeReply(route), true);
      return { kind: 'route', route };
    }
    return reject(unroutedReply(request, candidates), hasBody(request));
  }

  private routesAt(path: string): readonly HttpRoute[] {
    const exact = this.exact.get(path);
    if (exact !== undefined) return exact;
    const first = this.prefixes.find((route) => matchesPrefix(route, path));
    if (first === undefined) return [];
    return this.prefixes.filter(
      (route) => route.path === first.path && suffixOf(route) === suffixOf(first),
    );
  }
}

/** Returns whether a prefix route covers a path. */
export function matchesPrefix(route: Pick<HttpRoute, 'path' | 'suffix'>, path: string): boolean {
  const suffix = suffixOf(route);
  return (
    path.length >= route.path.length + suffix.length &&
    path.startsWith(route.path) &&
    path.endsWith(suffix)
  );
}

function suffixOf({ suffix = '' }: Pick<HttpRoute, 'suffix'>): string {
  return suffix;
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
