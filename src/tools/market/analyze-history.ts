import { parseDecimal } from '../../domain/common/decimal.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { createDataValue } from '../../domain/data/value.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from '../../domain/market/candles.ts';
import {
  analyzeAutocorrelation,
  analyzeDrawdowns,
  analyzeLevels,
  analyzePatterns,
  analyzeRegimes,
  analyzeReturns,
  analyzeSeasonality,
  computeIndicators,
} from '../../domain/market/history.ts';
import type { HistoryReport } from '../../domain/market/report/history-report.ts';
import { CANDLES_MIN } from '../../domain/market/volatility.ts';
import { type CandleSeries, formatGaps } from './candle-series.ts';

/** The available studies of price history. */
export const STUDIES = [
  ...(['returns', 'autocorrelation', 'drawdowns', 'regimes', 'seasonality'] as const),
  ...(['support_resistance', 'patterns', 'indicators'] as const),
] as const;

/** The requested analysis; times in milliseconds, at candle boundaries. */
export interface HistoryOrder {
  readonly pair: string;
  readonly interval: CandleInterval;
  readonly from: number;
  readonly to: number;
  readonly studies: readonly (typeof STUDIES)[number][];
}

/** Analyzes finished candles, or returns why they do not suffice. */
export function analyzeHistory(
  input: HistoryOrder,
  { found }: CandleSeries,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): HistoryReport | DataFailure {
  const { pair, interval, studies } = input;
  if (found === undefined) {
    return createDataFailure('not_found', { upstream: 'markets', detail: 'No venue has candles.' });
  }
  const { venue, candles, gaps } = found;
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined || candles.length < CANDLES_MIN) {
    const detail = `${candles.length} finished candles; at least ${CANDLES_MIN} are required.`;
    return createDataFailure('not_found', { upstream: venue, detail });
  }
  const [, unit = ''] = pair.split('/');
  const length = CANDLE_INTERVALS[interval];
  const value = (text: string, at: number) =>
    createDataValue({
      value: text,
      unit,
      asOf: at,
      asOfKind: 'upstream_event',
      now,
      sources: ids,
      // The past does not change, but venues correct past candles for about a day.
      maxAgeMs: now - at + DAY_MS,
    });
  const ifRequested = <T>(name: (typeof STUDIES)[number], make: () => T): T | null =>
    studies.includes(name) ? make() : null;
  const high = extreme(candles, (one, other) => parseDecimal(one.high) > parseDecimal(other.high));
  const low = extreme(candles, (one, other) => parseDecimal(one.low) < parseDecimal(other.low));
  return {
    pair,
    venue,
    interval,
    n: candles.length,
    gaps: formatGaps(gaps),
    from: toIsoTime(input.from),
    to: toIsoTime(input.to),
    candles_sha256: hashJson(candles),
    first_open: value(first.open, first.at),
    last_close: value(last.close, last.at + length),
    highest: value(high.high, high.at),
    lowest: value(low.low, low.at),
    returns: ifRequested('returns', () => analyzeReturns(candles, interval)),
    autocorrelation: ifRequested('autocorrelation', () =>
      analyzeAutocorrelation(candles, interval),
    ),
    drawdowns: ifRequested('drawdowns', () => analyzeDrawdowns(candles)),
    regimes: ifRequested('regimes', () => analyzeRegimes(candles, interval)),
    seasonality: ifRequested('seasonality', () => analyzeSeasonality(candles, interval)),
    support_resistance: ifRequested('support_resistance', () => analyzeLevels(candles)),
    patterns: ifRequested('patterns', () => analyzePatterns(candles, interval)),
    indicators: ifRequested('indicators', () => computeIndicators(candles)),
  };
}

function extreme(
  candles: readonly Candle[],
  isBeyond: (one: Candle, other: Candle) => boolean,
): Candle {
  return candles.reduce((best, one) => (isBeyond(one, best) ? one : best));
}
