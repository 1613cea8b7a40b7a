import { z } from 'zod';
import { DataValue, DecimalText } from '../../data/value.ts';
import { ChainName } from '../chains.ts';

/** Maximum number of listed pools. All of them count. */
export const POOLS_LISTED_MAX = 40;

/** A price of the token at one pool or exchange. */
export const PriceLocation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('dex'),
    chain: ChainName,
    venue: z.string(),
    pool: z.string(),
    side: z.enum(['base', 'quote']).describe('Side in the pool. Quote-side prices are inverted.'),
    price: DataValue,
    liquidity: DataValue,
    volume_24h: DataValue.nullable(),
    confirmed_by: z.array(z.string()).describe('Further sources that agree.'),
  }),
  z.object({
    kind: z.literal('cex'),
    venue: z.string(),
    pair: z.string(),
    price: DataValue,
    volume_24h: DataValue,
  }),
]);
/** A price of the token at one pool or exchange. */
export type PriceLocation = z.infer<typeof PriceLocation>;

/** Price of a token on one chain over its pools, cross-checked with a second source. */
export const ChainPrice = z.object({
  chain: ChainName,
  address: z.string(),
  symbol: z.string().nullable(),
  price: DataValue.describe('Median over its pools, weighted by liquidity.'),
  liquidity: DataValue,
  pools: z.int().positive(),
  second_source: z
    .object({
      upstream: z.string(),
      price: DataValue,
      deviation_bps: DecimalText,
      agrees: z.boolean().describe('Whether the deviation is at most 200 bps.'),
    })
    .nullable()
    .describe('null if it returned no usable price; see faults.'),
});
/** Price of a token on one chain. */
export type ChainPrice = z.infer<typeof ChainPrice>;

/** An excluded pool or quote, with the reason. */
export const DroppedQuote = z.object({
  kind: z.enum(['dex', 'cex']),
  chain: ChainName.nullable(),
  venue: z.string(),
  pool: z.string().nullable(),
  reason: z.enum([
    'below_liquidity_floor',
    'sources_disagree',
    'outlier',
    'stale',
    'ahead_of_clock',
  ]),
});
/** An excluded pool or quote, with the reason. */
export type DroppedQuote = z.infer<typeof DroppedQuote>;

/** Report on a token across chains and exchanges. */
export const CrossChainReport = z.object({
  identity: z.array(
    z.object({ chain: ChainName, address: z.string(), symbol: z.string().nullable() }),
  ),
  identity_from: z.enum(['caller', 'symbol_search']),
  price: DataValue.describe('Median over all included pools, weighted by liquidity.'),
  chains: z.array(ChainPrice),
  spread_bps: DecimalText.describe('Lowest to highest price across chains and exchanges.'),
  deviations: z.array(
    z.object({
      place: z.string(),
      deviation_bps: DecimalText,
      diverges: z.boolean().describe('Whether the deviation exceeds 100 bps.'),
    }),
  ),
  quotes: z.array(PriceLocation),
  dropped: z.array(DroppedQuote),
});
/** Report on a token across chains and exchanges. */
export type CrossChainReport = z.infer<typeof CrossChainReport>;
