import { sha256Hex } from '../common/hash.ts';
import type { SealedNegotiation } from './records.ts';

/** Deals from this size on are negotiated in shadow, in micro-dollars (specification section 8). */
export const SEALED_FROM_MICRO_USD = 25_000_000n;

/** Salt of a sealed reserve: 128 bits of chance or more, in letters of an address. */
export const SEALED_SALT = /^[A-Za-z0-9_-]{32,128}$/;

/** A reserve that a bidder seals: the least that it would take. */
export interface SealedReserve {
  readonly reserveMicroUsd: string;
  /** Chance of the bidder's own, so that nobody can guess the reserve from its hash. */
  readonly salt: string;
}

/** Commits to a reserve: a hash that hides it and cannot be opened to another one. */
export function commitReserve({ reserveMicroUsd, salt }: SealedReserve): string {
  return sha256Hex(`stoa sealed reserve v1:${salt}:${reserveMicroUsd}`);
}

/**
 * What a sealed negotiation would come to: the middle of the budget and the reserve, rounded down,
 * and nothing where they do not meet. It runs in shadow: its price changes no deal.
 */
export function negotiate(budgetMicroUsd: string, sealed: SealedReserve): SealedNegotiation {
  const [budget, reserve] = [BigInt(budgetMicroUsd), BigInt(sealed.reserveMicroUsd)];
  return {
    commitment: commitReserve(sealed),
    priceMicroUsd: reserve > budget ? null : String((budget + reserve) / 2n),
  };
}
