import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { parseDecimal } from '../../domain/common/decimal.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import { DecimalText } from '../../domain/data/value.ts';
import { HISTORY_RULES } from '../../domain/market/history.ts';
import { ComprehensiveReport } from '../../domain/market/report/comprehensive-report.ts';
import { searchTermOf } from '../../domain/market/ticker-names.ts';
import { MARKET_VENUES, VENUES } from '../../domain/market/venue/venues.ts';
import { ESTIMATOR_RULES } from '../../domain/market/volatility.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { SENTIMENT_METHOD, topicIn } from '../sentiment/sentiment-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { analyzeMarket, analyzeSentiment, formatSentiment } from './analysis-parts.ts';
import { selectVenues } from './select-venues.ts';
import { TickerFields, TickerTopic } from './ticker-input.ts';
import { readArbitrage, readHistory, readVolatility, toSection } from './ticker-sections.ts';

/** Time limit for all sections together, in milliseconds. */
export const SECTIONS_MS = 25 * SECOND_MS;
/** Minimum number of sections for a report. */
export const SECTIONS_MIN = 3;

const NAME = 'oracle_comprehensive-report';
const QUOTE_AGE_MS = MINUTE_MS;
const WINDOW_H = 48;

const Input = z.strictObject({
  ...TickerFields,
  volatility_window: z
    .enum(['1h', '24h', '7d', '30d'])
    .default('7d')
    .describe('Window of the volatility section.')
    .meta(ADVANCED),
  history_days: z
    .int()
    .min(30)
    .max(365)
    .default(90)
    .describe('Days of the history section.')
    .meta(ADVANCED),
  size_quote: DecimalText.refine((text) => parseDecimal(text) > 0n, 'above zero')
    .default('10000')
    .describe('Order size for the spreads, in the quote currency.')
    .meta(ADVANCED),
  topic: TickerTopic,
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.12';
const DESCRIPTION = [
  'Get one report on a ticker in five sections, read at the same time. The sections are price',
  'across exchanges, volatility, history, spreads between order books, and sentiment of news and',
  'posts. Each section has its own status, what is missing and why, the sources of its figures,',
  'and a hash. A section without data is empty and listed. Use it for a full picture; for one',
  'part alone use oracle_price-feed, oracle_volatility-monitor, oracle_historical-analysis,',
  'oracle_market-arbitrage or oracle_sentiment-analysis. There is no overall verdict, forecast or',
  `advice. $${PRICE_USD} per call. You are not charged if fewer than three sections have data.`,
].join(' ');

type Ports = Pick<
  Services,
  'clock' | 'feeds' | 'markets' | 'opinions' | 'quotes' | 'scorer' | 'trust'
>;

/** Creates the tool `oracle_comprehensive-report`. */
export function comprehensiveTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Comprehensive market report on a ticker',
    description: DESCRIPTION,
    summary:
      'Get one report on a crypto ticker: price, volatility, history, spreads, ' +
      'sentiment. For one part use its own oracle tool. No forecast. No charge with ' +
      'fewer than three parts.',
    example: { ticker: 'ETH' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(ComprehensiveReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      topicIn({ topic: searchWords(input) });
      return {
        exchanges: selectVenues(pairOf(input), VENUES, []).length,
        markets: selectVenues(pairOf(input), MARKET_VENUES, []).length,
      };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: Ports): Promise<ToolResult> {
  const sources = new SourceList();
  const parts = await readParts(input, sources, deps);
  const { price, volatility, history, arbitrage, sentiment } = parts;
  const { ticker, vs } = input;
  const report: ComprehensiveReport = {
    ticker,
    vs,
    sections: {
      price: toSection(price),
      volatility: toSection(volatility),
      history: toSection(history),
      arbitrage: toSection(arbitrage),
      sentiment: toSection(sentiment),
    },
  };
  const sections = Object.entries(report.sections);
  const answered = sections.filter(([, { status }]) => status !== 'none');
  const isAnswered = answered.length >= SECTIONS_MIN;
  const all = Object.values(parts);
  const asked = all.flatMap((part) => part.asked);
  const missing = isAnswered ? sections.flatMap(([, section]) => section.missing) : asked;
  const words = `${answered.length} of ${sections.length} sections on ${pairOf(input)}`;
  return createDataResult(deps, context, {
    tool: NAME,
    headline: isAnswered ? `${words}.` : `${words}; a report needs ${SECTIONS_MIN}.`,
    lines: isAnswered ? linesOf(report) : [],
    data: isAnswered ? toJson(report) : null,
    sources: sources.records(),
    coverage: { asked: asked.length, answered: asked.length - missing.length, missing },
    faults: removeDuplicates(all.flatMap((part) => part.faults)),
    method: { ...HISTORY_RULES, ...METHOD, ...SENTIMENT_METHOD, scorer: deps.scorer.method },
    disclaimer: 'Past quotes, trades and texts. No forecast, no offer, no advice.',
  });
}

const METHOD = {
  price: 'median of last trades weighted by 24 h volume; at least two exchanges',
  volatility: `close_to_close: ${ESTIMATOR_RULES.close_to_close}`,
  history: 'finished 1-day candles only; missing ones listed',
  arbitrage: 'both books walked for the size; lowest-tier taker fees; at most 2 s apart',
};

async function readParts(input: Input, sources: SourceList, deps: Ports) {
  const order = { pair: pairOf(input), sources, deadline: deps.clock.now() + SECTIONS_MS };
  const lengthMs = input.history_days * DAY_MS;
  const words = searchWords(input);
  const [price, volatility, history, arbitrage, sentiment] = await Promise.all([
    analyzeMarket({ ...order, maxAgeMs: QUOTE_AGE_MS }, deps),
    readVolatility({ ...order, window: input.volatility_window }, deps),
    readHistory({ ...order, lengthMs }, deps),
    readArbitrage({ ...order, size: input.size_quote }, deps),
    analyzeSentiment({ ...order, words, windowH: WINDOW_H }, deps),
  ]);
  return { price, volatility, history, arbitrage, sentiment };
}

function linesOf({ sections, vs }: ComprehensiveReport): readonly string[] {
  const { price, volatility, history, arbitrage, sentiment } = sections;
  const yearly = volatility.report?.realized_vol_annualized;
  const past = history.report;
  const [best] = arbitrage.report?.opportunities ?? [];
  const net = best?.net_spread_bps ?? 'unknown';
  return [
    price.report === null ? 'No price.' : `Price: ${price.report.price.value} ${vs}.`,
    yearly === undefined ? 'No volatility.' : `Volatility: ${yearly.value} % a year.`,
    past === null ? 'No history.' : `Past: ${past.lowest.value} to ${past.highest.value} ${vs}.`,
    best === undefined
      ? 'No spreads.'
      : `Best spread: buy at ${best.buy_venue}, sell at ${best.sell_venue}, net ${net} bps.`,
    formatSentiment(sentiment.report),
  ];
}

/** Removes duplicates: one fault can affect several sections. */
function removeDuplicates<Fault extends object>(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

function pairOf({ ticker, vs }: Input): string {
  return `${ticker}/${vs}`;
}

function searchWords({ topic, ticker }: Input): string {
  return topic ?? searchTermOf(ticker);
}
