import { computeMedian, formatDecimal, parseDecimal } from '../common/decimal.ts';
import { type ChainName, normalizeAddress } from './chains.ts';
import { computeOffsetBps } from './plain-decimal.ts';
import { computeWeightedMedian, splitOutliers } from './reference.ts';

/** Maximum disagreement of two sources on one pool. Beyond it, the pool is dropped. */
export const DISAGREEMENT_MAX_BPS = 200n;

/** A pool according to one source. Amounts are in dollars. */
export interface PoolReading {
  readonly chain: ChainName;
  /** Name of the exchange at the source. */
  readonly dex: string;
  /** Address of the pool. */
  readonly pool: string;
  /** Side of the token in the pool's pair. Prices of a quote side are already inverted. */
  readonly side: 'base' | 'quote';
  readonly symbol: string | null;
  /** Price of the requested token. */
  readonly price: string;
  readonly liquidity: string;
  /** Daily volume; `null` if not reported. */
  readonly volume: string | null;
}

/** A pool reading with its origin and time. */
export interface PoolRecord extends PoolReading {
  readonly upstream: string;
  readonly source: string;
  /** Time of the response, in milliseconds since 1970. */
  readonly asOf: number;
}

/** A pool with all of its readings: the most trusted one first, then the others. */
export interface Pool {
  readonly first: PoolRecord;
  readonly others: readonly PoolRecord[];
}

/** Why a pool is excluded. */
export type PoolDrop = 'below_liquidity_floor' | 'sources_disagree' | 'outlier';

/** Included pools, and excluded pools with the reason. */
export interface PoolSelection {
  readonly used: readonly Pool[];
  readonly dropped: readonly { readonly pool: Pool; readonly reason: PoolDrop }[];
}

/** Groups readings of several sources by pool. Readings are ordered by trust. */
export function groupByPool(readings: readonly PoolRecord[]): readonly Pool[] {
  const byPool = new Map<string, PoolRecord[]>();
  for (const reading of readings) {
    const key = `${reading.chain} ${normalizeAddress(reading.chain, reading.pool)}`;
    byPool.set(key, [...(byPool.get(key) ?? []), reading]);
  }
  return [...byPool.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ first, others }],
  );
}

/**
 * Selects pools. Every source of a pool must report enough liquidity, its sources must agree, and
 * its price must not be an outlier on its chain.
 *
 * @param floor - Dollars, as a decimal.
 */
export function selectPools(pools: readonly Pool[], floor: string): PoolSelection {
  const checked = pools.map((pool) => ({ pool, reason: findDropReason(pool, floor) }));
  const eligible = checked.flatMap(({ pool, reason }) => (reason === undefined ? [pool] : []));
  const chains = new Set(eligible.map(({ first }) => first.chain));
  const byChain = [...chains].map((chain) =>
    splitOutliers(
      eligible.filter(({ first }) => first.chain === chain).map((pool) => toPricedPool(pool)),
    ),
  );
  return {
    used: byChain.flatMap(({ used }) => used.map(({ pool }) => pool)),
    dropped: [
      ...checked.flatMap(({ pool, reason }) => (reason === undefined ? [] : [{ pool, reason }])),
      ...byChain.flatMap(({ dropped }) =>
        dropped.map(({ pool }) => ({ pool, reason: 'outlier' as const })),
      ),
    ],
  };
}

/** Returns the median pool price, weighted by liquidity. Needs at least one pool. */
export function computePoolPrice(pools: readonly Pool[]): string {
  return computeWeightedMedian(pools.map(toPricedPool));
}

/** Returns the total liquidity of pools, in dollars. */
export function sumLiquidity(pools: readonly Pool[]): string {
  return formatDecimal(pools.reduce((sum, { first }) => sum + parseDecimal(first.liquidity), 0n));
}

/** Returns the spread from the lowest to the highest price, in basis points. */
export function computeSpreadBps(prices: readonly string[]): string {
  const sorted = prices.map(parseDecimal).sort((one, other) => (one < other ? -1 : 1));
  const [low = 0n, high = 0n] = [sorted[0], sorted.at(-1)];
  return computeOffsetBps(formatDecimal(high), formatDecimal(low));
}

/** Returns the absolute relative distance of two prices, in basis points. */
export function computeDistanceBps(price: string, from: string): string {
  return computeOffsetBps(price, from).replace('-', '');
}

/** Returns the median price of a pool over all of its sources. */
export function medianPoolPrice({ first, others }: Pool): string {
  return computeMedian([first, ...others].map(({ price }) => price));
}

interface PricedPool {
  readonly pool: Pool;
  readonly last: string;
  readonly volume: string;
}

// Liquidity is the weight because it limits what can be traded.
function toPricedPool(pool: Pool): PricedPool {
  return { pool, last: medianPoolPrice(pool), volume: pool.first.liquidity };
}

function findDropReason({ first, others }: Pool, floor: string): PoolDrop | undefined {
  const minLiquidity = parseDecimal(floor);
  const isThin = [first, ...others].some(({ liquidity }) => parseDecimal(liquidity) < minLiquidity);
  if (isThin) return 'below_liquidity_floor';
  const maxDistance = DISAGREEMENT_MAX_BPS * 10n ** 18n;
  const isDisputed = others.some(
    ({ price }) => parseDecimal(computeDistanceBps(price, first.price)) > maxDistance,
  );
  return isDisputed ? 'sources_disagree' : undefined;
}
