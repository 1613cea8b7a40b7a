import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../domain/common/error.ts';

/** Longest URL that is requested, in characters. */
export const URL_CHARS_MAX = 2_048;
/** Longest host name, in characters (RFC 1035). */
export const HOST_CHARS_MAX = 253;
/** Allowed ports on hosts that a buyer names. */
export const ALLOWED_PORTS: readonly number[] = [80, 443, 8080, 8443];

const GLOBAL_UNICAST_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Why a URL was blocked: `data.reason` of `EGRESS_BLOCKED`. */
export type BlockReason =
  | 'url'
  | 'length'
  | 'scheme'
  | 'userinfo'
  | 'port'
  | 'address'
  | 'denied'
  | 'downgrade';

/** The rules for reachable hosts. */
export interface AddressRules {
  /**
   * Parses a URL and checks everything that needs no network.
   *
   * @throws {AppError} `EGRESS_BLOCKED` with `data.reason`.
   */
  check(text: string, base?: URL): URL;
  /** Returns whether a `host:port` pair is exempt from the address and port rules. */
  isAllowlisted(url: URL): boolean;
  /** Returns whether a socket may connect to this IP address. */
  isAllowed(address: string): boolean;
}

/**
 * Creates the rules.
 *
 * @param allowHosts - Exact `host:port` pairs that are exempt from the address and port rules.
 * @param denyHosts - Host names or IP addresses that are blocked on every port, before all other
 *   rules.
 */
export function createAddressRules(
  allowHosts: readonly string[],
  denyHosts: readonly string[],
): AddressRules {
  const allowlist = new Set(allowHosts.map((pair) => pair.toLowerCase()));
  const denied = new Set(denyHosts.map(normalizeHost));
  const isLifted = (url: URL) => allowlist.has(hostAndPort(url));
  const isOpen = (address: string) =>
    isPublicAddress(address) && !denied.has(normalizeHost(address));
  return {
    isAllowlisted: isLifted,
    isAllowed: isOpen,
    check: (text, base) => {
      const url = parseUrl(text, base);
      checkShape(url);
      const host = normalizeHost(url.hostname);
      if (denied.has(host)) throw blockedError('denied', url);
      if (isLifted(url)) return url;
      if (!ALLOWED_PORTS.includes(Number(resolvePort(url)))) throw blockedError('port', url);
      if (isIP(host) !== 0 && !isOpen(host)) throw blockedError('address', url);
      return url;
    },
  };
}

/** Returns whether an address is global unicast. Mapped IPv4 addresses are checked as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast') return false;
  return ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST_V6);
}

/** Creates the error for a blocked URL. It names the requested URL, never its resolved address. */
export function blockedError(reason: BlockReason, url: URL | string): AppError {
  return new AppError('EGRESS_BLOCKED', {
    data: { reason, url: String(url).slice(0, URL_CHARS_MAX) },
  });
}

function parseUrl(text: string, base: URL | undefined): URL {
  if (text.length > URL_CHARS_MAX) throw blockedError('length', text);
  if (!URL.canParse(text, base?.href)) throw blockedError('url', text);
  const url = new URL(text, base);
  if (url.href.length > URL_CHARS_MAX) throw blockedError('length', text);
  return url;
}

function checkShape(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blockedError('scheme', url);
  if (url.username !== '' || url.password !== '') throw blockedError('userinfo', withoutUser(url));
  if (url.hostname.length > HOST_CHARS_MAX) throw blockedError('length', url);
}

function withoutUser(url: URL): URL {
  const clean = new URL(url);
  clean.username = '';
  clean.password = '';
  return clean;
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${resolvePort(url)}`;
}

function resolvePort(url: URL): string {
  return url.port === '' ? (DEFAULT_PORT[url.protocol] ?? '') : url.port;
}

function normalizeHost(host: string): string {
  const bare = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : bare;
}
