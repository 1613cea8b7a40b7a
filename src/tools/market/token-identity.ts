import { z } from 'zod';
import { parseDecimal } from '../../domain/common/decimal.ts';
import { AppError } from '../../domain/common/error.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList } from '../../domain/data/source.ts';
import {
  ChainName,
  formatTokenAddress,
  isAddressOn,
  type TokenAddress,
} from '../../domain/market/chains.ts';
import type { DexPools } from '../../domain/market/dex-pools.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';

/** Maximum chains in one call. */
export const PLACES_MAX = 6;
const SYMBOL_CHAINS: readonly ChainName[] = ['ethereum', 'base', 'arbitrum', 'solana'];

const Place = z.strictObject({
  chain: ChainName.describe('Chain.'),
  address: z.string().min(32).max(44).describe('Address of the token contract or mint.'),
});
const TokenSymbol = z.string().regex(/^[A-Za-z0-9.$_-]{1,20}$/);

/** The parameters that identify a token. */
export const AskedToken = z.strictObject({
  token: z
    .union([Place, z.strictObject({ symbol: TokenSymbol.describe('Symbol of the token.') })])
    .describe('Chain and address, or a symbol that is unambiguous.'),
  also: z
    .array(Place)
    .max(PLACES_MAX - 1)
    .default([])
    .describe('The same token on other chains.')
    .meta(ADVANCED),
  chains: z
    .array(ChainName)
    .min(1)
    .max(PLACES_MAX)
    .optional()
    .describe('Chains to search for a symbol. Default: four.')
    .meta(ADVANCED),
  min_liquidity_usd: z
    .int()
    .min(1_000)
    .max(1_000_000_000)
    .default(50_000)
    .describe('Minimum liquidity of a pool, in USD.')
    .meta(ADVANCED),
});
/** A parsed {@link AskedToken}. */
export type AskedToken = z.infer<typeof AskedToken>;

/** The addresses of a token, and who identified them. */
export interface TokenIdentity {
  readonly places: readonly TokenAddress[];
  readonly from: 'caller' | 'symbol_search';
}

/** Dependencies of {@link identifyToken}. */
export interface IdentityDeps {
  readonly dex: DexPools;
  readonly sources: SourceList;
  /** Deadline in milliseconds. */
  readonly deadline: number;
}

/**
 * Identifies a token by the caller's addresses or by its symbol. If several tokens share the symbol
 * on one chain, the fault lists them.
 *
 * @throws {AppError} `INPUT_INVALID` for contradictory parameters.
 */
export async function identifyToken(
  asked: AskedToken,
  { dex, sources, deadline }: IdentityDeps,
): Promise<TokenIdentity | { readonly fault: DataFailure }> {
  const { token, chains = SYMBOL_CHAINS, min_liquidity_usd: floor } = asked;
  if (!('symbol' in token)) return { places: statedPlaces(asked), from: 'caller' };
  const { symbol } = token;
  const found = await dex.findTokens({ symbol, chains, deadline });
  if (!found.ok) return { fault: found.fault };
  const least = parseDecimal(String(floor));
  const able = found.value.filter(({ liquidity }) => parseDecimal(liquidity) >= least);
  const isTwice = able.some((one) => able.some((two) => two !== one && two.chain === one.chain));
  if (isTwice) {
    const detail = `Several tokens share ${symbol} on one chain. Pass chain and address.`;
    const candidates = able.map(formatTokenAddress);
    return {
      fault: createDataFailure('ambiguous_entity', {
        upstream: dex.symbolSearch,
        detail,
        candidates,
      }),
    };
  }
  if (able.length === 0) {
    const detail = `No token ${symbol} has a pool of at least ${floor} USD.`;
    return { fault: createDataFailure('unknown_symbol', { upstream: dex.symbolSearch, detail }) };
  }
  sources.assignId(found.source);
  const places = able.map(({ chain, address }) => ({ chain, address }));
  return { places, from: 'symbol_search' };
}

/**
 * Returns the chains and addresses that the caller passed; empty for a symbol.
 *
 * @throws {AppError} `INPUT_INVALID` for contradictory parameters.
 */
export function statedPlaces({ token, also, chains }: AskedToken): readonly TokenAddress[] {
  if ('symbol' in token) {
    if (also.length === 0) return [];
    throw inputError('also', also.length, '`also` needs an address in `token`, not a symbol.');
  }
  if (chains !== undefined) {
    throw inputError('chains', chains, '`chains` needs a symbol in `token`; use `also`.');
  }
  const places = [token, ...also];
  const wrong = places.find(({ chain, address }) => !isAddressOn(chain, address));
  if (wrong !== undefined) {
    throw inputError('token', wrong.address, `This is not an address on ${wrong.chain}.`);
  }
  if (new Set(places.map(({ chain }) => chain)).size < places.length) {
    const received = places.map(({ chain }) => chain);
    throw inputError('also', received, 'A token has only one address per chain.');
  }
  return places;
}

function inputError(path: string, received: unknown, message: string): AppError {
  return new AppError('INPUT_INVALID', { message, data: { path, received } });
}
