import { z } from 'zod';
import {
  type ChainName,
  normalizeAddress,
  type TokenAddress,
} from '../../../domain/market/chains.ts';
import { toPositiveDecimal } from '../../../domain/market/plain-decimal.ts';
import type { PoolReading } from '../../../domain/market/pools.ts';
import type { Parsed, UpstreamAnswer } from '../../data/upstream-reader.ts';

const Related = z.object({ data: z.object({ id: z.string() }) });
const Pool = z.object({
  attributes: z.object({
    address: z.string(),
    base_token_price_usd: z.string().nullable(),
    quote_token_price_usd: z.string().nullable(),
    reserve_in_usd: z.string().nullable(),
    volume_usd: z.object({ h24: z.string().nullish() }).nullish(),
  }),
  relationships: z.object({ base_token: Related, quote_token: Related, dex: Related }),
});
type Pool = z.infer<typeof Pool>;
const Pools = z.object({ data: z.array(Pool) });

const NETWORKS: Readonly<Record<ChainName, string>> = {
  ethereum: 'eth',
  base: 'base',
  arbitrum: 'arbitrum',
  optimism: 'optimism',
  polygon: 'polygon_pos',
  bsc: 'bsc',
  avalanche: 'avax',
  solana: 'solana',
};

/** Returns the path of a token's pools. */
export function poolsPath({ chain, address }: TokenAddress): string {
  return `/api/v2/networks/${NETWORKS[chain]}/tokens/${address}/pools`;
}

/** Parses the pools of a token. Both sides of a pool have a price in this API. */
export function readPools(
  answer: UpstreamAnswer,
  place: TokenAddress,
): Parsed<readonly PoolReading[]> {
  if (answer.status === 404) return { fault: 'not_found', why: 'geckoterminal lacks this token.' };
  const pools = Pools.safeParse(answer.json()).data?.data;
  if (answer.status !== 200 || pools === undefined) {
    return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without a list of pools.` };
  }
  if (pools.length === 0) return { fault: 'not_found', why: 'geckoterminal lists no such pool.' };
  return { value: pools.flatMap((pool) => readPool(pool, place)) };
}

function readPool(
  { attributes, relationships }: Pool,
  place: TokenAddress,
): readonly PoolReading[] {
  const wanted = normalizeAddress(place.chain, `${place.address}`);
  const isIt = ({ data: { id } }: z.infer<typeof Related>) =>
    normalizeAddress(place.chain, id.slice(NETWORKS[place.chain].length + 1)) === wanted;
  const side = isIt(relationships.base_token)
    ? 'base'
    : isIt(relationships.quote_token)
      ? 'quote'
      : undefined;
  if (side === undefined) return [];
  const price = toPositiveDecimal(attributes[`${side}_token_price_usd`]);
  const liquidity = toPositiveDecimal(attributes.reserve_in_usd);
  if (price === undefined || liquidity === undefined) return [];
  const volume = toPositiveDecimal(attributes.volume_usd?.h24) ?? null;
  const { chain } = place;
  const { address: pool } = attributes;
  const dex = relationships.dex.data.id;
  // This answer names tokens by address only.
  return [{ chain, dex, pool, side, symbol: null, price, liquidity, volume }];
}
