import { isLoopback, listOf, matches, plainAddress } from './address.ts';
import type { HttpRequest } from './host.ts';

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** What the front makes of proxies. */
export interface Proxies {
  /** The client's address: from `X-Forwarded-For` only where a listed proxy says it. */
  addressOf(peerAddress: string, headers: readonly string[]): string;
  /** Whether a peer that is not listed claims to forward for somebody else. */
  isForged(request: HttpRequest): boolean;
  /** Whether this machine itself asks, with no proxy in between, listed or not. */
  isDirectLocal(request: HttpRequest): boolean;
}

/** Reads `STOA_TRUSTED_PROXIES`: addresses and networks. Nobody else is believed. */
export function makeProxies(trusted: readonly string[]): Proxies {
  const list = listOf(trusted);
  const isTrusted = (address: string): boolean => trusted.length > 0 && matches(list, address);
  return {
    addressOf: (peerAddress, headers) => {
      const peer = plainAddress(peerAddress);
      if (!isTrusted(peer)) return peer;
      // Each proxy appends whom it heard: the last one that is no proxy of ours is the client.
      const named = forwardedFor(headers).reverse();
      return named.find((address) => !isTrusted(address)) ?? peer;
    },
    isForged: (request) => !isTrusted(request.peerAddress) && isForwarded(request),
    isDirectLocal: (request) =>
      isLoopback(plainAddress(request.peerAddress)) && !isForwarded(request),
  };
}

function isForwarded({ headers }: HttpRequest): boolean {
  return headers.some((name, at) => at % 2 === 0 && FORWARDING.includes(name));
}

function forwardedFor(headers: readonly string[]): string[] {
  const named: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] !== 'x-forwarded-for') continue;
    for (const part of (headers[at + 1] ?? '').split(',')) named.push(plainAddress(part.trim()));
  }
  return named;
}
