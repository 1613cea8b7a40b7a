import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { instantText } from '../../domain/data/value.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../../domain/market/candles.ts';
import { APPETITES, type RiskAppetite, riskOf, sizeOf } from '../../domain/market/play-risk.ts';
import {
  draftsOf,
  type PlayDraft,
  RULE_TEXTS,
  rehearse,
  SIDE_COST,
  TRADES_MIN,
} from '../../domain/market/plays.ts';
import type { Play } from '../../domain/market/report/play-report.ts';
import { deepestFall, yearlyVolatility } from '../../domain/market/technicals.ts';
import { type CandleView, figureText } from './candle-view.ts';
import type { ExchangeView } from './exchange-view.ts';

/** The input of a play. */
export interface PlayMaterial {
  readonly pair: string;
  readonly interval: CandleInterval;
  readonly risk: RiskAppetite;
  readonly candles: CandleView;
  /** `undefined` if no exchange has a fresh quote. */
  readonly quotes: ExchangeView | undefined;
}

/** The current play of a pair, or why there is none. */
export type PlayFinding =
  | { readonly play: Play }
  | { readonly why: 'no_rule_applies' | 'risk_above_limit'; readonly score: number | null };

/** Finds the play that matches the last candle, and scores its risk. */
export function findPlay(material: PlayMaterial): PlayFinding {
  const { bars } = material.candles;
  const draft = draftsOf(bars).at(-1) ?? null;
  if (draft === null) return { why: 'no_rule_applies', score: null };
  const facts = riskFacts(material, draft);
  const { score } = riskOf(facts);
  if (score > APPETITES[material.risk].score) return { why: 'risk_above_limit', score };
  return { play: playOf(material, draft, facts) };
}

type Facts = Parameters<typeof riskOf>[0];

function riskFacts({ candles, interval, quotes }: PlayMaterial, draft: PlayDraft): Facts {
  const closes = candles.bars.map(({ close }) => close);
  const yearMs = 365 * DAY_MS;
  const volumes = (quotes?.used ?? []).map(({ volume, last }) => Number(volume) * Number(last));
  const sum = volumes.reduce((total, one) => total + one, 0);
  return {
    volatility: yearlyVolatility(closes, yearMs / CANDLE_INTERVALS[interval]) ?? 0,
    fall: deepestFall(closes),
    volumeUsd: volumes.length === 0 ? null : sum,
    topShare: volumes.length === 0 || sum === 0 ? null : Math.max(...volumes) / sum,
    stopDistance: (draft.entry.level - draft.stop) / draft.entry.level,
  };
}

function playOf(material: PlayMaterial, draft: PlayDraft, facts: Facts): Play {
  const { pair, interval, risk, candles } = material;
  const [, unit = ''] = pair.split('/');
  const length = CANDLE_INTERVALS[interval];
  const { score, parts } = riskOf(facts);
  const price = (figure: number) => candles.value(figure, unit);
  const until = instantText(candles.to + length);
  const unknown = facts.volumeUsd === null ? ['liquidity', 'concentration'] : [];
  return {
    ...{ instrument: pair, rule: draft.rule, thesis: RULE_TEXTS[draft.rule] },
    entry: { type: draft.entry.type, level: price(draft.entry.level), until },
    exit: {
      take_profit: draft.targets.map(price),
      stop_loss: price(draft.stop),
      time_stop: instantText(candles.to + (draft.hold + 1) * length),
    },
    size_pct: twoPlaces(sizeOf(risk, facts.stopDistance)),
    risk_score: score,
    risk_components: parts.map((one) => ({ ...one, known: !unknown.includes(one.name) })),
    void_when: [
      `it is not filled by ${until}`,
      `a trade at or below ${figureText(draft.stop)} ${unit} comes before the entry`,
      'the next candle is missing, or its source no longer answers',
    ],
    inputs: Object.entries(draft.inputs).map(([name, figure]) => ({
      name,
      value: candles.value(figure, /^(rsi|adx)/.test(name) ? 'index' : unit),
    })),
    backtest: backtestOf(candles, draft),
  };
}

function backtestOf(candles: CandleView, { rule }: PlayDraft): Play['backtest'] {
  const { trades, wins, meanReturn } = rehearse(candles.bars, rule);
  return {
    trades,
    hit_rate_pct: trades < TRADES_MIN ? null : twoPlaces((100 * wins) / trades),
    mean_return_pct: meanReturn === null ? null : twoPlaces(100 * meanReturn),
    from: instantText(candles.from),
    to: instantText(candles.to),
    candles: candles.bars.length,
    candles_missing: candles.missing,
    costs_pct_per_side: twoPlaces(100 * SIDE_COST),
  };
}

function twoPlaces(figure: number): string {
  return formatDecimal(parseDecimal(figure.toFixed(2)));
}
