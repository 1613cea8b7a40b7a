import {
  averageTrueRange,
  type Bar,
  bollingerBands,
  directionalIndex,
  exponentialMovingAverage,
  highestHigh,
  relativeStrengthIndex,
} from './technicals.ts';

/** Cost per side of a trade in backtests, as a ratio. */
export const COST_PER_SIDE = 0.002;
/** Minimum number of trades for a reported hit rate. */
export const TRADES_MIN = 10;

/** The rule of a play. */
export type PlayRule = 'breakout' | 'pullback' | 'reversion';

/** Description of each rule. */
export const RULE_TEXTS: Readonly<Record<PlayRule, string>> = {
  breakout: 'Close above the highest high of the previous 20 candles: buy above that candle.',
  pullback:
    'EMA 50 above EMA 200, close above EMA 200 and below EMA 20, RSI 14 below 45: buy there.',
  reversion: 'Close below the lower Bollinger band (20, 2), RSI 14 below 30, ADX 14 below 25: buy.',
};

/** Entry and exit of a rule at one bar. Values are prices. */
export interface PlaySignal {
  readonly rule: PlayRule;
  readonly entry: { readonly type: 'stop' | 'limit'; readonly level: number };
  readonly stop: number;
  readonly targets: readonly number[];
  /** Number of candles after which the trade is closed in any case. */
  readonly hold: number;
  /** The values that triggered the rule. */
  readonly inputs: Readonly<Record<string, number>>;
}

/** Backtest of a rule on the same candles. */
export interface Backtest {
  readonly trades: number;
  readonly wins: number;
  /** Mean return per trade after costs, as a ratio; `null` without trades. */
  readonly meanReturn: number | null;
}

/** Evaluates the rules at every bar. The first matching rule gives at most one play per bar. */
export function evaluateRules(bars: readonly Bar[]): readonly (PlaySignal | null)[] {
  const closes = bars.map(({ close }) => close);
  const [fast, middle, slow] = [20, 50, 200].map((period) =>
    exponentialMovingAverage(closes, period),
  );
  const strength = relativeStrengthIndex(closes, 14);
  const width = averageTrueRange(bars, 14);
  const top = highestHigh(bars, 20);
  const band = bollingerBands(closes, 20, 2);
  const { strength: trend } = directionalIndex(bars, 14);
  return bars.map((bar, at) => {
    const [rsi, atr, high, adx] = [strength[at], width[at], top[at], trend[at]];
    const [lower, center] = [band.lower[at], band.middle[at]];
    const [ema20, ema50, ema200] = [fast?.[at], middle?.[at], slow?.[at]];
    const { close } = bar;
    if (!isNumber(rsi) || !isNumber(atr) || atr === 0) return null;
    if (isNumber(high) && close > high) {
      const inputs = { close, channel_top_20: high, atr_14: atr };
      const entry = { type: 'stop', level: bar.high } as const;
      return requireValid({
        rule: 'breakout',
        entry,
        ...stopAndTargets(bar.high, 2 * atr),
        hold: 20,
        inputs,
      });
    }
    const isUp = isNumber(ema20) && isNumber(ema50) && isNumber(ema200) && ema50 > ema200;
    if (isUp && close > ema200 && close < ema20 && rsi < 45) {
      const inputs = { close, ema_20: ema20, ema_50: ema50, ema_200: ema200, rsi_14: rsi };
      const entry = { type: 'limit', level: close } as const;
      return requireValid({
        rule: 'pullback',
        entry,
        ...stopAndTargets(close, 2 * atr),
        hold: 20,
        inputs,
      });
    }
    const isCalm = isNumber(adx) && adx < 25;
    if (isCalm && isNumber(lower) && isNumber(center) && close < lower && rsi < 30) {
      const inputs = { close, band_lower: lower, band_middle: center, rsi_14: rsi, adx_14: adx };
      const entry = { type: 'limit', level: close } as const;
      const stop = close - 2 * atr;
      return requireValid({ rule: 'reversion', entry, stop, targets: [center], hold: 10, inputs });
    }
    return null;
  });
}

/**
 * Backtests a rule on bars. An order fills on the next bar or expires. If a bar reaches both stop
 * and target, the stop counts. Targets do not count on the entry bar.
 */
export function runBacktest(bars: readonly Bar[], rule: PlayRule): Backtest {
  const results: number[] = [];
  let nextFreeBar = 0;
  evaluateRules(bars).forEach((draft, at) => {
    if (draft === null || draft.rule !== rule || at < nextFreeBar) return;
    const trade = simulateTrade(bars, draft, at + 1);
    if (trade === undefined) return;
    results.push(trade.result);
    nextFreeBar = trade.end;
  });
  return {
    trades: results.length,
    wins: results.filter((result) => result > 0).length,
    meanReturn:
      results.length === 0 ? null : results.reduce((sum, one) => sum + one, 0) / results.length,
  };
}

/** Simulates a draft from a bar on; `undefined` if it does not fill or has not ended. */
function simulateTrade(
  bars: readonly Bar[],
  { entry, stop, targets, hold }: PlaySignal,
  begin: number,
): { readonly result: number; readonly end: number } | undefined {
  const first = bars[begin];
  if (first === undefined) return undefined;
  const isStop = entry.type === 'stop';
  const isFilled = isStop ? first.high >= entry.level : first.low <= entry.level;
  if (!isFilled) return undefined;
  const paid = isStop ? Math.max(first.open, entry.level) : Math.min(first.open, entry.level);
  const result = (price: number) =>
    (price * (1 - COST_PER_SIDE)) / (paid * (1 + COST_PER_SIDE)) - 1;
  for (let at = begin; at < begin + hold; at += 1) {
    const bar = bars[at];
    if (bar === undefined) return undefined;
    const isLast = at === begin + hold - 1;
    const price = findExitPrice(bar, { stop, targets, isFirst: at === begin, isLast });
    if (price !== undefined) return { result: result(price), end: at + 1 };
  }
  return undefined;
}

/** Returns the exit price within a bar; `undefined` if the trade continues. */
function findExitPrice(
  { open, high, low, close }: Bar,
  trade: Pick<PlaySignal, 'stop' | 'targets'> & {
    readonly isFirst: boolean;
    readonly isLast: boolean;
  },
): number | undefined {
  const { stop, isFirst, isLast } = trade;
  const [target = Number.POSITIVE_INFINITY] = trade.targets;
  if (low <= stop) return isFirst ? stop : Math.min(open, stop);
  if (!isFirst && high >= target) return Math.max(open, target);
  return isLast ? close : undefined;
}

function stopAndTargets(level: number, risk: number) {
  return { stop: level - risk, targets: [level + 1.5 * risk, level + 3 * risk] };
}

function requireValid(draft: PlaySignal): PlaySignal | null {
  return draft.stop > 0 && draft.targets.every((target) => target > draft.entry.level)
    ? draft
    : null;
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}
