import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../common/decimal.ts';
import { AppError } from '../common/error.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../market/candles.ts';
import { DEFAULT_VENUE_IDS, findVenue } from '../market/venue/venues.ts';
import { isEmptyTopic, parseTopic, TOPIC_CHARS_MAX } from '../news/topic.ts';

/** Exchanges whose public tickers are read; `reference` is their median. */
export const VENUES = ['reference', ...DEFAULT_VENUE_IDS] as const;
/** Minimum and maximum number of exchanges in one spread alert. */
export const SPREAD_VENUE_COUNT = { min: 2, max: 4 } as const;
/** Maximum number of news domains in one alert. Every domain must respond. */
export const NEWS_DOMAINS_MAX = 8;

const PAIR_FORM = /^[A-Z0-9]{2,12}\/[A-Z0-9]{2,12}$/;
const FEE_BPS_MAX = parseDecimal('1000');

const Pair = z.string().regex(PAIR_FORM).describe('Base and quote currency, such as BTC/USD.');
const VenueName = z.string().regex(/^[a-z][a-z0-9]{1,19}$/);
const Amount = z
  .string()
  .max(50)
  .refine((text) => isDecimal(text) && parseDecimal(text) > 0n, 'a decimal greater than 0');
const Fee = z
  .string()
  .max(50)
  .refine((text) => isDecimal(text) && isFee(parseDecimal(text)), 'a decimal from 0 to 1000');

const PriceInput = z.strictObject({
  pair: Pair,
  venue: z.enum(VENUES).default('reference').describe('An exchange. Default: reference.'),
});
const CandlesInput = z.strictObject({
  pair: Pair,
  venue: VenueName.describe('One exchange. Candles have no reference price.'),
  candle: z
    .enum(Object.keys(CANDLE_INTERVALS) as [CandleInterval, ...CandleInterval[]])
    .describe('Candle length. The alert uses finished candles only.'),
});
const SpreadInput = z.strictObject({
  pair: Pair,
  between: z
    .array(VenueName)
    .min(SPREAD_VENUE_COUNT.min)
    .max(SPREAD_VENUE_COUNT.max)
    .describe('Exchanges whose order books are compared. All must respond.'),
  size_quote: Amount.default('1000').describe('Order size, in the quote currency.'),
  after_fees: z.boolean().default(true).describe('Subtract the taker fees of both sides.'),
  fee_bps: z
    .record(VenueName, Fee)
    .default({})
    .describe('Your taker fees per exchange. Others use the fee of the lowest tier.'),
});
const NewsInput = z.strictObject({
  news: z
    .string()
    .min(1)
    .max(TOPIC_CHARS_MAX)
    .describe('Words that a headline or summary must contain. Put exact phrases in quotes.'),
  domains: z
    .array(z.string().min(3).max(60))
    .min(1)
    .max(NEWS_DOMAINS_MAX)
    .describe('Curated domains; research_topic-news-scanner lists them. All must respond.'),
});
const EventInput = z.strictObject({
  topic: z
    .string()
    .regex(/^[a-z][a-z_]{0,39}(\.[a-z][a-z_]{0,39}){0,3}$/)
    .describe('Type of public events, such as job.released, or a prefix of it.'),
  query: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Subject of the events: a wallet, agent:<id>, or a reference.'),
});

/** Alert subject as callers write it. */
export const SubjectInput = z
  .union([PriceInput, CandlesInput, SpreadInput, NewsInput, EventInput])
  .describe(
    'A price, finished candles, the spread between order books, headlines or public events.',
  );
/** A parsed {@link SubjectInput}. */
export type SubjectInput = z.infer<typeof SubjectInput>;

/** An exchange in a spread, with the taker fee to subtract in basis points. */
export interface SpreadSide {
  readonly venue: string;
  /** `null`: no fee is subtracted. */
  readonly feeBps: string | null;
}

/** The source of values or events that an alert watches. */
export type AlertSubject =
  | { readonly kind: 'price'; readonly pair: string; readonly venue: string }
  | {
      readonly kind: 'candles';
      readonly pair: string;
      readonly venue: string;
      readonly candle: CandleInterval;
    }
  | {
      readonly kind: 'spread';
      readonly pair: string;
      readonly between: readonly SpreadSide[];
      readonly sizeQuote: string;
    }
  | { readonly kind: 'news'; readonly query: string; readonly domains: readonly string[] }
  | { readonly kind: 'event'; readonly topic: string; readonly query: string | null };

/**
 * Resolves the defaults of a subject. Venues and domains are sorted; their order has no meaning.
 *
 * @throws {AppError} `INPUT_INVALID` for duplicate venues or domains, an unknown fee, or a news
 * query without a search word.
 */
export function resolveSubject(input: SubjectInput): AlertSubject {
  if ('topic' in input) {
    return { kind: 'event', topic: input.topic, query: input.query?.toLowerCase() ?? null };
  }
  if ('news' in input) return resolveNewsSubject(input);
  if ('between' in input) return resolveSpreadSubject(input);
  const { pair, venue } = input;
  if ('candle' in input) return { kind: 'candles', pair, venue, candle: input.candle };
  return { kind: 'price', pair, venue };
}

/** Creates an `INPUT_INVALID` error for a field that is incompatible with the others. */
export function incompatibleInput(path: string, received: unknown, allowed: string): AppError {
  return new AppError('INPUT_INVALID', {
    message: `\`${path}\` is not compatible with the other fields. Allowed: ${allowed}.`,
    data: { path, received, allowed },
  });
}

function resolveNewsSubject({ news, domains }: z.infer<typeof NewsInput>): AlertSubject {
  if (isEmptyTopic(parseTopic(news))) {
    throw incompatibleInput('subject.news', news, 'at least one word or "phrase"');
  }
  return { kind: 'news', query: news.trim(), domains: sortUnique('subject.domains', domains) };
}

function resolveSpreadSubject(input: z.infer<typeof SpreadInput>): AlertSubject {
  const between = sortUnique('subject.between', input.between).map((venue): SpreadSide => {
    if (!input.after_fees) return { venue, feeBps: null };
    const feeBps = input.fee_bps[venue] ?? findVenue(venue)?.takerFeeBps;
    if (feeBps === undefined) {
      throw incompatibleInput(
        'subject.fee_bps',
        input.fee_bps,
        `a fee for ${venue}, or after_fees: false`,
      );
    }
    return { venue, feeBps: formatDecimal(parseDecimal(feeBps)) };
  });
  const unknownVenues = Object.keys(input.fee_bps).filter(
    (venue) => !input.between.includes(venue),
  );
  if (unknownVenues.length > 0) {
    throw incompatibleInput(
      'subject.fee_bps',
      unknownVenues,
      'fees of exchanges listed in between',
    );
  }
  const sizeQuote = formatDecimal(parseDecimal(input.size_quote));
  return { kind: 'spread', pair: input.pair, between, sizeQuote };
}

function sortUnique(path: string, names: readonly string[]): readonly string[] {
  if (new Set(names).size < names.length) throw incompatibleInput(path, names, 'no duplicates');
  return [...names].sort();
}

function isFee(fee: bigint): boolean {
  return fee >= 0n && fee <= FEE_BPS_MAX;
}
