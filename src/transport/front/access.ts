import type { Grant } from '../../domain/tool/tool.ts';
import { plainReply } from '../http/admit.ts';
import type { Authority } from '../http/authority.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import type { ProxyResolver } from '../http/proxies.ts';
import { RouteTable } from '../http/route-table.ts';
import type { FrontRoute } from './front-route.ts';

/** Rejects a request that an unlisted proxy claims to have forwarded. */
const FORGED_PROXY_REPLY = plainReply(403, 'forwarded by an unlisted proxy');
/** Rejects a request from a page of another origin. */
export const FOREIGN_ORIGIN_REPLY = plainReply(403, 'origin not allowed');
/** Rejects a request without a valid operator token or issued token. */
const TOKEN_REQUIRED_REPLY = tokenRequiredReply();

/** How the credentials of a request are checked. */
export interface AccessRules {
  readonly proxies: ProxyResolver;
  /** Compares in constant time. */
  readonly isOperatorToken: (token: string) => boolean;
  /** Returns the grant of an issued token. Compares in constant time. */
  readonly grantOf?: (token: string) => Grant | undefined;
}

/** Checks who a request comes from, and whether its route is open to them. */
export class Access {
  private readonly rules: AccessRules;
  private readonly authority: Authority;
  private routes = new RouteTable<FrontRoute>([]);
  private checkConsole: (request: HttpRequest) => HttpReply | undefined = () => undefined;

  constructor(authority: Authority, rules: AccessRules) {
    this.authority = authority;
    this.rules = rules;
  }

  /**
   * Checks these routes from now on.
   *
   * @param checkConsole - Returns the rejection of a request to a route of the console, if any.
   */
  protect(
    routes: readonly FrontRoute[],
    checkConsole: (request: HttpRequest) => HttpReply | undefined,
  ): void {
    this.routes = new RouteTable(routes);
    this.checkConsole = checkConsole;
  }

  /** Returns the rejection of a request whose route is not open to its sender, if any. */
  check(request: HttpRequest): HttpReply | undefined {
    const route = this.routes.find(request.path).find(({ access }) => access !== 'open');
    if (route === undefined) return undefined;
    const { proxies } = this.rules;
    if (route.access === 'own_page') {
      return this.checkOrigin(request) ?? (hasOrigin(request) ? undefined : FOREIGN_ORIGIN_REPLY);
    }
    if (route.access === 'console') return this.checkConsole(request);
    if (route.access === 'local' && proxies.isDirectLocal(request)) return undefined;
    if (route.access === 'token') return this.checkToken(request);
    if (proxies.isForged(request)) return FORGED_PROXY_REPLY;
    return this.isOperator(request) ? undefined : TOKEN_REQUIRED_REPLY;
  }

  /** Returns the rejection of a request without the operator token or an issued one, if any. */
  checkToken(request: HttpRequest): HttpReply | undefined {
    if (this.rules.proxies.isForged(request)) return FORGED_PROXY_REPLY;
    const isKnown = this.grantOf(request) !== undefined || this.isOperator(request);
    return isKnown ? undefined : TOKEN_REQUIRED_REPLY;
  }

  /** Returns the rejection of a forged or foreign origin, if any. */
  checkOrigin(request: HttpRequest): HttpReply | undefined {
    if (this.rules.proxies.isForged(request)) return FORGED_PROXY_REPLY;
    return hasOrigin(request) && !this.authority.isOwnPage(request)
      ? FOREIGN_ORIGIN_REPLY
      : undefined;
  }

  /** Returns whether a request has the operator token. */
  isOperator(request: HttpRequest): boolean {
    return this.rules.isOperatorToken(bearerToken(request));
  }

  /** Returns what the issued token of a request grants. */
  grantOf(request: HttpRequest): Grant | undefined {
    return this.rules.grantOf?.(bearerToken(request));
  }
}

/** Returns the bearer token of a request, or an empty string. */
export function bearerToken(request: HttpRequest): string {
  const [scheme, token = ''] = (headerOf(request, 'authorization') ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' ? token : '';
}

function hasOrigin(request: HttpRequest): boolean {
  return headerOf(request, 'origin') !== undefined;
}

function tokenRequiredReply(): HttpReply {
  const { headers = [], ...reply } = plainReply(401, 'operator token required');
  return { ...reply, headers: [...headers, 'www-authenticate', 'Bearer realm="stoa"'] };
}
