import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { DecimalText } from '../../domain/data/value.ts';
import type { BookLevel } from '../../domain/market/book.ts';
import type { Candle, CandleInterval } from '../../domain/market/candles.ts';
import type { UpstreamAnswer } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';

/** A pair as an exchange is asked for it. */
export interface MarketPair {
  readonly base: string;
  readonly quote: string;
}

/** Candles as an exchange is asked for them; times in milliseconds, `to` left out. */
export interface CandleQuery extends MarketPair {
  readonly interval: CandleInterval;
  readonly from: number;
  readonly to: number;
}

/** Both sides of a book as they came. */
export interface ReadBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Milliseconds; `null` where the venue does not say. */
  readonly asOf: number | null;
}

/** Why a venue has no answer; `undefined` when its answer does not fit. */
export type Refusal = 'unknown_symbol' | 'closed' | undefined;

/** One exchange with books and candles that need no key. */
export interface MarketVenue {
  readonly id: string;
  readonly quotes: readonly string[];
  readonly bookUpstream: UpstreamId;
  readonly candleUpstream: UpstreamId;
  bookPath(pair: MarketPair): string;
  /** One path for each page, at most as many as the reader takes. */
  candlePaths(query: CandleQuery): readonly string[];
  book(answer: UpstreamAnswer): ReadBook | Refusal;
  candles(answer: UpstreamAnswer): readonly Candle[] | Refusal;
}

/** A figure as venues write it: a number, or a decimal with or without needless zeros. */
export const Figure = z.union([DecimalText, z.number()]).transform((figure, context) => {
  const text = typeof figure === 'string' ? figure : textOf(figure);
  if (isDecimal(text)) return formatDecimal(parseDecimal(text));
  context.addIssue({ code: 'custom', message: 'a plain decimal' });
  return z.NEVER;
});

/** A level as price and size, with what else a venue adds. */
export const Level = z
  .tuple([Figure, Figure], z.unknown())
  .transform(([price, size]): BookLevel => ({ price, size }));

/** Splits a stretch into pages of at most so many candles. */
export function pagesOf(
  { from, to }: Pick<CandleQuery, 'from' | 'to'>,
  pageMs: number,
): readonly { readonly from: number; readonly to: number }[] {
  const pages: { from: number; to: number }[] = [];
  for (let at = from; at < to; at += pageMs)
    pages.push({ from: at, to: Math.min(to, at + pageMs) });
  return pages;
}

/** Without an exponent; what is smaller than all places is zero. */
function textOf(figure: number): string {
  const text = String(figure);
  return /e/.test(text) && Math.abs(figure) < 1 ? figure.toFixed(18) : text;
}
