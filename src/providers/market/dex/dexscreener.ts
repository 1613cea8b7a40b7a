import { z } from 'zod';
import { ChainName, normalizeAddress, type TokenAddress } from '../../../domain/market/chains.ts';
import type { TokenCandidate } from '../../../domain/market/dex-pools.ts';
import { divideDecimals, toPositiveDecimal } from '../../../domain/market/plain-decimal.ts';
import type { PoolReading } from '../../../domain/market/pools.ts';
import type { Parsed, UpstreamAnswer } from '../../data/upstream-reader.ts';

const Token = z.object({ address: z.string(), name: z.string(), symbol: z.string() });
const Figure = z.union([z.number(), z.string()]);
const Pair = z.object({
  chainId: z.string(),
  dexId: z.string(),
  pairAddress: z.string(),
  baseToken: Token,
  quoteToken: Token,
  priceNative: Figure,
  // Pools without a price are listed without this field.
  priceUsd: Figure.nullish(),
  liquidity: z.object({ usd: Figure.nullish() }).nullish(),
  volume: z.object({ h24: Figure.nullish() }).nullish(),
});
type Pair = z.infer<typeof Pair>;
const Search = z.object({ pairs: z.array(Pair).nullable() });

/** Returns the path of a token's pools. */
export function poolsPath({ chain, address }: TokenAddress): string {
  return `/token-pairs/v1/${chain}/${address}`;
}

/** Returns the path of the search for a symbol. */
export function searchPath(symbol: string): string {
  return `/latest/dex/search?q=${encodeURIComponent(symbol)}`;
}

/**
 * Parses the pools of a token from a list of pairs. If the token is the quote, the price is
 * inverted.
 */
export function readPools(
  answer: UpstreamAnswer,
  place: TokenAddress,
): Parsed<readonly PoolReading[]> {
  const pairs = z.array(Pair).safeParse(answer.json()).data;
  if (answer.status !== 200 || pairs === undefined) return badPayload(answer);
  if (pairs.length === 0) return { fault: 'not_found', why: 'dexscreener lists no such pool.' };
  const wanted = normalizeAddress(place.chain, place.address);
  const isIt = ({ address }: { address: string }) =>
    normalizeAddress(place.chain, address) === wanted;
  return {
    value: pairs
      .filter(({ chainId }) => chainId === place.chain)
      .flatMap((pair) => {
        const side = isIt(pair.baseToken) ? 'base' : isIt(pair.quoteToken) ? 'quote' : undefined;
        return side === undefined ? [] : readPool(pair, place, side);
      }),
  };
}

function readPool(pair: Pair, { chain }: TokenAddress, side: 'base' | 'quote'): PoolReading[] {
  const usd = toPositiveDecimal(pair.priceUsd);
  const native = toPositiveDecimal(pair.priceNative);
  const liquidity = toPositiveDecimal(pair.liquidity?.usd);
  if (usd === undefined || native === undefined || liquidity === undefined) return [];
  // Prices are those of the base token. The price of the quote token follows from both prices.
  const price = side === 'base' ? usd : divideDecimals(usd, native);
  if (price === undefined) return [];
  const { dexId: dex, pairAddress: pool } = pair;
  const { symbol } = side === 'base' ? pair.baseToken : pair.quoteToken;
  const volume = toPositiveDecimal(pair.volume?.h24) ?? null;
  return [{ chain, dex, pool, side, symbol, price, liquidity, volume }];
}

/** Parses the tokens with a symbol from a search, each with its most liquid pool. */
export function readCandidates(
  answer: UpstreamAnswer,
  symbol: string,
  chains: readonly ChainName[],
): Parsed<readonly TokenCandidate[]> {
  const pairs = Search.safeParse(answer.json()).data?.pairs;
  if (answer.status !== 200 || pairs === undefined) return badPayload(answer);
  const found = (pairs ?? []).flatMap((pair) => toCandidates(pair, symbol, chains));
  if (found.length === 0) {
    return { fault: 'unknown_symbol', why: `dexscreener lists no ${symbol} on these chains.` };
  }
  const best = new Map<string, TokenCandidate>();
  for (const one of found) {
    const key = `${one.chain} ${normalizeAddress(one.chain, one.address)}`;
    const known = best.get(key);
    if (known === undefined || Number(one.liquidity) > Number(known.liquidity)) best.set(key, one);
  }
  return { value: [...best.values()] };
}

function toCandidates(
  pair: Pair,
  symbol: string,
  chains: readonly ChainName[],
): readonly TokenCandidate[] {
  const chain = ChainName.safeParse(pair.chainId).data;
  const liquidity = toPositiveDecimal(pair.liquidity?.usd);
  if (chain === undefined || !chains.includes(chain) || liquidity === undefined) return [];
  return [pair.baseToken, pair.quoteToken]
    .filter((token) => token.symbol.toUpperCase() === symbol.toUpperCase())
    .map(({ address, name, symbol: tokenSymbol }) => ({
      chain,
      address,
      name,
      symbol: tokenSymbol,
      liquidity,
    }));
}

function badPayload<T>({ status }: UpstreamAnswer): Parsed<T> {
  if (status === 404) return { fault: 'not_found', why: 'dexscreener does not list this token.' };
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without a list of pairs.` };
}
