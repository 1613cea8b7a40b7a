import {
  type Bar,
  balanceVolume,
  bands,
  convergence,
  directional,
  exponentialMean,
  relativeStrength,
  type Series,
  trueRange,
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
export interface IndicatorFinding {
  readonly found: readonly Indicator[];
  readonly missing: readonly string[];
}

/** Number of bars over which the change of on-balance volume is measured. */
const BALANCE_BARS = 20;
/** Minimum ADX that counts as a trend (Wilder). */
const TREND_MIN = 25;

interface Definition extends Pick<Indicator, 'name' | 'params' | 'unit' | 'rule'> {
  /** `null` for too few bars. */
  read(bars: readonly Bar[]): { readonly value: number; readonly signal: Signal } | null;
}

const DEFINITIONS: readonly Definition[] = [
  {
    ...{ name: 'RSI', params: '14', unit: 'index' },
    rule: 'below 30 bullish (oversold), above 70 bearish (overbought)',
    read: (bars) =>
      stateOf(relativeStrength(closesOf(bars), 14), (value) => outside(value, 30, 70)),
  },
  {
    ...{ name: 'MACD histogram', params: '12,26,9', unit: 'price' },
    rule: 'above zero bullish, below zero bearish',
    read: (bars) =>
      stateOf(convergence(closesOf(bars)).histogram, (value) => sideOf(value, closeOf(bars))),
  },
  {
    ...{ name: 'Bollinger upper', params: '20,2', unit: 'price' },
    rule: 'a close above it is bearish (overbought)',
    read: (bars) =>
      stateOf(bands(closesOf(bars), 20, 2).upper, (value) =>
        sideOf(closeOf(bars) - value, value) === 'bullish' ? 'bearish' : 'neutral',
      ),
  },
  {
    ...{ name: 'Bollinger lower', params: '20,2', unit: 'price' },
    rule: 'a close below it is bullish (oversold)',
    read: (bars) =>
      stateOf(bands(closesOf(bars), 20, 2).lower, (value) =>
        sideOf(closeOf(bars) - value, value) === 'bearish' ? 'bullish' : 'neutral',
      ),
  },
  {
    ...{ name: 'ATR', params: '14', unit: 'price' },
    rule: 'measures volatility; has no direction',
    read: (bars) => stateOf(trueRange(bars, 14), () => 'neutral'),
  },
  ...[20, 50, 200].map(
    (period): Definition => ({
      ...{ name: `EMA ${period}`, params: String(period), unit: 'price' },
      rule: 'a close above it is bullish, below it bearish',
      read: (bars) =>
        stateOf(exponentialMean(closesOf(bars), period), (value) =>
          sideOf(closeOf(bars) - value, value),
        ),
    }),
  ),
  {
    ...{ name: 'OBV change', params: String(BALANCE_BARS), unit: 'base' },
    rule: 'more volume on rising closes than on falling ones is bullish, less is bearish',
    read: (bars) => stateOf(balanceChange(bars), (value) => sideOf(value)),
  },
  {
    ...{ name: 'ADX', params: '14', unit: 'index' },
    rule: `from ${TREND_MIN} the direction of the greater directional index, below it neutral`,
    read: (bars) => {
      const { strength, plus, minus } = directional(bars, 14);
      const side = sideOf((plus.at(-1) ?? 0) - (minus.at(-1) ?? 0));
      return stateOf(strength, (value) => (value >= TREND_MIN ? side : 'neutral'));
    },
  },
];

/** Names of all indicators in order. */
export const INDICATOR_NAMES: readonly string[] = DEFINITIONS.map(({ name }) => name);

/** Evaluates every indicator at the last bar. */
export function indicatorsOf(bars: readonly Bar[]): IndicatorFinding {
  const rows = DEFINITIONS.map(({ read, ...facts }) => ({ facts, state: read(bars) }));
  return {
    found: rows.flatMap(({ facts, state }) => (state === null ? [] : [{ ...facts, ...state }])),
    missing: rows.flatMap(({ facts, state }) => (state === null ? [facts.name] : [])),
  };
}

function balanceChange(bars: readonly Bar[]): Series {
  const balance = balanceVolume(bars);
  return balance.map((value, at) => {
    const before = balance[at - BALANCE_BARS];
    return before === undefined ? null : value - before;
  });
}

function stateOf(series: Series, judge: (value: number) => Signal): ReturnType<Definition['read']> {
  const value = series.at(-1) ?? null;
  return value === null ? null : { value, signal: judge(value) };
}

function closesOf(bars: readonly Bar[]): readonly number[] {
  return bars.map(({ close }) => close);
}

function closeOf(bars: readonly Bar[]): number {
  return bars.at(-1)?.close ?? 0;
}

/** Relative differences below this are rounding errors. */
const ROUNDING = 1e-12;

function sideOf(value: number, compared = 0): Signal {
  if (Math.abs(value) <= Math.abs(compared) * ROUNDING) return 'neutral';
  return value > 0 ? 'bullish' : 'bearish';
}

function outside(value: number, low: number, high: number): Signal {
  if (value < low) return 'bullish';
  return value > high ? 'bearish' : 'neutral';
}
