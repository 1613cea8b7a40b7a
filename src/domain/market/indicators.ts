import {
  averageTrueRange,
  type Bar,
  bollingerBands,
  computeMacd,
  directionalIndex,
  exponentialMovingAverage,
  type IndicatorSeries,
  onBalanceVolume,
  relativeStrengthIndex,
} from './technicals.ts';

/** The signal of an indicator according to its rule. */
export type Signal = 'bullish' | 'bearish' | 'neutral';

/** An indicator at the last bar. */
export interface Indicator {
  readonly name: string;
  readonly params: string;
  readonly value: number;
  /** `price`: in the quote currency; `index`: from 0 to 100; `base`: in units of the base. */
  readonly unit: 'price' | 'index' | 'base';
  readonly signal: Signal;
  /** How the signal follows from the value. */
  readonly rule: string;
}

/** Indicators at the last bar, and the names of those with too few bars. */
export interface IndicatorResults {
  readonly found: readonly Indicator[];
  readonly missing: readonly string[];
}

/** Number of bars over which the change of on-balance volume is measured. */
const OBV_BARS = 20;
/** Minimum ADX that counts as a trend (Wilder). */
const ADX_TREND_MIN = 25;

interface IndicatorDefinition extends Pick<Indicator, 'name' | 'params' | 'unit' | 'rule'> {
  /** `null` for too few bars. */
  read(bars: readonly Bar[]): { readonly value: number; readonly signal: Signal } | null;
}

const DEFINITIONS: readonly IndicatorDefinition[] = [
  {
    name: 'RSI',
    params: '14',
    unit: 'index',
    rule: 'below 30 bullish (oversold), above 70 bearish (overbought)',
    read: (bars) =>
      lastState(relativeStrengthIndex(listCloses(bars), 14), (value) =>
        signalOutside(value, 30, 70),
      ),
  },
  {
    name: 'MACD histogram',
    params: '12,26,9',
    unit: 'price',
    rule: 'above zero bullish, below zero bearish',
    read: (bars) =>
      lastState(computeMacd(listCloses(bars)).histogram, (value) =>
        signalOfSign(value, lastClose(bars)),
      ),
  },
  {
    name: 'Bollinger upper',
    params: '20,2',
    unit: 'price',
    rule: 'a close above it is bearish (overbought)',
    read: (bars) =>
      lastState(bollingerBands(listCloses(bars), 20, 2).upper, (value) =>
        signalOfSign(lastClose(bars) - value, value) === 'bullish' ? 'bearish' : 'neutral',
      ),
  },
  {
    name: 'Bollinger lower',
    params: '20,2',
    unit: 'price',
    rule: 'a close below it is bullish (oversold)',
    read: (bars) =>
      lastState(bollingerBands(listCloses(bars), 20, 2).lower, (value) =>
        signalOfSign(lastClose(bars) - value, value) === 'bearish' ? 'bullish' : 'neutral',
      ),
  },
  {
    name: 'ATR',
    params: '14',
    unit: 'price',
    rule: 'measures volatility; has no direction',
    read: (bars) => lastState(averageTrueRange(bars, 14), () => 'neutral'),
  },
  ...[20, 50, 200].map(
    (period): IndicatorDefinition => ({
      name: `EMA ${period}`,
      params: String(period),
      unit: 'price',
      rule: 'a close above it is bullish, below it bearish',
      read: (bars) =>
        lastState(exponentialMovingAverage(listCloses(bars), period), (value) =>
          signalOfSign(lastClose(bars) - value, value),
        ),
    }),
  ),
  {
    name: 'OBV change',
    params: String(OBV_BARS),
    unit: 'base',
    rule: 'more volume on rising closes than on falling ones is bullish, less is bearish',
    read: (bars) => lastState(computeObvChange(bars), (value) => signalOfSign(value)),
  },
  {
    name: 'ADX',
    params: '14',
    unit: 'index',
    rule: `from ${ADX_TREND_MIN} the direction of the greater directional index, below it neutral`,
    read: (bars) => {
      const { strength, plus, minus } = directionalIndex(bars, 14);
      const side = signalOfSign((plus.at(-1) ?? 0) - (minus.at(-1) ?? 0));
      return lastState(strength, (value) => (value >= ADX_TREND_MIN ? side : 'neutral'));
    },
  },
];

/** Names of all indicators in order. */
export const INDICATOR_NAMES: readonly string[] = DEFINITIONS.map(({ name }) => name);

/** Evaluates every indicator at the last bar. */
export function evaluateIndicators(bars: readonly Bar[]): IndicatorResults {
  const rows = DEFINITIONS.map(({ read, ...facts }) => ({ facts, state: read(bars) }));
  return {
    found: rows.flatMap(({ facts, state }) => (state === null ? [] : [{ ...facts, ...state }])),
    missing: rows.flatMap(({ facts, state }) => (state === null ? [facts.name] : [])),
  };
}

function computeObvChange(bars: readonly Bar[]): IndicatorSeries {
  const balance = onBalanceVolume(bars);
  return balance.map((value, at) => {
    const before = balance[at - OBV_BARS];
    return before === undefined ? null : value - before;
  });
}

function lastState(
  series: IndicatorSeries,
  judge: (value: number) => Signal,
): ReturnType<IndicatorDefinition['read']> {
  const value = series.at(-1) ?? null;
  return value === null ? null : { value, signal: judge(value) };
}

function listCloses(bars: readonly Bar[]): readonly number[] {
  return bars.map(({ close }) => close);
}

function lastClose(bars: readonly Bar[]): number {
  return bars.at(-1)?.close ?? 0;
}

/** Relative differences below this are rounding errors. */
const ROUNDING = 1e-12;

function signalOfSign(value: number, compared = 0): Signal {
  if (Math.abs(value) <= Math.abs(compared) * ROUNDING) return 'neutral';
  return value > 0 ? 'bullish' : 'bearish';
}

function signalOutside(value: number, low: number, high: number): Signal {
  if (value < low) return 'bullish';
  return value > high ? 'bearish' : 'neutral';
}
