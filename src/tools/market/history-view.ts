import { parseDecimal } from '../../domain/common/decimal.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import { dataValue, instantText } from '../../domain/data/value.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from '../../domain/market/candles.ts';
import {
  autocorrelationStudy,
  drawdownStudy,
  indicatorStudy,
  levelStudy,
  patternStudy,
  regimeStudy,
  returnsStudy,
  seasonalityStudy,
} from '../../domain/market/history.ts';
import type { HistoryReport } from '../../domain/market/report/history-report.ts';
import { CANDLES_MIN } from '../../domain/market/volatility.ts';
import { type CandleSeries, shownGaps } from './candle-series.ts';

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
export function historyReport(
  input: HistoryOrder,
  { found }: CandleSeries,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): HistoryReport | DataFault {
  const { pair, interval, studies } = input;
  if (found === undefined) {
    return faultOf('not_found', { upstream: 'markets', detail: 'No venue has candles.' });
  }
  const { venue, candles, gaps } = found;
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined || candles.length < CANDLES_MIN) {
    const detail = `${candles.length} finished candles; at least ${CANDLES_MIN} are required.`;
    return faultOf('not_found', { upstream: venue, detail });
  }
  const [, unit = ''] = pair.split('/');
  const length = CANDLE_INTERVALS[interval];
  const value = (text: string, at: number) =>
    dataValue({
      ...{ value: text, unit, asOf: at, asOfKind: 'upstream_event', now, sources: ids },
      // The past does not change, but venues correct past candles for about a day.
      maxAgeMs: now - at + DAY_MS,
    });
  const asked = <T>(name: (typeof STUDIES)[number], make: () => T): T | null =>
    studies.includes(name) ? make() : null;
  const high = extreme(candles, (one, other) => parseDecimal(one.high) > parseDecimal(other.high));
  const low = extreme(candles, (one, other) => parseDecimal(one.low) < parseDecimal(other.low));
  return {
    ...{ pair, venue, interval, n: candles.length, gaps: shownGaps(gaps) },
    ...{ from: instantText(input.from), to: instantText(input.to) },
    candles_sha256: hashJson(candles),
    first_open: value(first.open, first.at),
    last_close: value(last.close, last.at + length),
    highest: value(high.high, high.at),
    lowest: value(low.low, low.at),
    returns: asked('returns', () => returnsStudy(candles, interval)),
    autocorrelation: asked('autocorrelation', () => autocorrelationStudy(candles, interval)),
    drawdowns: asked('drawdowns', () => drawdownStudy(candles)),
    regimes: asked('regimes', () => regimeStudy(candles, interval)),
    seasonality: asked('seasonality', () => seasonalityStudy(candles, interval)),
    support_resistance: asked('support_resistance', () => levelStudy(candles)),
    patterns: asked('patterns', () => patternStudy(candles, interval)),
    indicators: asked('indicators', () => indicatorStudy(candles)),
  };
}

function extreme(
  candles: readonly Candle[],
  isBeyond: (one: Candle, other: Candle) => boolean,
): Candle {
  return candles.reduce((best, one) => (isBeyond(one, best) ? one : best));
}
