import type { Clock } from '../../domain/common/clock.ts';
import { invariant } from '../../domain/common/error.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList } from '../../domain/data/source.ts';
import { createDataValue, type DataValue } from '../../domain/data/value.ts';
import { CANDLE_INTERVALS, type CandleInterval, findGaps } from '../../domain/market/candles.ts';
import type { MarketCandles } from '../../domain/market/markets.ts';
import { toPlainDecimal } from '../../domain/market/plain-decimal.ts';
import type { Bar } from '../../domain/market/technicals.ts';

/** Number of candles to request; enough for a moving average over 200. */
export const CANDLES_ASKED = 280;
/** Minimum number of candles for an analysis. */
export const CANDLES_MIN = 60;
/** Significant digits of numbers computed in doubles. */
const DIGITS = 8;

/** The requested candles. */
export interface CandleViewOrder {
  readonly pair: string;
  /** Venues in order; the first with enough candles is used. */
  readonly venues: readonly string[];
  readonly interval: CandleInterval;
  /** Deadline in milliseconds. */
  readonly deadline: number;
}

/** Candles of one venue. */
export interface CandleView {
  readonly venue: string;
  readonly bars: readonly Bar[];
  readonly missing: number;
  /** Start of the first and end of the last candle, in milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Returns a number computed from all candles as a value with its sources. */
  value(figure: number, unit: string): DataValue;
}

/** Candles, or the fault of each venue. */
export interface CandleReading {
  readonly view: CandleView | undefined;
  readonly faults: readonly DataFailure[];
}

/** Reads the latest finished candles of a pair from the first venue with enough fresh ones. */
export async function readCandles(
  order: CandleViewOrder,
  { clock, candles }: { readonly clock: Clock; readonly candles: MarketCandles },
  sources: SourceList,
): Promise<CandleReading> {
  const { interval, pair, deadline } = order;
  const length = CANDLE_INTERVALS[interval];
  const to = Math.floor(clock.now() / length) * length;
  const from = to - CANDLES_ASKED * length;
  const faults: DataFailure[] = [];
  for (const venue of order.venues) {
    const reading = await candles.candles({ venue, pair, interval, from, to, deadline });
    if (!reading.ok) {
      faults.push(reading.fault);
      continue;
    }
    const rows = reading.candles;
    const end = (rows.at(-1)?.at ?? 0) + length;
    if (rows.length < CANDLES_MIN || to - end > length) {
      const detail = `It has ${rows.length} candles: too few, or the last one is too old.`;
      faults.push(createDataFailure('stale_data', { upstream: venue, detail }));
      continue;
    }
    const ids = reading.sources.map((source) => sources.assignId(source));
    const gaps = findGaps(rows, { from: rows[0]?.at ?? from, to }, interval);
    const facts = { asOf: end, asOfKind: 'upstream_event', maxAgeMs: 2 * length } as const;
    const now = clock.now();
    const view: CandleView = {
      venue,
      from: rows[0]?.at ?? from,
      to: end,
      bars: rows.map(({ at, ...figures }) => ({ at, ...toNumbers(figures) })),
      missing: gaps.reduce((sum, gap) => sum + gap.missing, 0),
      value: (figure, unit) =>
        createDataValue({ ...facts, value: formatNumber(figure), unit, now, sources: ids }),
    };
    return { view, faults };
  }
  return { view: undefined, faults };
}

/** Formats a number computed in doubles as a decimal with eight digits. */
export function formatNumber(number: number): string {
  const text = Number.isFinite(number) ? toPlainDecimal(number.toPrecision(DIGITS)) : undefined;
  invariant(text !== undefined, 'a number is finite');
  return text;
}

function toNumbers(figures: Record<'open' | 'high' | 'low' | 'close' | 'volume', string>) {
  const { open, high, low, close, volume } = figures;
  return {
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  };
}
