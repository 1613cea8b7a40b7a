import { isIP } from 'node:net';
import { AppError } from '../../domain/common/error.ts';
import { blockedError, createAddressRules, URL_CHARS_MAX } from '../net/address-rules.ts';
import type { Resolve } from '../net/http-client.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i;

/** The rules for HTTP targets. */
export interface TargetRules {
  /**
   * Exempts targets from the address and port rules: all, including loopback and internal ones, or
   * exact `host:port` pairs only.
   */
  readonly allowInternal: boolean | readonly string[];
  /**
   * Hosts that are never audited: our own public host, the chain's and the language models'.
   * Loopback hosts among them are allowed if internal targets are.
   */
  readonly denyHosts?: readonly string[];
  readonly resolve: Resolve;
}

/** A target's URL with its address, resolved once. */
export interface PinnedAddress {
  readonly url: URL;
  /** The only IP address that is connected to. */
  readonly address: string;
}

/**
 * Checks a URL and resolves its name once. Later connections use only this address, so a name that
 * changes its address during an audit gains nothing.
 *
 * @param expected - The address of an earlier opening. It is used instead of resolving the name.
 * @throws {AppError} `EGRESS_BLOCKED`, `AUDIT_TARGET_DOWN`
 */
export async function pinAddress(
  text: string,
  rules: TargetRules,
  expected?: string,
): Promise<PinnedAddress> {
  const url = checkUrl(text, rules);
  const addresses =
    expected === undefined ? await resolveAddresses(url, rules.resolve) : [expected];
  const check = createAddressRules([], deniedHosts(rules, url));
  const isOpen = (address: string) => isAllowlisted(rules, url) || check.isAllowed(address);
  if (!addresses.every(isOpen)) throw blockedError('address', url);
  const [address] = addresses;
  if (address === undefined) throw unresolvedError(url.hostname);
  return { url, address };
}

/**
 * Checks everything about a URL that needs no network.
 *
 * @throws {AppError} `EGRESS_BLOCKED`
 */
export function checkUrl(text: string, rules: TargetRules, base?: URL): URL {
  if (text.length > URL_CHARS_MAX || !URL.canParse(text, base?.href))
    throw blockedError('url', text);
  const url = new URL(text, base);
  const allowlist = isAllowlisted(rules, url) ? [hostAndPort(url)] : [];
  return createAddressRules(allowlist, deniedHosts(rules, url)).check(url.href);
}

function isAllowlisted({ allowInternal }: TargetRules, url: URL): boolean {
  if (typeof allowInternal === 'boolean') return allowInternal;
  return allowInternal.includes(hostAndPort(url));
}

/**
 * Returns the denied hosts. With internal targets allowed, our own loopback names must not block
 * all of loopback.
 */
function deniedHosts(rules: TargetRules, url: URL): readonly string[] {
  const { denyHosts = [] } = rules;
  return isAllowlisted(rules, url) ? denyHosts.filter((host) => !LOOPBACK.test(host)) : denyHosts;
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${resolvePort(url)}`;
}

function resolvePort(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}

async function resolveAddresses(url: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  try {
    return await resolve(host);
  } catch (cause) {
    throw unresolvedError(host, cause);
  }
}

function unresolvedError(host: string, cause?: unknown): AppError {
  const message = 'The host name of the target does not resolve.';
  return new AppError('AUDIT_TARGET_DOWN', { message, data: { host }, cause });
}
