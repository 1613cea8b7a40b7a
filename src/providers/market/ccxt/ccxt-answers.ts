import { z } from 'zod';
import { formatDecimal, parseDecimal } from '../../../domain/common/decimal.ts';
import { DecimalText } from '../../../domain/data/value.ts';
import type { Candle } from '../../../domain/market/candles.ts';
import { type BookLevel, validateSides } from '../../../domain/market/order-book.ts';

const DecimalNumber = DecimalText.transform((text) => formatDecimal(parseDecimal(text)));
const Price = DecimalNumber.refine((text) => parseDecimal(text) > 0n);
const Amount = DecimalNumber.refine((text) => parseDecimal(text) >= 0n);
const Time = z.int().positive();

/** Validates a ticker from `ccxt`: sound numbers, and a bid not above the ask. */
export const Ticker = z
  .object({
    symbol: z.string(),
    last: Price,
    bid: Price,
    ask: Price,
    /** 24-hour volume, in units of the base currency. */
    volume: Amount,
    /** Milliseconds since the Unix epoch. */
    at: Time.nullable(),
  })
  .refine(({ bid, ask }) => parseDecimal(bid) <= parseDecimal(ask));

const Side = z
  .array(z.tuple([Price, Amount]))
  .transform((rows) => rows.map(([price, size]): BookLevel => ({ price, size })));

/** Validates a book from `ccxt` and sorts it again, because `ccxt` sorts prices as strings. */
export const Book = z
  .object({ bids: Side, asks: Side, at: Time.nullable() })
  .transform(({ at, ...sides }, context) => {
    const sound = validateSides(sides);
    if (sound !== undefined) return { ...sound, at };
    context.addIssue({ code: 'custom', message: 'a book needs two sides and must not be crossed' });
    return z.NEVER;
  });

/** Validates candles from `ccxt`. Their prices are checked where pages are joined. */
export const Candles = z.array(
  z
    .tuple([Time, DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber, Amount])
    .transform(
      ([at, open, high, low, close, volume]): Candle => ({ at, open, high, low, close, volume }),
    ),
);
