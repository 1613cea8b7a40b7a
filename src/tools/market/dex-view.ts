import type { Clock } from '../../domain/common/clock.ts';
import { parseDecimal } from '../../domain/common/decimal.ts';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import type { SourceFacts, SourceList } from '../../domain/data/source.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { type DataValue, dataValue } from '../../domain/data/value.ts';
import { placeText, type TokenPlace } from '../../domain/market/chains.ts';
import type { DexPools, TokenReading } from '../../domain/market/dex-pools.ts';
import { offsetBps } from '../../domain/market/plain-decimal.ts';
import {
  agreedPrice,
  choosePools,
  DISAGREEMENT_MAX_BPS,
  distanceBps,
  joinReadings,
  liquidityOf,
  poolPrice,
  type SeenPool,
  type SourcedPool,
} from '../../domain/market/pools.ts';
import { agedOut } from '../../domain/market/reference.ts';
import {
  type ChainPrice,
  type DroppedPlace,
  type PlaceQuote,
  POOLS_SHOWN_MAX,
} from '../../domain/market/report/cross-chain-report.ts';

/** The token to price on its chains, with filters. */
export interface DexOrder {
  readonly places: readonly TokenPlace[];
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
  readonly quotes: readonly PlaceQuote[];
  readonly dropped: readonly DroppedPlace[];
  readonly faults: readonly DataFault[];
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
      dex.listers.map(async (lister) => ({
        place,
        lister,
        reading: await dex.pools(lister, { ...place, deadline }),
      })),
    ),
  );
  const summed = await Promise.all(
    places.map(async (place) => ({ place, reading: await dex.token({ ...place, deadline }) })),
  );
  const pools = listed.flatMap(({ lister, reading }): readonly SourcedPool[] => {
    if (!reading.ok) return [];
    const from = { upstream: lister, source: sources.idOf(reading.source) };
    return reading.value.map((pool) => ({ ...pool, ...from, asOf: cameAt(reading.source) }));
  });
  const chosen = choosePools(joinReadings(pools), floor);
  const values = valuesAt(clock.now(), order.maxAgeMs);
  const second = summed.map(({ place, reading }) => ({
    place,
    ...secondOf({ dex, reading, sources, values }),
  }));
  const chains = places.flatMap((place) => {
    const own = chosen.used.filter(({ first }) => first.chain === place.chain);
    const other = second.find((one) => one.place === place);
    return own.length === 0
      ? []
      : [chainPrice(place, own, { values, upstream: dex.summer, other: other?.price })];
  });
  const failed = listed.filter(({ reading }) => !reading.ok);
  const late = second.filter(({ price }) => price === undefined);
  return {
    price: chosen.used.length === 0 ? null : values.ofPools(poolPrice(chosen.used), chosen.used),
    chains,
    quotes: shown(chosen.used).map((pool) => poolQuote(pool, values)),
    dropped: chosen.dropped.slice(0, POOLS_SHOWN_MAX).map(({ pool: { first }, reason }) => ({
      ...{ kind: 'dex' as const, chain: first.chain, venue: first.dex, pool: first.pool, reason },
    })),
    faults: [
      ...failed.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault])),
      ...second.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    ],
    asked: [
      ...listed.map(({ lister, place }) => `${lister}:${place.chain}`),
      ...places.map(({ chain }) => `${dex.summer}:${chain}`),
    ],
    missing: [
      ...failed.map(({ lister, place }) => `${lister}:${place.chain}`),
      ...late.map(({ place }) => `${dex.summer}:${place.chain}`),
    ],
  };
}

/** Returns when a response was last known to be current, in milliseconds. */
function cameAt({ revalidated_at: again, retrieved_at: first }: SourceFacts): number {
  return Date.parse(again ?? first);
}

interface Values {
  ofPools(value: string, pools: readonly SeenPool[]): DataValue;
  ofToken(reading: TokenReading, asOf: number, source: string): DataValue;
  agedOut(asOf: number): ReturnType<typeof agedOut>;
}

function valuesAt(now: number, maxAgeMs: number): Values {
  const common = { unit: 'USD', maxAgeMs, now } as const;
  return {
    ofPools: (value, pools) => {
      const rows = pools.flatMap(({ first, others }) => [first, ...others]);
      const asOf = Math.min(...rows.map((row) => row.asOf));
      const sources = rows.map(({ source }) => source);
      return dataValue({ ...common, value, asOf, asOfKind: 'received', sources });
    },
    ofToken: ({ price: value, asOf: said }, asOf, source) => {
      const asOfKind = said === null ? 'received' : 'upstream_publish';
      return dataValue({ ...common, value, asOf, asOfKind, sources: [source] });
    },
    agedOut: (asOf) => agedOut({ asOf }, now, maxAgeMs),
  };
}

interface Second {
  readonly price?: DataValue;
  readonly fault?: DataFault;
}

function secondOf({
  dex,
  reading,
  sources,
  values,
}: {
  readonly dex: DexPools;
  readonly reading: Reading<TokenReading>;
  readonly sources: SourceList;
  readonly values: Values;
}): Second {
  if (!reading.ok) return { fault: reading.fault };
  const asOf = reading.value.asOf ?? cameAt(reading.source);
  const reason = values.agedOut(asOf);
  if (reason !== undefined) {
    const detail = reason === 'stale' ? 'Its price is too old.' : 'Its price is dated ahead.';
    return { fault: faultOf('stale_data', { upstream: dex.summer, detail }) };
  }
  return { price: values.ofToken(reading.value, asOf, sources.idOf(reading.source)) };
}

interface SecondOpinion {
  readonly values: Values;
  readonly upstream: string;
  /** `undefined` if it has no price. */
  readonly other: DataValue | undefined;
}

function chainPrice(
  { chain, address }: TokenPlace,
  pools: readonly SeenPool[],
  { values, upstream, other }: SecondOpinion,
): ChainPrice {
  const price = values.ofPools(poolPrice(pools), pools);
  const named = pools.find(({ first }) => first.symbol !== null);
  return {
    ...{ chain, address, symbol: named?.first.symbol ?? null, price, pools: pools.length },
    liquidity: values.ofPools(liquidityOf(pools), pools),
    second_source:
      other === undefined
        ? null
        : {
            upstream,
            price: other,
            deviation_bps: offsetBps(other.value, price.value),
            agrees: isNear(other.value, price.value),
          },
  };
}

function isNear(price: string, from: string): boolean {
  return parseDecimal(distanceBps(price, from)) <= DISAGREEMENT_MAX_BPS * 10n ** 18n;
}

/** Returns the most liquid pools first. */
function shown(pools: readonly SeenPool[]): readonly SeenPool[] {
  const liquidity = ({ first }: SeenPool) => parseDecimal(first.liquidity);
  return [...pools]
    .sort((one, other) => (liquidity(one) > liquidity(other) ? -1 : 1))
    .slice(0, POOLS_SHOWN_MAX);
}

function poolQuote(pool: SeenPool, values: Values): PlaceQuote {
  const { first, others } = pool;
  const { chain, dex: venue, pool: address, side, volume } = first;
  const alone = { first, others: [] };
  return {
    ...{ kind: 'dex', chain, venue, pool: address, side },
    price: values.ofPools(agreedPrice(pool), [pool]),
    liquidity: values.ofPools(first.liquidity, [alone]),
    volume_24h: volume === null ? null : values.ofPools(volume, [alone]),
    confirmed_by: others.map(({ upstream }) => upstream),
  };
}

/** Formats a token, such as `base:0x4200…`. */
export function placesText(places: readonly TokenPlace[]): string {
  return places.map(placeText).join(', ');
}
