import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { DecimalText } from '../../domain/data/value.ts';
import type { Candle, CandleInterval } from '../../domain/market/candles.ts';
import type { BookLevel } from '../../domain/market/order-book.ts';
import type { UpstreamAnswer } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';

/** A currency pair in a request to an exchange. */
export interface MarketPair {
  readonly base: string;
  readonly quote: string;
}

/** A query for candles. Times in milliseconds, `to` exclusive. */
export interface CandleQuery extends MarketPair {
  readonly interval: CandleInterval;
  readonly from: number;
  readonly to: number;
}

/** Both sides of a book as received. */
export interface ReadBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Milliseconds; `null` if the venue reports no time. */
  readonly asOf: number | null;
}

/** Why a venue has no answer; `undefined` if its answer is malformed. */
export type VenueFailure = 'unknown_symbol' | 'closed' | undefined;

/** An exchange with books and candles that need no key. */
export interface MarketVenue {
  readonly id: string;
  readonly quotes: readonly string[];
  readonly bookUpstream: UpstreamId;
  readonly candleUpstream: UpstreamId;
  bookPath(pair: MarketPair): string;
  /** Returns one path per page, at most as many as the reader accepts. */
  candlePaths(query: CandleQuery): readonly string[];
  book(answer: UpstreamAnswer): ReadBook | VenueFailure;
  candles(answer: UpstreamAnswer): readonly Candle[] | VenueFailure;
}

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

/** Splits a range into pages of at most `pageMs` milliseconds. */
export function splitIntoPages(
  { from, to }: Pick<CandleQuery, 'from' | 'to'>,
  pageMs: number,
): readonly { readonly from: number; readonly to: number }[] {
  const pages: { from: number; to: number }[] = [];
  for (let at = from; at < to; at += pageMs)
    pages.push({ from: at, to: Math.min(to, at + pageMs) });
  return pages;
}

/** Formats a number without an exponent. A value below 18 decimal places becomes zero. */
function formatNumber(figure: number): string {
  const text = String(figure);
  return /e/.test(text) && Math.abs(figure) < 1 ? figure.toFixed(18) : text;
}
