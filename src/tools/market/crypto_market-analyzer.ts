import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import type { CandleInterval } from '../../domain/market/candles.ts';
import { AnalysisReport } from '../../domain/market/report/analysis-report.ts';
import { searchTermOf } from '../../domain/market/ticker-names.ts';
import { MARKET_VENUES, VENUES } from '../../domain/market/venue/venues.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { SENTIMENT_METHOD, topicIn } from '../sentiment/sentiment-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import {
  analyzeCandles,
  analyzeMarket,
  analyzeSentiment,
  formatSentiment,
  type Part,
} from './analysis-parts.ts';
import { selectVenues } from './select-venues.ts';
import { TickerFields, TickerTopic } from './ticker-input.ts';

/** Time limit for exchanges and channels together, in milliseconds. */
export const ANALYSIS_MS = 25 * SECOND_MS;
/** Maximum age of a quote, in milliseconds. */
export const QUOTE_AGE_MS = MINUTE_MS;

const NAME = 'crypto_market-analyzer';
const WINDOW_H = 48;
const INTERVALS = { hours: '5m', days: '1h', weeks: '1d' } as const satisfies Record<
  string,
  CandleInterval
>;

const Input = z.strictObject({
  ...TickerFields,
  horizon: z
    .enum(['hours', 'days', 'weeks'])
    .default('days')
    .describe('Candles of 5 minutes, 1 hour or 1 day. Default: days.'),
  topic: TickerTopic,
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.08';
const DESCRIPTION = [
  'Get quotes, ten technical indicators and sentiment for a ticker. Quotes are current prices of',
  'several exchanges. Indicators come from one exchange’s candles: RSI, MACD, Bollinger, ATR, EMA',
  '20, 50 and 200, OBV, ADX. Each indicator states the rule of its signal. Sentiment comes from',
  'news and posts. Every number has its source and time. Missing data is null and listed under',
  'missing, never zero. Indicators are reported individually; there is no combined score and no',
  'advice. For trade setups use crypto_investment-plays, for history and spreads',
  `oracle_comprehensive-report. $${PRICE_USD} per call. You are not charged if there are neither`,
  'quotes nor candles.',
].join(' ');

type Ports = Pick<
  Services,
  'clock' | 'feeds' | 'markets' | 'opinions' | 'quotes' | 'scorer' | 'trust'
>;

/** Creates the tool `crypto_market-analyzer`. */
export function marketAnalyzerTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Quotes, indicators and sentiment for a ticker',
    description: DESCRIPTION,
    summary:
      'Get quotes, ten technical indicators and sentiment of a crypto ticker. For ' +
      'setups use crypto_investment-plays, for more parts oracle_comprehensive-report. ' +
      'No charge without data.',
    example: { ticker: 'BTC' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(AnalysisReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      topicIn({ topic: searchWords(input) });
      const pair = pairOf(input);
      return {
        exchanges: selectVenues(pair, VENUES, []).length,
        candles: selectVenues(pair, MARKET_VENUES, []).length,
      };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: Ports): Promise<ToolResult> {
  const sources = new SourceList();
  const pair = pairOf(input);
  const order = { pair, sources, deadline: deps.clock.now() + ANALYSIS_MS };
  const [market, technicals, mood] = await Promise.all([
    analyzeMarket({ ...order, maxAgeMs: QUOTE_AGE_MS }, deps),
    analyzeCandles({ ...order, interval: INTERVALS[input.horizon] }, deps),
    analyzeSentiment({ ...order, words: searchWords(input), windowH: WINDOW_H }, deps),
  ]);
  const { ticker, vs, horizon } = input;
  const report: AnalysisReport = {
    ticker,
    vs,
    horizon,
    market: market.made,
    technicals: technicals.made,
    sentiment: mood.made,
  };
  const isAnswered = report.market !== null || report.technicals !== null;
  const parts: readonly Part<unknown>[] = [market, technicals, mood];
  const asked = parts.flatMap((part) => part.asked);
  const missing = isAnswered ? parts.flatMap((part) => part.missing) : asked;
  return createDataResult(deps, context, {
    tool: NAME,
    headline: isAnswered
      ? `${pair}: ${[formatPrice(report), formatSignals(report)].join('; ')}.`
      : `No reliable quotes or candles for ${pair}.`,
    lines: isAnswered ? [formatSentiment(report.sentiment)] : [],
    data: isAnswered ? toJson(report) : null,
    sources: sources.records(),
    coverage: { asked: asked.length, answered: asked.length - missing.length, missing },
    faults: parts.flatMap((part) => part.faults),
    method: { ...METHOD, ...SENTIMENT_METHOD, scorer: deps.scorer.method },
    disclaimer: 'Past quotes, trades and texts. Rule-based signals; no forecast, no advice.',
  });
}

const METHOD = {
  market: 'median of last trades weighted by 24 h volume; at least two exchanges',
  candles: '280 finished candles of the first exchange that has 60 fresh ones; none filled in',
  figures: 'indicators are computed in doubles, with eight digits',
  signals: 'each by its stated rule; counted individually, without a combined score',
};

function formatPrice({ market, vs }: AnalysisReport): string {
  return market === null ? 'no price' : `${market.price.value} ${vs}`;
}

function formatSignals({ technicals }: AnalysisReport): string {
  if (technicals === null) return 'no indicators';
  const { bullish, bearish, neutral } = technicals.signals;
  const from = `${technicals.venue}, ${technicals.interval}`;
  return `${bullish} bullish, ${bearish} bearish, ${neutral} neutral signals (${from})`;
}

function pairOf({ ticker, vs }: Input): string {
  return `${ticker}/${vs}`;
}

function searchWords({ topic, ticker }: Input): string {
  return topic ?? searchTermOf(ticker);
}
