import { mean, sampleVariance } from 'simple-statistics';
import { DAY_MS } from '../common/time.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from './candles.ts';

/** Volatility estimators for candles. */
export const ESTIMATORS = [
  'close_to_close',
  'parkinson',
  'garman_klass',
  'rogers_satchell',
  'yang_zhang',
  'ewma',
] as const;
/** The name of a volatility estimator. */
export type Estimator = (typeof ESTIMATORS)[number];

/** Formula of each estimator for the variance of one interval. */
export const ESTIMATOR_RULES: Readonly<Record<Estimator, string>> = {
  close_to_close: 'sample variance (n-1) of ln(close/previous close)',
  parkinson: 'mean of ln(high/low)^2 / (4 ln 2) (Parkinson 1980)',
  garman_klass: 'mean of 0.5 ln(high/low)^2 - (2 ln 2 - 1) ln(close/open)^2 (Garman, Klass 1980)',
  rogers_satchell:
    'mean of ln(high/close) ln(high/open) + ln(low/close) ln(low/open) (Rogers, Satchell 1991)',
  yang_zhang:
    'overnight + k open-to-close + (1-k) Rogers-Satchell, k = 0.34/(1.34+(n+1)/(n-1)) (2000)',
  ewma: 'v = 0.94 v + 0.06 r^2 from the oldest return on, begun at its r^2 (RiskMetrics)',
};

/** Minimum number of finished candles for an estimate. */
export const CANDLES_MIN = 20;
/** Decay factor of the EWMA estimator. */
export const EWMA_DECAY = 0.94;

const YEAR_MS = 365 * DAY_MS;

/** A candle in floating point, with the close of the preceding candle. */
interface Bar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Close of the preceding candle; `undefined` after a gap. */
  readonly before: number | undefined;
}

type JoinedBar = Bar & { readonly before: number };

/** Returns the intervals per year of 365 days, because these markets never close. */
export function periodsPerYear(interval: CandleInterval): number {
  return YEAR_MS / CANDLE_INTERVALS[interval];
}

/**
 * Returns the standard deviation of one interval. Returns across a gap are skipped.
 *
 * @returns `undefined` for too few candles.
 */
export function estimateVolatility(
  candles: readonly Candle[],
  interval: CandleInterval,
  estimator: Estimator,
): number | undefined {
  const bars = toBars(candles, interval);
  const joined = bars.filter((bar): bar is JoinedBar => bar.before !== undefined);
  if (bars.length < CANDLES_MIN || joined.length < CANDLES_MIN - 1) return undefined;
  // Rounding can make the variance slightly negative.
  return Math.sqrt(Math.max(0, VARIANCE_BY_ESTIMATOR[estimator](bars, joined)));
}

/** Returns the maximum drawdown of closes, in percent. */
export function computeMaxDrawdownPct(candles: readonly Candle[]): number {
  let [top, most] = [0, 0];
  for (const { close } of candles) {
    top = Math.max(top, Number(close));
    most = Math.max(most, ((top - Number(close)) / top) * 100);
  }
  return most;
}

const VARIANCE_BY_ESTIMATOR: Readonly<
  Record<Estimator, (bars: readonly Bar[], joined: readonly JoinedBar[]) => number>
> = {
  close_to_close: (_, joined) => sampleVariance(logReturns(joined)),
  parkinson: (bars) => mean(bars.map(({ high, low }) => logRatio(high, low) ** 2)) / (4 * Math.LN2),
  garman_klass: (bars) =>
    mean(
      bars.map(
        ({ open, high, low, close }) =>
          0.5 * logRatio(high, low) ** 2 - (2 * Math.LN2 - 1) * logRatio(close, open) ** 2,
      ),
    ),
  rogers_satchell: (bars) => mean(bars.map(rogersSatchellTerm)),
  yang_zhang: (_, joined) => {
    const n = joined.length;
    const share = 0.34 / (1.34 + (n + 1) / (n - 1));
    const overnight = sampleVariance(joined.map(({ open, before }) => logRatio(open, before)));
    const within = sampleVariance(joined.map(({ open, close }) => logRatio(close, open)));
    return overnight + share * within + (1 - share) * mean(joined.map(rogersSatchellTerm));
  },
  ewma: (_, joined) => {
    const [first = 0, ...rest] = logReturns(joined).map((one) => one ** 2);
    return rest.reduce((kept, one) => EWMA_DECAY * kept + (1 - EWMA_DECAY) * one, first);
  },
};

function toBars(candles: readonly Candle[], interval: CandleInterval): readonly Bar[] {
  return candles.map(({ at, open, high, low, close }, index) => {
    const last = candles[index - 1];
    const isNext = last !== undefined && last.at + CANDLE_INTERVALS[interval] === at;
    return {
      open: Number(open),
      high: Number(high),
      low: Number(low),
      close: Number(close),
      before: isNext ? Number(last.close) : undefined,
    };
  });
}

function logReturns(joined: readonly JoinedBar[]): number[] {
  return joined.map(({ close, before }) => logRatio(close, before));
}

function rogersSatchellTerm({ open, high, low, close }: Bar): number {
  return logRatio(high, close) * logRatio(high, open) + logRatio(low, close) * logRatio(low, open);
}

function logRatio(one: number, other: number): number {
  return Math.log(one / other);
}
