import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../../domain/market/candles.ts';
import {
  computePositionSize,
  computeRisk,
  RISK_LIMITS,
  type RiskLevel,
} from '../../domain/market/play-risk.ts';
import {
  COST_PER_SIDE,
  evaluateRules,
  type PlaySignal,
  RULE_TEXTS,
  runBacktest,
  TRADES_MIN,
} from '../../domain/market/plays.ts';
import type { Play } from '../../domain/market/report/play-report.ts';
import { annualizedVolatility, maxDrawdown } from '../../domain/market/technicals.ts';
import { type CandleView, formatNumber } from './read-candles.ts';
import type { ExchangeView } from './read-exchanges.ts';

/** The input of a play. */
export interface PlayInput {
  readonly pair: string;
  readonly interval: CandleInterval;
  readonly risk: RiskLevel;
  readonly candles: CandleView;
  /** `undefined` if no exchange has a fresh quote. */
  readonly quotes: ExchangeView | undefined;
}

/** The current play of a pair, or why there is none. */
export type PlayFinding =
  | { readonly play: Play }
  | { readonly why: 'no_rule_applies' | 'risk_above_limit'; readonly score: number | null };

/** Finds the play that matches the last candle, and scores its risk. */
export function findPlay(material: PlayInput): PlayFinding {
  const { bars } = material.candles;
  const draft = evaluateRules(bars).at(-1) ?? null;
  if (draft === null) return { why: 'no_rule_applies', score: null };
  const facts = riskFacts(material, draft);
  const { score } = computeRisk(facts);
  if (score > RISK_LIMITS[material.risk].score) return { why: 'risk_above_limit', score };
  return { play: toPlay(material, draft, facts) };
}

type Facts = Parameters<typeof computeRisk>[0];

function riskFacts({ candles, interval, quotes }: PlayInput, draft: PlaySignal): Facts {
  const closes = candles.bars.map(({ close }) => close);
  const yearMs = 365 * DAY_MS;
  const volumes = (quotes?.used ?? []).map(({ volume, last }) => Number(volume) * Number(last));
  const sum = volumes.reduce((total, one) => total + one, 0);
  return {
    volatility: annualizedVolatility(closes, yearMs / CANDLE_INTERVALS[interval]) ?? 0,
    fall: maxDrawdown(closes),
    volumeUsd: volumes.length === 0 ? null : sum,
    topShare: volumes.length === 0 || sum === 0 ? null : Math.max(...volumes) / sum,
    stopDistance: (draft.entry.level - draft.stop) / draft.entry.level,
  };
}

function toPlay(material: PlayInput, draft: PlaySignal, facts: Facts): Play {
  const { pair, interval, risk, candles } = material;
  const [, unit = ''] = pair.split('/');
  const length = CANDLE_INTERVALS[interval];
  const { score, parts } = computeRisk(facts);
  const price = (figure: number) => candles.value(figure, unit);
  const until = toIsoTime(candles.to + length);
  const unknown = facts.volumeUsd === null ? ['liquidity', 'concentration'] : [];
  return {
    instrument: pair,
    rule: draft.rule,
    thesis: RULE_TEXTS[draft.rule],
    entry: { type: draft.entry.type, level: price(draft.entry.level), until },
    exit: {
      take_profit: draft.targets.map(price),
      stop_loss: price(draft.stop),
      time_stop: toIsoTime(candles.to + (draft.hold + 1) * length),
    },
    size_pct: formatTwoPlaces(computePositionSize(risk, facts.stopDistance)),
    risk_score: score,
    risk_components: parts.map((one) => ({ ...one, known: !unknown.includes(one.name) })),
    void_when: [
      `it is not filled by ${until}`,
      `a trade at or below ${formatNumber(draft.stop)} ${unit} comes before the entry`,
      'the next candle is missing, or its source no longer answers',
    ],
    inputs: Object.entries(draft.inputs).map(([name, figure]) => ({
      name,
      value: candles.value(figure, /^(rsi|adx)/.test(name) ? 'index' : unit),
    })),
    backtest: toBacktest(candles, draft),
  };
}

function toBacktest(candles: CandleView, { rule }: PlaySignal): Play['backtest'] {
  const { trades, wins, meanReturn } = runBacktest(candles.bars, rule);
  return {
    trades,
    hit_rate_pct: trades < TRADES_MIN ? null : formatTwoPlaces((100 * wins) / trades),
    mean_return_pct: meanReturn === null ? null : formatTwoPlaces(100 * meanReturn),
    from: toIsoTime(candles.from),
    to: toIsoTime(candles.to),
    candles: candles.bars.length,
    candles_missing: candles.missing,
    costs_pct_per_side: formatTwoPlaces(100 * COST_PER_SIDE),
  };
}

function formatTwoPlaces(figure: number): string {
  return formatDecimal(parseDecimal(figure.toFixed(2)));
}
