import type { Reading } from '../data/upstreams.ts';
import type { ChainName, TokenPlace } from './chains.ts';
import type { PoolReading } from './pools.ts';

/** What is asked for of a token, and until when (in milliseconds). */
export interface TokenOrder extends TokenPlace {
  readonly deadline: number;
}

/** A token as an upstream sums it up over all its pools of a chain. Figures are in dollars. */
export interface TokenReading {
  readonly symbol: string | null;
  readonly price: string;
  /** `null`: not said. */
  readonly liquidity: string | null;
  /** Milliseconds; `null` where the upstream does not say. */
  readonly asOf: number | null;
}

/** A token that bears a symbol, with the liquidity of the pools in which it was found. */
export interface TokenCandidate extends TokenPlace {
  readonly symbol: string;
  readonly name: string;
  /** In dollars, as the upstream says. */
  readonly liquidity: string;
}

/** Pools of decentralised exchanges. Nothing of it throws for what an upstream does. */
export interface DexPools {
  /** Upstreams that list pools, in the order in which they are believed. */
  readonly listers: readonly string[];
  /** The upstream that sums tokens up. */
  readonly summer: string;
  /** The upstream that finds tokens by symbol. */
  readonly finder: string;
  /** Pools that trade a token, as one lister says. */
  pools(lister: string, order: TokenOrder): Promise<Reading<readonly PoolReading[]>>;
  /** One token over all its pools of the chain. */
  token(order: TokenOrder): Promise<Reading<TokenReading>>;
  /** Tokens that bear exactly this symbol (letters alike) on those chains. */
  find(order: {
    readonly symbol: string;
    readonly chains: readonly ChainName[];
    readonly deadline: number;
  }): Promise<Reading<readonly TokenCandidate[]>>;
}
