import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../../common/decimal.ts';
import type { Upstream } from '../../data/upstreams.ts';
import { DecimalText } from '../../data/value.ts';
import type { Candle, CandleInterval, TimeRange } from '../candles.ts';
import type { BookLevel } from '../order-book.ts';
import type { Quote } from '../reference.ts';

/** A currency pair in a request to an exchange. */
export interface MarketPair {
  readonly base: string;
  readonly quote: string;
}

/** A query for candles. Times in milliseconds, `to` exclusive. */
export interface CandlesOfPair extends MarketPair, TimeRange {
  readonly interval: CandleInterval;
}

/** A ticker as received. */
export interface ReadTicker extends Pick<Quote, 'last' | 'bid' | 'ask' | 'volume'> {
  /** Milliseconds; `null` if the venue reports no time. */
  readonly asOf: number | null;
}

/** Both sides of a book as received. */
export interface ReadBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Milliseconds; `null` if the venue reports no time. */
  readonly asOf: number | null;
}

/** The status of an answer, and its body as JSON; `undefined` if it is not valid JSON. */
export interface VenueAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Why a venue has no answer; `undefined` if its answer is malformed. */
export type VenueFailure = 'unknown_symbol' | 'closed' | undefined;

/** What tools, alerts and upstream checks need to know of an exchange. */
export interface VenueFacts<Id extends string = string> {
  /** Also the name of its upstream. */
  readonly id: Id;
  /** Its quote currencies. A quote in a stablecoin is not a quote in dollars. */
  readonly quotes: readonly string[];
  /** Whether the exchange is queried only if the caller names it. */
  readonly isNamedOnly: boolean;
  /** Taker fee of the lowest tier in basis points, if it is listed. */
  readonly takerFeeBps?: string;
  readonly upstream: Upstream;
}

/**
 * An exchange with an adapter of its own, which needs no key. Names and formats are those of the
 * exchange.
 */
export interface AdapterVenue<Id extends string = string, BookId extends string = Id>
  extends VenueFacts<Id> {
  /** Rank by length of its history. Books and candles are read in this order. */
  readonly marketRank: number;
  /** Name of the upstream of its books. */
  readonly bookUpstream: BookId;
  tickerPath(pair: MarketPair): string;
  ticker(answer: VenueAnswer): ReadTicker | VenueFailure;
  bookPath(pair: MarketPair): string;
  book(answer: VenueAnswer): ReadBook | VenueFailure;
  /** Returns one path per page, at most as many as the reader accepts. */
  candlePaths(query: CandlesOfPair): readonly string[];
  candles(answer: VenueAnswer): readonly Candle[] | VenueFailure;
}

/** An exchange that is read through `ccxt`, which would have to load all its markets first. */
export interface CcxtVenue<Id extends string = string> extends VenueFacts<Id> {
  /** Returns its id for a pair. */
  marketId(pair: MarketPair): string;
  /** Requested levels per side of a book. */
  readonly bookLevels: number;
  /** Most candles per answer. If absent, a single answer contains the newest. */
  readonly candlesMax?: number;
  /** Returns parameters that replace those of `ccxt` in a request for candles. */
  candleParams?(page: TimeRange): Readonly<Record<string, number>>;
  /** Whether the time in its ticker is not that of the price. */
  readonly hasOtherTime?: boolean;
}

/** A price in a ticker: a decimal above zero. */
export const TickerPrice = DecimalText.refine((text) => Number(text) > 0);

/** A volume in a ticker: a decimal of at least zero. */
export const TickerVolume = DecimalText.refine((text) => Number(text) >= 0);

/**
 * A number as venues write it: a JSON number, or a decimal string with or without trailing zeros.
 */
export const DecimalNumber = z.union([DecimalText, z.number()]).transform((figure, context) => {
  const text = typeof figure === 'string' ? figure : formatNumber(figure);
  if (isDecimal(text)) return formatDecimal(parseDecimal(text));
  context.addIssue({ code: 'custom', message: 'must be a plain decimal' });
  return z.NEVER;
});

/** A level with price and size. Further fields of a venue are ignored. */
export const Level = z
  .tuple([DecimalNumber, DecimalNumber], z.unknown())
  .transform(([price, size]): BookLevel => ({ price, size }));

/** Splits a pair into base and quote. */
export function splitPair(pair: string): MarketPair {
  const [base = '', quote = ''] = pair.split('/');
  return { base, quote };
}

/** Returns the exchanges that quote in the currency of a pair. */
export function filterByQuote<Venue extends Pick<VenueFacts, 'quotes'>>(
  venues: readonly Venue[],
  pair: string,
): readonly Venue[] {
  const { quote } = splitPair(pair);
  return venues.filter(({ quotes }) => quotes.includes(quote));
}

/** Splits a range into pages of at most `pageMs` milliseconds. */
export function splitIntoPages({ from, to }: TimeRange, pageMs: number): readonly TimeRange[] {
  const pages: TimeRange[] = [];
  for (let at = from; at < to; at += pageMs) {
    pages.push({ from: at, to: Math.min(to, at + pageMs) });
  }
  return pages;
}

/** Formats a number without an exponent. A value below 18 decimal places becomes zero. */
function formatNumber(figure: number): string {
  const text = String(figure);
  return /e/.test(text) && Math.abs(figure) < 1 ? figure.toFixed(18) : text;
}
