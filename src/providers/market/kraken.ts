import { z } from 'zod';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { CANDLE_INTERVALS, type Candle } from '../../domain/market/candles.ts';
import { DecimalNumber, Level, type MarketVenue } from './market-venue.ts';
import { interpretKrakenError, toKrakenName } from './venues.ts';

const ErrorBody = z.object({ error: z.array(z.string()).min(1) });
const Book = z.object({
  result: z.record(z.string(), z.object({ bids: z.array(Level), asks: z.array(Level) })),
});
const Rows = z.object({ result: z.record(z.string(), z.unknown()) });
const Row = z
  .tuple(
    [
      z.int(),
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
    ],
    z.unknown(),
  )
  .transform(
    ([seconds, open, high, low, close, , volume]): Candle => ({
      at: seconds * SECOND_MS,
      open,
      high,
      low,
      close,
      volume,
    }),
  );

/** Kraken. It returns the last 720 candles and no older ones. Its books have no timestamp. */
export const KRAKEN: MarketVenue = {
  id: 'kraken',
  quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC', 'ETH'],
  bookUpstream: 'kraken',
  candleUpstream: 'kraken',
  bookPath: ({ base, quote }) =>
    `/0/public/Depth?pair=${toKrakenName(base)}${toKrakenName(quote)}&count=100`,
  candlePaths: ({ base, quote, interval, from }) => {
    const minutes = CANDLE_INTERVALS[interval] / MINUTE_MS;
    // Candles that start at `since` are excluded.
    const since = from / SECOND_MS - 1;
    const pair = `${toKrakenName(base)}${toKrakenName(quote)}`;
    return [`/0/public/OHLC?pair=${pair}&interval=${minutes}&since=${since}`];
  },
  book: (answer) => {
    const refused = findFailure(answer.json());
    if (refused !== null) return refused;
    const [sides] = Object.values(Book.safeParse(answer.json()).data?.result ?? {});
    return sides === undefined ? undefined : { ...sides, asOf: null };
  },
  candles: (answer) => {
    const refused = findFailure(answer.json());
    if (refused !== null) return refused;
    const { last, ...series } = Rows.safeParse(answer.json()).data?.result ?? {};
    const [rows] = Object.values(series);
    return last === undefined ? undefined : z.array(Row).safeParse(rows).data;
  },
};

/** Returns the failure of an answer, or `null` if it has none. */
function findFailure(body: unknown) {
  const [fault] = ErrorBody.safeParse(body).data?.error ?? [];
  return fault === undefined ? null : interpretKrakenError(fault);
}
