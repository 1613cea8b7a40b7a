import type { Clock } from '../../domain/common/clock.ts';
import { parseDecimal } from '../../domain/common/decimal.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList, UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import { createDataValue, type DataValue } from '../../domain/data/value.ts';
import { formatTokenAddress, type TokenAddress } from '../../domain/market/chains.ts';
import type { DexPools, TokenSummary } from '../../domain/market/dex-pools.ts';
import { computeOffsetBps } from '../../domain/market/plain-decimal.ts';
import {
  computeDistanceBps,
  computePoolPrice,
  DISAGREEMENT_MAX_BPS,
  groupByPool,
  medianPoolPrice,
  type Pool,
  type PoolRecord,
  selectPools,
  sumLiquidity,
} from '../../domain/market/pools.ts';
import { findAgeProblem } from '../../domain/market/reference.ts';
import {
  type ChainPrice,
  type DroppedQuote,
  POOLS_LISTED_MAX,
  type PriceLocation,
} from '../../domain/market/report/cross-chain-report.ts';

/** The token to price on its chains, with filters. */
export interface DexOrder {
  readonly places: readonly TokenAddress[];
  /** Minimum liquidity of a pool, in dollars, as a decimal. */
  readonly floor: string;
  readonly maxAgeMs: number;
  /** Deadline in milliseconds. */
  readonly deadline: number;
}

/** The pools of a token on its chains that could be read. */
export interface DexView {
  /** `null` if no pool is reliable. */
  readonly price: DataValue | null;
  readonly chains: readonly ChainPrice[];
  readonly quotes: readonly PriceLocation[];
  readonly dropped: readonly DroppedQuote[];
  readonly faults: readonly DataFailure[];
  /** Requested sources, such as `dexscreener:base`. */
  readonly asked: readonly string[];
  readonly missing: readonly string[];
}

/** Reads the pools of a token on all its chains and cross-checks the upstreams. */
export async function readDex(
  order: DexOrder,
  { clock, dex }: { readonly clock: Clock; readonly dex: DexPools },
  sources: SourceList,
): Promise<DexView> {
  const { places, deadline, floor } = order;
  const listed = await Promise.all(
    places.flatMap((place) =>
      dex.poolSources.map(async (lister) => ({
        place,
        lister,
        reading: await dex.pools(lister, { ...place, deadline }),
      })),
    ),
  );
  const summed = await Promise.all(
    places.map(async (place) => ({ place, reading: await dex.token({ ...place, deadline }) })),
  );
  const pools = listed.flatMap(({ lister, reading }): readonly PoolRecord[] => {
    if (!reading.ok) return [];
    const from = { upstream: lister, source: sources.assignId(reading.source) };
    return reading.value.map((pool) => ({ ...pool, ...from, asOf: confirmedAt(reading.source) }));
  });
  const chosen = selectPools(groupByPool(pools), floor);
  const values = createValues(clock.now(), order.maxAgeMs);
  const second = summed.map(({ place, reading }) => ({
    place,
    ...toSecondPrice({ dex, reading, sources, values }),
  }));
  const chains = places.flatMap((place) => {
    const own = chosen.used.filter(({ first }) => first.chain === place.chain);
    const other = second.find((one) => one.place === place);
    return own.length === 0
      ? []
      : [chainPrice(place, own, { values, upstream: dex.aggregator, other: other?.price })];
  });
  const failed = listed.filter(({ reading }) => !reading.ok);
  const late = second.filter(({ price }) => price === undefined);
  return {
    price:
      chosen.used.length === 0 ? null : values.ofPools(computePoolPrice(chosen.used), chosen.used),
    chains,
    quotes: topPools(chosen.used).map((pool) => poolQuote(pool, values)),
    dropped: chosen.dropped.slice(0, POOLS_LISTED_MAX).map(({ pool: { first }, reason }) => ({
      kind: 'dex' as const,
      chain: first.chain,
      venue: first.dex,
      pool: first.pool,
      reason,
    })),
    faults: [
      ...failed.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault])),
      ...second.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    ],
    asked: [
      ...listed.map(({ lister, place }) => `${lister}:${place.chain}`),
      ...places.map(({ chain }) => `${dex.aggregator}:${chain}`),
    ],
    missing: [
      ...failed.map(({ lister, place }) => `${lister}:${place.chain}`),
      ...late.map(({ place }) => `${dex.aggregator}:${place.chain}`),
    ],
  };
}

/** Returns when a response was last known to be current, in milliseconds. */
function confirmedAt({ revalidated_at: again, retrieved_at: first }: UnnumberedSource): number {
  return Date.parse(again ?? first);
}

interface ValueFactory {
  ofPools(value: string, pools: readonly Pool[]): DataValue;
  ofToken(reading: TokenSummary, asOf: number, source: string): DataValue;
  agedOut(asOf: number): ReturnType<typeof findAgeProblem>;
}

function createValues(now: number, maxAgeMs: number): ValueFactory {
  const common = { unit: 'USD', maxAgeMs, now } as const;
  return {
    ofPools: (value, pools) => {
      const rows = pools.flatMap(({ first, others }) => [first, ...others]);
      const asOf = Math.min(...rows.map((row) => row.asOf));
      const sources = rows.map(({ source }) => source);
      return createDataValue({ ...common, value, asOf, asOfKind: 'received', sources });
    },
    ofToken: ({ price: value, asOf: said }, asOf, source) => {
      const asOfKind = said === null ? 'received' : 'upstream_publish';
      return createDataValue({ ...common, value, asOf, asOfKind, sources: [source] });
    },
    agedOut: (asOf) => findAgeProblem({ asOf }, now, maxAgeMs),
  };
}

interface SecondPrice {
  readonly price?: DataValue;
  readonly fault?: DataFailure;
}

function toSecondPrice({
  dex,
  reading,
  sources,
  values,
}: {
  readonly dex: DexPools;
  readonly reading: SourceReading<TokenSummary>;
  readonly sources: SourceList;
  readonly values: ValueFactory;
}): SecondPrice {
  if (!reading.ok) return { fault: reading.fault };
  const asOf = reading.value.asOf ?? confirmedAt(reading.source);
  const reason = values.agedOut(asOf);
  if (reason !== undefined) {
    const detail = reason === 'stale' ? 'Its price is too old.' : 'Its price is dated ahead.';
    return { fault: createDataFailure('stale_data', { upstream: dex.aggregator, detail }) };
  }
  return { price: values.ofToken(reading.value, asOf, sources.assignId(reading.source)) };
}

interface SecondOpinion {
  readonly values: ValueFactory;
  readonly upstream: string;
  /** `undefined` if it has no price. */
  readonly other: DataValue | undefined;
}

function chainPrice(
  { chain, address }: TokenAddress,
  pools: readonly Pool[],
  { values, upstream, other }: SecondOpinion,
): ChainPrice {
  const price = values.ofPools(computePoolPrice(pools), pools);
  const named = pools.find(({ first }) => first.symbol !== null);
  return {
    chain,
    address,
    symbol: named?.first.symbol ?? null,
    price,
    pools: pools.length,
    liquidity: values.ofPools(sumLiquidity(pools), pools),
    second_source:
      other === undefined
        ? null
        : {
            upstream,
            price: other,
            deviation_bps: computeOffsetBps(other.value, price.value),
            agrees: isNear(other.value, price.value),
          },
  };
}

function isNear(price: string, from: string): boolean {
  return parseDecimal(computeDistanceBps(price, from)) <= DISAGREEMENT_MAX_BPS * 10n ** 18n;
}

/** Returns the most liquid pools first. */
function topPools(pools: readonly Pool[]): readonly Pool[] {
  const liquidity = ({ first }: Pool) => parseDecimal(first.liquidity);
  return [...pools]
    .sort((one, other) => (liquidity(one) > liquidity(other) ? -1 : 1))
    .slice(0, POOLS_LISTED_MAX);
}

function poolQuote(pool: Pool, values: ValueFactory): PriceLocation {
  const { first, others } = pool;
  const { chain, dex: venue, pool: address, side, volume } = first;
  const alone = { first, others: [] };
  return {
    kind: 'dex',
    chain,
    venue,
    pool: address,
    side,
    price: values.ofPools(medianPoolPrice(pool), [pool]),
    liquidity: values.ofPools(first.liquidity, [alone]),
    volume_24h: volume === null ? null : values.ofPools(volume, [alone]),
    confirmed_by: others.map(({ upstream }) => upstream),
  };
}

/** Formats a token, such as `base:0x4200…`. */
export function formatPlaces(places: readonly TokenAddress[]): string {
  return places.map(formatTokenAddress).join(', ');
}
