import type { SourceReading } from '../data/upstreams.ts';
import type { ChainName, TokenAddress } from './chains.ts';
import type { PoolReading } from './pools.ts';

/** A token query with its deadline, in milliseconds since 1970. */
export interface TokenQuery extends TokenAddress {
  readonly deadline: number;
}

/** A token aggregated over all its pools on a chain. Amounts are in dollars. */
export interface TokenSummary {
  readonly symbol: string | null;
  readonly price: string;
  /** `null` if the source does not report it. */
  readonly liquidity: string | null;
  /** Milliseconds since 1970; `null` if the source does not report it. */
  readonly asOf: number | null;
}

/** A token with a matching symbol, and the liquidity of the pools in which it was found. */
export interface TokenCandidate extends TokenAddress {
  readonly symbol: string;
  readonly name: string;
  /** In dollars, as reported by the source. */
  readonly liquidity: string;
}

/** Pools of decentralized exchanges. Failures of a source are returned, never thrown. */
export interface DexPools {
  /** Sources that list pools, most trusted first. */
  readonly poolSources: readonly string[];
  /** The source that aggregates tokens. */
  readonly aggregator: string;
  /** The source that searches tokens by symbol. */
  readonly symbolSearch: string;
  /** Returns the pools of a token according to one source. */
  pools(lister: string, order: TokenQuery): Promise<SourceReading<readonly PoolReading[]>>;
  /** Returns a token aggregated over all its pools on the chain. */
  token(order: TokenQuery): Promise<SourceReading<TokenSummary>>;
  /** Finds tokens with exactly this symbol on the given chains, ignoring case. */
  findTokens(order: {
    readonly symbol: string;
    readonly chains: readonly ChainName[];
    readonly deadline: number;
  }): Promise<SourceReading<readonly TokenCandidate[]>>;
}
