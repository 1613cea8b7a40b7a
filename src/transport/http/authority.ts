import { isIP } from 'node:net';
import { isLoopback } from './address.ts';
import { plainReply } from './admit.ts';
import { headerOf } from './headers.ts';
import type { HttpReply, HttpRequest } from './host.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const EXPOSED_HEADERS = 'Mcp-Session-Id, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After';
const PREFLIGHT_SECONDS = '600';
const HEADER_LIST = /^[\w-]+(\s*,\s*[\w-]+)*$/;
/** The port that a `Host` value leaves out. */
export const HTTP_PORT = 80;

/** The hosts that may be addressed and the origins that may read. */
export interface AuthorityRules {
  /** The address that the server listens on. */
  readonly bindHost: string;
  readonly publicUrl?: string;
  /** Further values of `Host`, as a client sends them: with the port unless it is 80. */
  readonly allowedHosts: readonly string[];
  /** Further origins whose pages may read replies, such as `https://console.example`. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Checks `Host` and `Origin` to prevent DNS rebinding. Both are compared whole, scheme and port
 * included: a page at another port of this machine is a third party.
 */
export class Authority {
  private readonly rules: AuthorityRules;
  /** Values of `Host`, each with the origin of the pages served there. */
  private readonly ownOrigins = new Map<string, string>();
  private readonly readerOrigins: Set<string>;
  private readonly publicOrigin: string | undefined;
  private readonly acceptsNumericHosts: boolean;
  private port = 0;
  /** The last accepted values, as clients repeat them. Bounded to one each. */
  private lastHost: string | undefined;
  private lastOrigin: string | undefined;

  constructor(rules: AuthorityRules) {
    this.rules = rules;
    this.readerOrigins = new Set(rules.allowedOrigins);
    this.publicOrigin = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl).origin;
    // A numeric address cannot be rebound, and a public server is also reached by number.
    this.acceptsNumericHosts = !isLoopback(rules.bindHost);
  }

  /** Starts to admit requests once the port is known. Rejects all before that. */
  startAdmitting(port: number): void {
    const { bindHost, publicUrl, allowedHosts } = this.rules;
    this.port = port;
    for (const name of [...LOOPBACK_NAMES, bracketIpv6(bindHost).toLowerCase()]) {
      const origin = port === HTTP_PORT ? `http://${name}` : `http://${name}:${port}`;
      this.admit(`${name}:${port}`, origin);
      // Health checks omit the port. That is safe, as a page's origin includes the port anyway.
      this.admit(name, origin);
    }
    for (const host of allowedHosts) this.admit(host.toLowerCase(), `http://${host.toLowerCase()}`);
    if (publicUrl === undefined) return;
    const { host, hostname, protocol, origin } = new URL(publicUrl);
    this.admit(host, origin);
    // A client may write the default port of its scheme.
    if (host === hostname) this.admit(`${host}:${protocol === 'https:' ? 443 : HTTP_PORT}`, origin);
  }

  /** @returns The rejection, the reply to a preflight request, or `undefined`. */
  check(request: HttpRequest): HttpReply | undefined {
    const host = headerOf(request, 'host') ?? '';
    if (host !== this.lastHost) {
      if (this.originAt(host) === undefined) return plainReply(403, 'host not allowed');
      this.lastHost = host;
    }
    const origin = headerOf(request, 'origin');
    if (origin === undefined) return undefined;
    if (!this.canRead(origin)) return plainReply(403, 'origin not allowed');
    return preflightReply(request);
  }

  /**
   * Returns whether a request comes from a page of this server, at the requested or the public
   * address. Pages of listed origins may read replies but remain third parties. So do pages at
   * other ports of this machine, because cookies ignore ports.
   */
  isOwnPage(request: HttpRequest): boolean {
    const origin = headerOf(request, 'origin');
    if (origin === undefined) return false;
    return (
      origin === this.publicOrigin || origin === this.originAt(headerOf(request, 'host') ?? '')
    );
  }

  /** Returns headers that let an allowed page read a reply. */
  replyHeaders(request: HttpRequest): readonly string[] {
    const origin = headerOf(request, 'origin');
    if (origin === undefined || !this.canRead(origin)) return SAFETY_HEADERS;
    return [
      ...SAFETY_HEADERS,
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      EXPOSED_HEADERS,
      'vary',
      'origin',
    ];
  }

  private admit(host: string, origin: string): void {
    // The first entry wins: a public address may also belong to this machine.
    if (!this.ownOrigins.has(host)) this.ownOrigins.set(host, origin);
    this.readerOrigins.add(origin);
  }

  private canRead(origin: string): boolean {
    if (origin === this.lastOrigin) return true;
    const isKnown = this.readerOrigins.has(origin) || this.isNumericOrigin(origin);
    if (isKnown) this.lastOrigin = origin;
    return isKnown;
  }

  private isNumericOrigin(origin: string): boolean {
    const scheme = 'http://';
    return origin.startsWith(scheme) && this.numericOrigin(origin.slice(scheme.length)) === origin;
  }

  /**
   * Returns the origin of the pages served at a `Host` value, or `undefined` for a foreign host.
   */
  private originAt(host: string): string | undefined {
    const named = host.toLowerCase();
    return this.ownOrigins.get(named) ?? this.numericOrigin(named);
  }

  /** Does the same for a numeric address, with the listening port or without a port. */
  private numericOrigin(host: string): string | undefined {
    if (!this.acceptsNumericHosts) return undefined;
    const ending = `:${this.port}`;
    const name = host.endsWith(ending) ? host.slice(0, -ending.length) : host;
    const literal = /^\[([0-9a-f:.]+)\]$/.exec(name)?.[1];
    const isNumber = literal === undefined ? isIP(name) === 4 : isIP(literal) === 6;
    if (!isNumber) return undefined;
    return `http://${name}${this.port === HTTP_PORT ? '' : ending}`;
  }
}

const SAFETY_HEADERS = ['x-content-type-options', 'nosniff'];

function preflightReply(request: HttpRequest): HttpReply | undefined {
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

function bracketIpv6(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
