import { isIP } from 'node:net';
import { isLoopback } from './address.ts';
import { plain } from './admit.ts';
import { headerOf } from './headers.ts';
import type { HttpReply, HttpRequest } from './host.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const EXPOSED = 'Mcp-Session-Id, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After';
const PREFLIGHT_SECONDS = '600';
const HEADER_LIST = /^[\w-]+(\s*,\s*[\w-]+)*$/;

/** Who may be addressed, and from which pages. */
export interface AuthorityRules {
  /** The address that is listened on. */
  readonly bindHost: string;
  readonly publicUrl?: string;
  /** More names that clients may put into `Host`, without a port. */
  readonly allowedHosts: readonly string[];
  /** More origins, such as `https://console.example`. */
  readonly allowedOrigins: readonly string[];
}

/** Checks `Host` and `Origin`, against pages that rebind a name to this machine. */
export class Authority {
  private readonly names: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;
  private readonly publicOrigin: string | undefined;
  private readonly takesNumbers: boolean;
  /** Answers to values seen before: clients repeat themselves. Bounded. */
  private lastHost = '';
  private lastOrigin = '';

  constructor(rules: AuthorityRules) {
    const own = rules.publicUrl === undefined ? [] : [new URL(rules.publicUrl).hostname];
    const bound = isLoopback(rules.bindHost) ? LOOPBACK_NAMES : [bracket(rules.bindHost)];
    this.names = new Set([...LOOPBACK_NAMES, ...bound, ...own, ...rules.allowedHosts]);
    this.origins = new Set(rules.allowedOrigins);
    this.publicOrigin = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl).origin;
    // A numeric address cannot be rebound; a server for others is also reached by number.
    this.takesNumbers = !isLoopback(rules.bindHost);
  }

  /** @returns The refusal, the answer to a preflight, or nothing. */
  check(request: HttpRequest): HttpReply | undefined {
    const host = headerOf(request, 'host') ?? '';
    if (host !== this.lastHost) {
      if (!this.isName(hostname(host))) return plain(403, 'host not allowed');
      this.lastHost = host;
    }
    const origin = headerOf(request, 'origin');
    if (origin === undefined) return undefined;
    if (origin !== this.lastOrigin) {
      if (!this.isOrigin(origin)) return plain(403, 'origin not allowed');
      this.lastOrigin = origin;
    }
    return preflight(request);
  }

  /**
   * Whether a request comes from a page of this server itself, or of an origin that was listed.
   * Pages at other ports of this machine are strangers: cookies know nothing of ports.
   */
  isOwnPage(request: HttpRequest): boolean {
    const origin = headerOf(request, 'origin');
    if (origin === undefined) return false;
    if (this.origins.has(origin) || origin === this.publicOrigin) return true;
    const host = (headerOf(request, 'host') ?? '').toLowerCase();
    return origin === `http://${host}` || origin === `https://${host}`;
  }

  /** Headers that let an allowed page read an answer. */
  replyHeaders(request: HttpRequest): readonly string[] {
    const origin = headerOf(request, 'origin');
    if (origin === undefined || !this.isOrigin(origin)) return SAFETY;
    return [
      ...SAFETY,
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      EXPOSED,
      'vary',
      'origin',
    ];
  }

  private isOrigin(origin: string): boolean {
    if (this.origins.has(origin)) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
    return this.isName(url.hostname);
  }

  private isName(name: string): boolean {
    if (this.names.has(name)) return true;
    return this.takesNumbers && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  }
}

const SAFETY = ['x-content-type-options', 'nosniff'];

function preflight(request: HttpRequest): HttpReply | undefined {
  const wanted = headerOf(request, 'access-control-request-method');
  if (request.method !== 'OPTIONS' || wanted === undefined) return undefined;
  const asked = headerOf(request, 'access-control-request-headers') ?? '';
  const allowed = HEADER_LIST.test(asked) ? ['access-control-allow-headers', asked] : [];
  return {
    status: 204,
    headers: [
      'access-control-allow-methods',
      'GET, POST, DELETE, OPTIONS',
      'access-control-max-age',
      PREFLIGHT_SECONDS,
      ...allowed,
    ],
  };
}

function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

function bracket(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
