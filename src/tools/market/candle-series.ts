import { toIsoTime } from '../../domain/common/time.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import {
  type Candle,
  type CandleGap,
  type CandleInterval,
  findGaps,
  roundToCandles,
} from '../../domain/market/candles.ts';
import type { MarketCandles } from '../../domain/market/markets.ts';

/** Candles of the first venue that has them, and the faults of the venues before it. */
export interface CandleSeries {
  /** `undefined` if no venue has them. */
  readonly found?: {
    readonly venue: string;
    readonly candles: readonly Candle[];
    readonly gaps: readonly CandleGap[];
    readonly sources: readonly UnnumberedSource[];
  };
  readonly faults: readonly DataFailure[];
}

/** The requested candles; times in milliseconds. */
export interface SeriesOrder {
  readonly pair: string;
  readonly interval: CandleInterval;
  readonly from: number;
  readonly to: number;
  readonly deadline: number;
}

/** Asks venues in order until one has candles. */
export async function readSeries(
  market: MarketCandles,
  venues: readonly string[],
  order: SeriesOrder,
): Promise<CandleSeries> {
  const faults: DataFailure[] = [];
  const range = roundToCandles(order, order.interval);
  for (const venue of venues) {
    const reading = await market.candles({ ...order, venue });
    if (reading.ok) {
      const { candles, sources } = reading;
      const gaps = findGaps(candles, range, order.interval);
      return { found: { venue, candles, gaps, sources }, faults };
    }
    faults.push(reading.fault);
  }
  return { faults };
}

/** Formats gaps for an answer. */
export function formatGaps(gaps: readonly CandleGap[]) {
  return gaps.map(({ from, to, missing }) => ({
    from: toIsoTime(from),
    to: toIsoTime(to),
    missing,
  }));
}
