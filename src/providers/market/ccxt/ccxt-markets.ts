import type { z } from 'zod';
import type { Clock } from '../../../domain/common/clock.ts';
import { faultOf } from '../../../domain/data/fault.ts';
import type { Reading } from '../../../domain/data/upstreams.ts';
import { CANDLE_INTERVALS, wholeCandles } from '../../../domain/market/candles.ts';
import type { MarketQuotes, QuoteOrder } from '../../../domain/market/market-quotes.ts';
import type {
  CandleOrder,
  CandleReading,
  MarketBooks,
  MarketCandles,
  MarketOrder,
} from '../../../domain/market/markets.ts';
import type { Parsed, UpstreamReader } from '../../data/upstream-reader.ts';
import { UPSTREAMS } from '../../data/upstreams.ts';
import { namesOf, readerAt, readPages, timeOf } from '../market-reading.ts';
import { pagesOf } from '../market-venue.ts';
import { Book, Candles, Ticker } from './ccxt-answers.ts';
import { type CandlePage, CCXT_EXCHANGES, type CcxtExchange } from './ccxt-exchanges.ts';
import type { CcxtCall, CcxtThread } from './ccxt-thread.ts';

/** The dependencies of the `ccxt` markets. */
export interface CcxtParts {
  readonly reader: UpstreamReader;
  readonly thread: CcxtThread;
  /** Supplies the time to the exchange code. */
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Creates the reader of quotes, books and candles through `ccxt`. The thread determines the request
 * and parses the answer. The upstream reader sends the request, and results are validated here
 * again.
 */
export function ccxtMarkets(parts: CcxtParts): MarketQuotes & MarketBooks & MarketCandles {
  const at = readerAt(CCXT_EXCHANGES);
  return {
    venues: CCXT_EXCHANGES.map(({ id, quotes }) => ({ id, quotes, isNamedOnly: true })),
    quote: at((exchange, order: QuoteOrder) => readQuote(parts, exchange, order)),
    book: at((exchange, order: MarketOrder) => readBook(parts, exchange, order)),
    candles: at((exchange, order: CandleOrder) => readCandles(parts, exchange, order)),
  };
}

async function readQuote(parts: CcxtParts, exchange: CcxtExchange, order: QuoteOrder) {
  const call = callOf(parts, exchange, { pair: order.pair, method: 'fetchTicker' });
  // A ticker of another pair is invalid.
  const ticker = Ticker.refine(({ symbol }) => symbol === order.pair);
  const reading = await read(parts, { call, schema: ticker, order });
  if (!reading.ok) return reading;
  const { at, last, bid, ask, volume } = reading.value;
  const time = timeOf(exchange.hasOtherTime === true ? null : at, reading.source);
  return { ...reading, value: { venue: exchange.id, last, bid, ask, volume, ...time } };
}

async function readBook(parts: CcxtParts, exchange: CcxtExchange, order: MarketOrder) {
  const asked = { pair: order.pair, method: 'fetchOrderBook', args: [exchange.levels] } as const;
  const call = callOf(parts, exchange, asked);
  const reading = await read(parts, { call, schema: Book, order });
  if (!reading.ok) return reading;
  const { at, bids, asks } = reading.value;
  return {
    ...reading,
    value: { venue: exchange.id, bids, asks, ...timeOf(at, reading.source) },
  };
}

async function readCandles(
  parts: CcxtParts,
  exchange: CcxtExchange,
  order: CandleOrder,
): Promise<CandleReading> {
  const { interval, pair } = order;
  const length = CANDLE_INTERVALS[interval];
  const stretch = wholeCandles(order, interval);
  const { candles, candleParams } = exchange;
  return readPages<CandlePage>({
    ...{ venue: exchange.id, interval, stretch },
    pages: candles === undefined ? [stretch] : pagesOf(stretch, candles * length),
    read: async (page) => {
      const count = candles === undefined ? undefined : (page.to - page.from) / length;
      const args = [interval, page.from, count, candleParams?.(page) ?? {}];
      const call = callOf(parts, exchange, { pair, method: 'fetchOHLCV', args });
      return read(parts, { call, schema: Candles, order });
    },
  });
}

interface CcxtOrder<T> {
  readonly call: CcxtCall;
  readonly schema: z.ZodType<T>;
  readonly order: Pick<MarketOrder, 'pair' | 'deadline' | 'signal'>;
}

async function read<T>(
  { reader, thread }: CcxtParts,
  { call, schema, order }: CcxtOrder<T>,
): Promise<Reading<T>> {
  const { venue: upstream } = call;
  const address = pathIn(upstream, await thread.addressOf(call));
  if ('fault' in address) {
    return { ok: false, fault: faultOf(address.fault, { upstream, detail: address.why }) };
  }
  const { pair, deadline, signal } = order;
  const request = { upstream, path: address.value, deadline, signal };
  return reader.read(request, async (answer) => {
    const made = await thread.parse(call, answer, schema);
    const isUnknown = 'fault' in made && made.fault === 'unknown_symbol';
    return isUnknown ? { fault: made.fault, why: `${upstream} has no pair ${pair}.` } : made;
  });
}

/** Returns the path at the upstream. URLs of other hosts are never requested. */
function pathIn(upstream: CcxtCall['venue'], address: Parsed<string>): Parsed<string> {
  if ('fault' in address) return address;
  const { baseUrl } = UPSTREAMS[upstream];
  if (address.value.startsWith(`${baseUrl}/`))
    return { value: address.value.slice(baseUrl.length) };
  return { fault: 'ssrf_blocked', why: 'The exchange code requested a different host.' };
}

interface Asked {
  readonly pair: string;
  readonly method: CcxtCall['method'];
  readonly args?: readonly unknown[];
}

function callOf(
  { clock }: CcxtParts,
  exchange: CcxtExchange,
  { pair, method, args = [] }: Asked,
): CcxtCall {
  const names = namesOf(pair);
  const { base, quote } = names;
  const market = {
    ...{ id: exchange.marketId(names), symbol: pair, base, quote, baseId: base, quoteId: quote },
    ...{ type: 'spot', spot: true, contract: false, active: true },
  };
  return { venue: exchange.id, market, method, args: [pair, ...args], now: clock.now() };
}
