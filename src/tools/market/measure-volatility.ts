import { formatDecimal, parseDecimal, toDecimal } from '../../domain/common/decimal.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { createDataValue } from '../../domain/data/value.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../../domain/market/candles.ts';
import type { VolatilityReport } from '../../domain/market/report/volatility-report.ts';
import { averageTrueRange } from '../../domain/market/technicals.ts';
import {
  CANDLES_MIN,
  computeMaxDrawdownPct,
  ESTIMATORS,
  estimateVolatility,
  periodsPerYear,
} from '../../domain/market/volatility.ts';
import { type CandleSeries, formatGaps } from './candle-series.ts';

/** Window lengths in milliseconds. */
export const WINDOW_LENGTHS = {
  '1h': 60 * MINUTE_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};
/** Default candle length of each window. */
export const USUAL_INTERVALS = { '1h': '1m', '24h': '15m', '7d': '1h', '30d': '1h' } as const;

const ATR_CANDLES = 14;

/** The requested measurement. */
export interface VolatilityOrder {
  readonly pair: string;
  readonly window: keyof typeof WINDOW_LENGTHS;
  readonly interval: CandleInterval;
  readonly estimator: (typeof ESTIMATORS)[number];
  readonly thresholds: readonly {
    readonly level: string;
    readonly direction: 'above' | 'below';
  }[];
}

/** Returns the number of whole candles in a window. */
export function candlesPerWindow({
  window,
  interval,
}: Pick<VolatilityOrder, 'window' | 'interval'>) {
  return Math.floor(WINDOW_LENGTHS[window] / CANDLE_INTERVALS[interval]);
}

/** Computes the volatility of finished candles, or returns why they do not suffice. */
export function measureVolatility(
  input: VolatilityOrder,
  { found }: CandleSeries,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): VolatilityReport | DataFailure {
  const { pair, window, interval, estimator } = input;
  const length = CANDLE_INTERVALS[interval];
  const last = found?.candles.at(-1);
  if (found === undefined) {
    return createDataFailure('not_found', { upstream: 'markets', detail: 'No venue has candles.' });
  }
  const { venue, candles, gaps } = found;
  const maxAgeMs = 2 * length + MINUTE_MS;
  if (last !== undefined && now - last.at - length > maxAgeMs) {
    const detail = 'Its last finished candle is too old.';
    return createDataFailure('stale_data', { upstream: venue, detail });
  }
  const yearly = Object.fromEntries(
    ESTIMATORS.flatMap((one) => {
      const figure = estimateVolatility(candles, interval, one);
      const percent = (figure ?? 0) * Math.sqrt(periodsPerYear(interval)) * 100;
      return figure === undefined ? [] : [[one, toDecimal(percent, 4)]];
    }),
  );
  const figure = yearly[estimator];
  if (figure === undefined || last === undefined) {
    const count = `${candles.length} finished candles of ${candlesPerWindow(input)}`;
    const detail = `${count}; at least ${CANDLES_MIN} in a row are required.`;
    return createDataFailure(last === undefined ? 'stale_data' : 'not_found', {
      upstream: venue,
      detail,
    });
  }
  const time = { asOf: last.at + length, asOfKind: 'upstream_event', maxAgeMs, now } as const;
  const [, quote = ''] = pair.split('/');
  return {
    pair,
    venue,
    window,
    interval,
    estimator,
    realized_vol_annualized: createDataValue({
      value: figure,
      unit: 'percent_per_year',
      ...time,
      sources: ids,
    }),
    periods_per_year: periodsPerYear(interval),
    by_estimator: yearly,
    n: candles.length,
    gaps: formatGaps(gaps),
    atr: createDataValue({ value: formatTrueRange(candles), unit: quote, ...time, sources: ids }),
    max_drawdown_pct: toDecimal(computeMaxDrawdownPct(candles), 4),
    thresholds: input.thresholds.map(({ level, direction }) => {
      const distance = parseDecimal(level) - parseDecimal(figure);
      const breached = direction === 'above' ? distance < 0n : distance > 0n;
      return { level, direction, breached, distance: formatDecimal(distance) };
    }),
  };
}

function formatTrueRange(candles: NonNullable<CandleSeries['found']>['candles']): string {
  const ranges = candles.map(({ high, low, close }) => ({
    high: Number(high),
    low: Number(low),
    close: Number(close),
  }));
  return toDecimal(averageTrueRange(ranges, ATR_CANDLES).at(-1) ?? 0, 12);
}
