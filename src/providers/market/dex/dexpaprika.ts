import { z } from 'zod';
import { normalizeAddress, type TokenAddress } from '../../../domain/market/chains.ts';
import type { TokenSummary } from '../../../domain/market/dex-pools.ts';
import { toPositiveDecimal } from '../../../domain/market/plain-decimal.ts';
import type { Parsed, UpstreamAnswer } from '../../data/upstream-reader.ts';

const Figure = z.union([z.number(), z.string()]);
const Token = z.object({
  id: z.string(),
  chain: z.string(),
  symbol: z.string().nullish(),
  last_updated: z.string().nullish(),
  summary: z.object({ price_usd: Figure, liquidity_usd: Figure.nullish() }),
});

/** Returns the path of a token's summary. */
export function tokenPath({ chain, address }: TokenAddress): string {
  return `/networks/${chain}/tokens/${address}`;
}

/** Parses a token's price over all its pools on a chain. */
export function readToken(answer: UpstreamAnswer, requested: TokenAddress): Parsed<TokenSummary> {
  if (answer.status === 404) return { fault: 'not_found', why: 'dexpaprika lacks this token.' };
  const token = Token.safeParse(answer.json()).data;
  const price = toPositiveDecimal(token?.summary.price_usd);
  const { chain, address } = requested;
  const isIt =
    token?.chain === chain &&
    normalizeAddress(chain, token.id) === normalizeAddress(chain, address);
  if (answer.status !== 200 || token === undefined || price === undefined || !isIt) {
    return {
      fault: 'upstream_bad_payload',
      why: `HTTP ${answer.status} without a price of this token.`,
    };
  }
  const at = Date.parse(token.last_updated ?? '');
  return {
    value: {
      symbol: token.symbol ?? null,
      price,
      liquidity: toPositiveDecimal(token.summary.liquidity_usd) ?? null,
      asOf: Number.isNaN(at) ? null : at,
    },
  };
}
