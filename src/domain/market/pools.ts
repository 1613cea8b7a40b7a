import { formatDecimal, medianOf, parseDecimal } from '../common/decimal.ts';
import { type ChainName, sameAddressText } from './chains.ts';
import { offsetBps } from './plain-decimal.ts';
import { weightedMedian, withoutOutliers } from './reference.ts';

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
export interface SourcedPool extends PoolReading {
  readonly upstream: string;
  readonly source: string;
  /** Time of the response, in milliseconds since 1970. */
  readonly asOf: number;
}

/** A pool with all of its readings: the most trusted one first, then the others. */
export interface SeenPool {
  readonly first: SourcedPool;
  readonly others: readonly SourcedPool[];
}

/** Why a pool is excluded. */
export type PoolDrop = 'below_liquidity_floor' | 'sources_disagree' | 'outlier';

/** Included pools, and excluded pools with the reason. */
export interface ChosenPools {
  readonly used: readonly SeenPool[];
  readonly dropped: readonly { readonly pool: SeenPool; readonly reason: PoolDrop }[];
}

/** Groups readings of several sources by pool. Readings are ordered by trust. */
export function joinReadings(readings: readonly SourcedPool[]): readonly SeenPool[] {
  const byPool = new Map<string, SourcedPool[]>();
  for (const reading of readings) {
    const key = `${reading.chain} ${sameAddressText(reading.chain, reading.pool)}`;
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
export function choosePools(pools: readonly SeenPool[], floor: string): ChosenPools {
  const early = pools.map((pool) => ({ pool, reason: earlyDrop(pool, floor) }));
  const sound = early.flatMap(({ pool, reason }) => (reason === undefined ? [pool] : []));
  const chains = new Set(sound.map(({ first }) => first.chain));
  const parted = [...chains].map((chain) =>
    withoutOutliers(sound.filter(({ first }) => first.chain === chain).map((pool) => priced(pool))),
  );
  return {
    used: parted.flatMap(({ used }) => used.map(({ pool }) => pool)),
    dropped: [
      ...early.flatMap(({ pool, reason }) => (reason === undefined ? [] : [{ pool, reason }])),
      ...parted.flatMap(({ dropped }) =>
        dropped.map(({ pool }) => ({ pool, reason: 'outlier' as const })),
      ),
    ],
  };
}

/** Returns the median pool price, weighted by liquidity. Needs at least one pool. */
export function poolPrice(pools: readonly SeenPool[]): string {
  return weightedMedian(pools.map(priced));
}

/** Returns the total liquidity of pools, in dollars. */
export function liquidityOf(pools: readonly SeenPool[]): string {
  return formatDecimal(pools.reduce((sum, { first }) => sum + parseDecimal(first.liquidity), 0n));
}

/** Returns the spread from the lowest to the highest price, in basis points. */
export function widthBps(prices: readonly string[]): string {
  const sorted = prices.map(parseDecimal).sort((one, other) => (one < other ? -1 : 1));
  const [low = 0n, high = 0n] = [sorted[0], sorted.at(-1)];
  return offsetBps(formatDecimal(high), formatDecimal(low));
}

/** Returns the absolute relative distance of two prices, in basis points. */
export function distanceBps(price: string, from: string): string {
  return offsetBps(price, from).replace('-', '');
}

/** Returns the median price of a pool over all of its sources. */
export function agreedPrice({ first, others }: SeenPool): string {
  return medianOf([first, ...others].map(({ price }) => price));
}

interface PricedPool {
  readonly pool: SeenPool;
  readonly last: string;
  readonly volume: string;
}

// Liquidity is the weight because it limits what can be traded.
function priced(pool: SeenPool): PricedPool {
  return { pool, last: agreedPrice(pool), volume: pool.first.liquidity };
}

function earlyDrop({ first, others }: SeenPool, floor: string): PoolDrop | undefined {
  const least = parseDecimal(floor);
  const isThin = [first, ...others].some(({ liquidity }) => parseDecimal(liquidity) < least);
  if (isThin) return 'below_liquidity_floor';
  const most = DISAGREEMENT_MAX_BPS * 10n ** 18n;
  const isTorn = others.some(({ price }) => parseDecimal(distanceBps(price, first.price)) > most);
  return isTorn ? 'sources_disagree' : undefined;
}
