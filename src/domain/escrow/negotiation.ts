import { sha256Hex } from '../common/hash.ts';
import type { SealedNegotiation } from './records.ts';

/** Minimum size of deals negotiated in SHADOW mode, in micro-dollars (specification section 8). */
export const SEALED_NEGOTIATION_MIN_MICRO_USD = 25_000_000n;

/** Salt of a sealed reserve: at least 128 random bits in URL-safe characters. */
export const SEALED_SALT = /^[A-Za-z0-9_-]{32,128}$/;

/** A bidder's sealed reserve: the lowest price it would accept. */
export interface SealedReserve {
  readonly reserveMicroUsd: string;
  /** Random value from the bidder that prevents guessing the reserve from its hash. */
  readonly salt: string;
}

/** Computes the commitment to a reserve: a hash that hides and binds it. */
export function commitReserve({ reserveMicroUsd, salt }: SealedReserve): string {
  return sha256Hex(`stoa sealed reserve v1:${salt}:${reserveMicroUsd}`);
}

/**
 * Computes the outcome of a sealed negotiation: the midpoint of budget and reserve, rounded down,
 * or no price if they do not overlap. SHADOW mode: the price changes no deal.
 */
export function computeNegotiation(
  budgetMicroUsd: string,
  sealed: SealedReserve,
): SealedNegotiation {
  const [budget, reserve] = [BigInt(budgetMicroUsd), BigInt(sealed.reserveMicroUsd)];
  return {
    commitment: commitReserve(sealed),
    priceMicroUsd: reserve > budget ? null : String((budget + reserve) / 2n),
  };
}
