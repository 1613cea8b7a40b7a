import { buildAddressList, containsAddress, isLoopback, normalizeAddress } from './address.ts';
import type { HttpRequest } from './host.ts';

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** Resolves client addresses behind proxies. */
export interface ProxyResolver {
  /** Returns the client's address. Trusts `X-Forwarded-For` only from a listed proxy. */
  addressOf(peerAddress: string, headers: readonly string[]): string;
  /** Returns whether an unlisted peer sends forwarding headers. */
  isForged(request: HttpRequest): boolean;
  /** Returns whether the request comes from this machine, without any proxy in between. */
  isDirectLocal(request: HttpRequest): boolean;
}

/** Creates the resolver from `STOA_TRUSTED_PROXIES`: addresses and networks. */
export function createProxyResolver(trusted: readonly string[]): ProxyResolver {
  const list = buildAddressList(trusted);
  const isTrusted = (address: string): boolean =>
    trusted.length > 0 && containsAddress(list, address);
  return {
    addressOf: (peerAddress, headers) => {
      const peer = normalizeAddress(peerAddress);
      if (!isTrusted(peer)) return peer;
      // Each proxy appends its peer: the last address that is no trusted proxy is the client.
      const named = forwardedFor(headers).reverse();
      return named.find((address) => !isTrusted(address)) ?? peer;
    },
    isForged: (request) => !isTrusted(request.peerAddress) && isForwarded(request),
    isDirectLocal: (request) =>
      isLoopback(normalizeAddress(request.peerAddress)) && !isForwarded(request),
  };
}

function isForwarded({ headers }: HttpRequest): boolean {
  return headers.some((name, at) => at % 2 === 0 && FORWARDING.includes(name));
}

function forwardedFor(headers: readonly string[]): string[] {
  const named: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] !== 'x-forwarded-for') continue;
    for (const part of (headers[at + 1] ?? '').split(','))
      named.push(normalizeAddress(part.trim()));
  }
  return named;
}
