import type { DataValue } from '../../data/value.ts';
import { drawBars } from '../../drawing/bars.ts';
import { drawPrices } from '../../drawing/prices.ts';
import { drawSpans } from '../../drawing/spans.ts';
import type { Drawing } from '../../drawing/svg.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../../market/candles.ts';
import type { ArbitrageReport } from '../../market/report/arbitrage-report.ts';
import type {
  ComprehensiveReport,
  HistoryWithCandles,
} from '../../market/report/comprehensive-report.ts';
import type { VolatilityReport } from '../../market/report/volatility-report.ts';
import type { SentimentReport } from '../../sentiment/report.ts';
import { summarizeSources } from './render-value.ts';

type Sections = ComprehensiveReport['sections'];

/** Draws the charts of each section of a ticker report. A section without data has none. */
export function drawMarketCharts(sections: Sections): Record<keyof Sections, readonly Drawing[]> {
  const { price, volatility, history, arbitrage, sentiment } = sections;
  return {
    price: price.report === null ? [] : drawQuotes(price.report),
    volatility: volatility.report === null ? [] : drawVolatility(volatility.report),
    history: history.report === null ? [] : drawHistory(history.report),
    arbitrage: arbitrage.report === null ? [] : drawSpreads(arbitrage.report),
    sentiment: sentiment.report === null ? [] : drawSentiment(sentiment.report),
  };
}

type Quotes = NonNullable<Sections['price']['report']>;

function drawQuotes({ price, quotes }: Quotes): readonly Drawing[] {
  if (quotes.length === 0) return [];
  const spans = quotes.map(({ venue, bid, ask, price: last, spread_bps }) => ({
    label: venue,
    low: Number(bid.value),
    high: Number(ask.value),
    point: Number(last.value),
    text: `${last.value}, spread ${spread_bps} bps`,
  }));
  const mark = { value: Number(price.value), text: `reference ${price.value}` };
  return [
    {
      title: 'Quotes by exchange',
      note: `${price.unit}. The bar runs from bid to ask, the dot is the last trade.`,
      svg: drawSpans('Bid, ask and last trade by exchange', spans, { mark }),
      ...summarizeSources(quotes.flatMap(({ bid, ask, price: last }) => [bid, ask, last])),
    },
  ];
}

function drawVolatility(report: VolatilityReport): readonly Drawing[] {
  const { realized_vol_annualized: yearly, by_estimator, estimator, window, n } = report;
  const bars = Object.entries(by_estimator).map(([name, value]) => ({
    label: name === estimator ? `${toWords(name)} (reported)` : toWords(name),
    value: Number(value),
    text: `${value} %`,
    tone: pickTone(name === estimator),
  }));
  return [
    {
      title: 'Volatility by estimator',
      note: `Annualized, in percent, over ${window} and ${n} candles.`,
      svg: drawBars('Annualized volatility by estimator, in percent', bars),
      ...summarizeSources([yearly]),
    },
  ];
}

function drawHistory(report: HistoryWithCandles): readonly Drawing[] {
  const { highest, lowest, first_open, last_close, drawdowns, seasonality } = report;
  const ground = summarizeSources([highest, lowest, first_open, last_close]);
  return [
    priceDrawing(report, ground),
    ...(drawdowns === null || drawdowns.length === 0 ? [] : [drawDrawdowns(drawdowns, ground)]),
    ...(seasonality === null || seasonality.length === 0
      ? []
      : [drawSeasonality(seasonality, ground)]),
  ];
}

type SourceSummary = ReturnType<typeof summarizeSources>;

function priceDrawing(report: HistoryWithCandles, ground: SourceSummary): Drawing {
  const { pair, venue, interval, candles, regimes, gaps } = report;
  const stepMs = CANDLE_INTERVALS[interval as CandleInterval] ?? CANDLE_INTERVALS['1d'];
  const series = {
    stepMs,
    candles: candles.rows.map((row) => {
      const [at = 0, open = 0, high = 0, low = 0, close = 0] = row.map(Number);
      return { at, open, high, low, close };
    }),
    regimes: (regimes ?? []).map(({ from, to, regime }) => ({
      from: Date.parse(from),
      to: Date.parse(to),
      regime,
    })),
  };
  const missing = gaps.reduce((sum, gap) => sum + gap.missing, 0);
  const holes = missing === 0 ? '' : ` ${missing} candles are missing and shown as gaps.`;
  return {
    title: `Prices of ${pair} at ${venue}`,
    note:
      `Candles of ${interval}; hollow rose, filled fell. Strip below: regimes by rule, ` +
      `up high, down low, sideways between.${holes}`,
    svg: drawPrices(`Candles of ${pair}`, series),
    ...ground,
  };
}

function drawDrawdowns(
  drawdowns: NonNullable<HistoryWithCandles['drawdowns']>,
  ground: SourceSummary,
): Drawing {
  const bars = drawdowns.map(({ from, until, depth_pct }) => ({
    label: `${toDay(from)} to ${until === null ? 'now' : toDay(until)}`,
    value: -Math.abs(Number(depth_pct)),
    text: `${depth_pct} %`,
    tone: 'bad' as const,
  }));
  return {
    title: 'Deepest drawdowns',
    note: 'Percent of closes, from a high until it was regained.',
    svg: drawBars('Deepest drawdowns of closes, in percent', bars),
    ...ground,
  };
}

function drawSeasonality(
  seasonality: NonNullable<HistoryWithCandles['seasonality']>,
  ground: SourceSummary,
): Drawing {
  const bars = seasonality.map(({ bucket, n, mean_return }) => ({
    label: `${bucket} (${n})`,
    value: Number(mean_return),
    text: mean_return,
    tone: toneOfSign(mean_return),
  }));
  return {
    title: 'Mean return by season',
    note: 'Logarithmic returns, in UTC, with counts in brackets. Historical data, not a forecast.',
    svg: drawBars('Mean return by season', bars),
    ...ground,
  };
}

function drawSpreads({ opportunities, size_quote, pair }: ArbitrageReport): readonly Drawing[] {
  if (opportunities.length === 0) return [];
  const bars = opportunities.map((one) => {
    const { buy_venue, sell_venue, gross_spread_bps, net_spread_bps } = one;
    const figure = net_spread_bps ?? gross_spread_bps;
    const isNet = net_spread_bps !== null;
    return {
      label: `${buy_venue} to ${sell_venue}`,
      value: Number(figure),
      text: isNet ? `${figure} bps` : `${figure} bps gross, net unknown`,
      tone: isNet ? toneOfSign(figure) : ('flat' as const),
    };
  });
  return [
    {
      title: 'Spreads between order books',
      note: `Bps after fees for ${size_quote} of ${pair}, bought at the first, sold at the second.`,
      svg: drawBars('Net spread by direction, in bps', bars),
      ...summarizeSources(
        opportunities.flatMap(({ entry_ask, exit_bid }) => [entry_ask, exit_bid]),
      ),
    },
  ];
}

function drawSentiment({ overall, channels }: SentimentReport): readonly Drawing[] {
  const rows: readonly { readonly name: string; readonly scored: typeof overall }[] = [
    { name: 'overall', scored: overall },
    ...channels.map(({ channel, result }) => ({ name: channel, scored: result })),
  ];
  const scored = rows.flatMap(({ name, scored: one }) => (one === null ? [] : [{ name, one }]));
  if (scored.length === 0) return [];
  const figures: readonly DataValue[] = scored.map(({ one }) => one.score);
  const unscored = channels.filter(({ result }) => result === null);
  const without = unscored.map(({ channel, status, n }) => `${channel} (${status}, ${n} texts)`);
  return [
    {
      title: 'Sentiment by channel',
      note:
        'Mean from -1 (negative) to 1 (positive); the bar is its 95 % interval.' +
        (without.length === 0 ? '' : ` No score: ${without.join(', ')}.`),
      svg: drawSpans(
        'Sentiment by channel, from -1 to 1',
        scored.map(({ name, one: { score, ci95 } }) => ({
          label: name,
          low: Number(ci95.low),
          high: Number(ci95.high),
          point: Number(score.value),
          text: `${score.value} (${ci95.low} to ${ci95.high})`,
        })),
        { range: [-1, 1], mark: { value: 0, text: 'neutral' } },
      ),
      ...summarizeSources(figures),
    },
  ];
}

function pickTone(isMain: boolean): 'main' | 'flat' {
  return isMain ? 'main' : 'flat';
}

function toneOfSign(figure: string): 'good' | 'bad' {
  return Number(figure) < 0 ? 'bad' : 'good';
}

function toDay(time: string): string {
  return time.slice(0, 10);
}

function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}
