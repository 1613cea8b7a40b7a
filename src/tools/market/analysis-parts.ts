import type { Services } from '../../actors/common/services.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList } from '../../domain/data/source.ts';
import type { CandleInterval } from '../../domain/market/candles.ts';
import {
  evaluateIndicators,
  INDICATOR_NAMES,
  type Indicator,
  type Signal,
} from '../../domain/market/indicators.ts';
import type { MarketCandles, MarketQuotes } from '../../domain/market/markets.ts';
import { REFERENCE_VENUES_MIN } from '../../domain/market/reference.ts';
import type { AnalysisReport } from '../../domain/market/report/analysis-report.ts';
import { MARKET_VENUES, VENUES } from '../../domain/market/venue/venues.ts';
import { parseTopic } from '../../domain/news/topic.ts';
import type { SentimentReport } from '../../domain/sentiment/report.ts';
import { CHANNEL_NAMES, measureTopic } from '../sentiment/topic-sentiment.ts';
import { type CandleView, readCandles } from './read-candles.ts';
import { exchangePrice, readExchanges, venueQuotes } from './read-exchanges.ts';
import { selectVenues } from './select-venues.ts';

/** One part of an answer: its result, and the requested data that is missing. */
export interface Part<Made> {
  /** `null` if no source answered. */
  readonly made: Made | null;
  readonly faults: readonly DataFailure[];
  readonly asked: readonly string[];
  readonly missing: readonly string[];
}

/** The input of every part. */
export interface PartOrder {
  /** Base and quote currency, such as `BTC/USD`. */
  readonly pair: string;
  readonly sources: SourceList;
  /** Deadline in milliseconds. */
  readonly deadline: number;
}

interface SentimentPartOrder extends Omit<PartOrder, 'pair'> {
  /** Search words for texts. */
  readonly words: string;
  readonly windowH: number;
}

/** Reads current quotes of exchanges; the result needs at least two that agree. */
export async function analyzeMarket(
  { pair, sources, deadline, maxAgeMs }: PartOrder & { readonly maxAgeMs: number },
  deps: { readonly clock: Clock; readonly quotes: MarketQuotes },
): Promise<Part<NonNullable<AnalysisReport['market']>>> {
  const venues = selectVenues(pair, VENUES, []);
  const view = await readExchanges({ pair, venues, maxAgeMs, deadline }, deps, sources);
  const isEnough = view.used.length >= REFERENCE_VENUES_MIN;
  const used = isEnough ? view.used.map(({ venue }) => venue) : [];
  const [, unit = ''] = pair.split('/');
  return {
    made: isEnough
      ? {
          price: exchangePrice(view, unit),
          venues: used,
          quotes: [...venueQuotes(view, pair)],
          dropped: [...view.dropped],
        }
      : null,
    faults: view.faults,
    asked: venues.map((venue) => `quote:${venue}`),
    missing: venues.filter((venue) => !used.includes(venue)).map((venue) => `quote:${venue}`),
  };
}

/** Computes indicators from the first exchange with enough fresh candles. */
export async function analyzeCandles(
  { pair, sources, deadline, interval }: PartOrder & { readonly interval: CandleInterval },
  { clock, markets }: { readonly clock: Clock; readonly markets: MarketCandles },
): Promise<Part<NonNullable<AnalysisReport['technicals']>>> {
  const venues = selectVenues(pair, MARKET_VENUES, []);
  const order = { pair, venues, interval, deadline };
  const { view, faults } = await readCandles(order, { clock, candles: markets }, sources);
  const asked = INDICATOR_NAMES.map((name) => `indicator:${name}`);
  if (view === undefined) return { made: null, faults, asked, missing: asked };
  const made = toTechnicals(view, pair, interval);
  const missing = made.too_few_candles_for.map((name) => `indicator:${name}`);
  return { made, faults, asked, missing };
}

/** Measures sentiment; there is no result if no channel has a score. */
export async function analyzeSentiment(
  { words, windowH, sources, deadline }: SentimentPartOrder,
  deps: Pick<Services, 'clock' | 'feeds' | 'opinions' | 'scorer'>,
): Promise<Part<SentimentReport>> {
  const order = { words, topic: parseTopic(words), channels: CHANNEL_NAMES, windowH, deadline };
  const { report, faults } = await measureTopic(order, deps, sources);
  const missing = report.channels.filter(({ result }) => result === null);
  return {
    made: missing.length === report.channels.length ? null : report,
    faults,
    asked: CHANNEL_NAMES.map((name) => `sentiment:${name}`),
    missing: missing.map(({ channel }) => `sentiment:${channel}`),
  };
}

/** Describes a sentiment in one sentence. */
export function formatSentiment(sentiment: SentimentReport | null): string {
  if (sentiment === null) return 'Too few texts to measure sentiment.';
  const { overall, topic, overall_missing: why } = sentiment;
  const name = JSON.stringify(topic);
  if (overall === null) return `No overall sentiment for ${name}: ${why}`;
  const { score, ci95 } = overall;
  return `Sentiment for ${name}: ${score.value} (95 %: ${ci95.low} to ${ci95.high}) from -1 to 1.`;
}

function toTechnicals(
  view: CandleView,
  pair: string,
  interval: CandleInterval,
): NonNullable<AnalysisReport['technicals']> {
  const [base = '', quote = ''] = pair.split('/');
  const units = { price: quote, base, index: 'index' } as const satisfies Record<
    Indicator['unit'],
    string
  >;
  const { found, missing } = evaluateIndicators(view.bars);
  const [first, last] = [view.bars[0]?.close ?? 0, view.bars.at(-1)?.close ?? 0];
  const count = (signal: Signal) => found.filter((one) => one.signal === signal).length;
  return {
    venue: view.venue,
    interval,
    candles: view.bars.length,
    candles_missing: view.missing,
    from: toIsoTime(view.from),
    to: toIsoTime(view.to),
    last_close: view.value(last, quote),
    change_pct: view.value(100 * (last / first - 1), 'percent'),
    indicators: found.map(({ name, params, value, unit, signal, rule }) => ({
      name,
      params,
      value: view.value(value, units[unit]),
      signal,
      rule,
    })),
    too_few_candles_for: [...missing],
    signals: {
      bullish: count('bullish'),
      bearish: count('bearish'),
      neutral: count('neutral'),
    },
  };
}
