import { formatDecimal, medianOf, parseDecimal } from '../common/decimal.ts';
import { type ChainName, sameAddressText } from './chains.ts';
import { offsetBps } from './plain-decimal.ts';
import { weightedMedian, withoutOutliers } from './reference.ts';

/** Two upstreams that differ by more than this on one pool are both not believed. */
export const DISAGREEMENT_MAX_BPS = 200n;

/** What one upstream says of a pool. Figures are in dollars. */
export interface PoolReading {
  readonly chain: ChainName;
  /** The exchange, as the upstream calls it. */
  readonly dex: string;
  /** Address of the pool. */
  readonly pool: string;
  /** Which side of the pool's pair the token is; prices of a quote side are inverted already. */
  readonly side: 'base' | 'quote';
  readonly symbol: string | null;
  /** Of the token that was asked for. */
  readonly price: string;
  readonly liquidity: string;
  /** Of a day; `null`: not said. */
  readonly volume: string | null;
}

/** A reading with the upstream and the source that it comes from, and when it was so. */
export interface SourcedPool extends PoolReading {
  readonly upstream: string;
  readonly source: string;
  /** Milliseconds: when the answer came. */
  readonly asOf: number;
}

/** A pool, by all who told of it: the one that is believed first, then those that confirm it. */
export interface SeenPool {
  readonly first: SourcedPool;
  readonly others: readonly SourcedPool[];
}

/** Why a pool is not used. */
export type PoolDrop = 'below_liquidity_floor' | 'sources_disagree' | 'outlier';

/** Pools that count, and those that do not, with the reason. */
export interface ChosenPools {
  readonly used: readonly SeenPool[];
  readonly dropped: readonly { readonly pool: SeenPool; readonly reason: PoolDrop }[];
}

/** Brings together what several upstreams say of one pool. Readings come in order of belief. */
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
 * Chooses the pools that count: those with enough liquidity by every upstream that tells of them,
 * whose upstreams agree, and that are not far off the middle of their chain.
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

/** The price of pools: the median weighted by liquidity. There is at least one. */
export function poolPrice(pools: readonly SeenPool[]): string {
  return weightedMedian(pools.map(priced));
}

/** Liquidity of pools together, in dollars. */
export function liquidityOf(pools: readonly SeenPool[]): string {
  return formatDecimal(pools.reduce((sum, { first }) => sum + parseDecimal(first.liquidity), 0n));
}

/** How far the lowest and the highest of prices are apart, in hundredths of a percent. */
export function widthBps(prices: readonly string[]): string {
  const sorted = prices.map(parseDecimal).sort((one, other) => (one < other ? -1 : 1));
  const [low = 0n, high = 0n] = [sorted[0], sorted.at(-1)];
  return offsetBps(formatDecimal(high), formatDecimal(low));
}

/** The distance of a price from another without its sign, in hundredths of a percent. */
export function distanceBps(price: string, from: string): string {
  return offsetBps(price, from).replace('-', '');
}

/** The price of a pool over all who told of it: their median. */
export function agreedPrice({ first, others }: SeenPool): string {
  return medianOf([first, ...others].map(({ price }) => price));
}

interface PricedPool {
  readonly pool: SeenPool;
  readonly last: string;
  readonly volume: string;
}

// A pool weighs as much as can be traded in it.
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
