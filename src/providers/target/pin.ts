import { isIP } from 'node:net';
import { AppError } from '../../domain/common/error.ts';
import { addressRules, blocked, URL_CHARS_MAX } from '../net/address-rules.ts';
import type { Resolve } from '../net/connector.ts';

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
export interface Pinned {
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
): Promise<Pinned> {
  const url = vetUrl(text, rules);
  const addresses = expected === undefined ? await addressesOf(url, rules.resolve) : [expected];
  const check = addressRules([], deniedBy(rules, url));
  const isOpen = (address: string) => isLifted(rules, url) || check.isOpen(address);
  if (!addresses.every(isOpen)) throw blocked('address', url);
  const [address] = addresses;
  if (address === undefined) throw unresolved(url.hostname);
  return { url, address };
}

/**
 * Checks everything about a URL that needs no network.
 *
 * @throws {AppError} `EGRESS_BLOCKED`
 */
export function vetUrl(text: string, rules: TargetRules, base?: URL): URL {
  if (text.length > URL_CHARS_MAX || !URL.canParse(text, base?.href)) throw blocked('url', text);
  const url = new URL(text, base);
  const lifted = isLifted(rules, url) ? [hostAndPort(url)] : [];
  return addressRules(lifted, deniedBy(rules, url)).vet(url.href);
}

function isLifted({ allowInternal }: TargetRules, url: URL): boolean {
  if (typeof allowInternal === 'boolean') return allowInternal;
  return allowInternal.includes(hostAndPort(url));
}

/**
 * Returns the denied hosts. With internal targets allowed, our own loopback names must not block
 * all of loopback.
 */
function deniedBy(rules: TargetRules, url: URL): readonly string[] {
  const { denyHosts = [] } = rules;
  return isLifted(rules, url) ? denyHosts.filter((host) => !LOOPBACK.test(host)) : denyHosts;
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

function portOf(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}

async function addressesOf(url: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  try {
    return await resolve(host);
  } catch (cause) {
    throw unresolved(host, cause);
  }
}

function unresolved(host: string, cause?: unknown): AppError {
  const message = 'The host name of the target does not resolve.';
  return new AppError('AUDIT_TARGET_DOWN', { message, data: { host }, cause });
}
