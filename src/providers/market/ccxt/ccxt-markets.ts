import type { z } from 'zod';
import type { Clock } from '../../../domain/common/clock.ts';
import { createDataFailure } from '../../../domain/data/data-failure.ts';
import type { SourceReading } from '../../../domain/data/upstreams.ts';
import { CANDLE_INTERVALS, roundToCandles } from '../../../domain/market/candles.ts';
import type { MarketQuotes, QuoteQuery } from '../../../domain/market/market-quotes.ts';
import type {
  CandleQuery,
  CandleReading,
  MarketBooks,
  MarketCandles,
  MarketQuery,
} from '../../../domain/market/markets.ts';
import type { Parsed, UpstreamReader } from '../../data/upstream-reader.ts';
import { UPSTREAMS } from '../../data/upstreams.ts';
import { createVenueReader, readCandlePages, resolveTime, splitPair } from '../market-reading.ts';
import { splitIntoPages } from '../market-venue.ts';
import { Book, Candles, Ticker } from './ccxt-answers.ts';
import { type CandlePage, CCXT_EXCHANGES, type CcxtExchange } from './ccxt-exchanges.ts';
import type { CcxtCall, CcxtThread } from './ccxt-thread.ts';

/** The dependencies of the `ccxt` markets. */
export interface CcxtDeps {
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
export function createCcxtMarkets(parts: CcxtDeps): MarketQuotes & MarketBooks & MarketCandles {
  const at = createVenueReader(CCXT_EXCHANGES);
  return {
    venues: CCXT_EXCHANGES.map(({ id, quotes }) => ({ id, quotes, isNamedOnly: true })),
    quote: at((exchange, order: QuoteQuery) => readQuote(parts, exchange, order)),
    book: at((exchange, order: MarketQuery) => readBook(parts, exchange, order)),
    candles: at((exchange, order: CandleQuery) => readCandles(parts, exchange, order)),
  };
}

async function readQuote(parts: CcxtDeps, exchange: CcxtExchange, order: QuoteQuery) {
  const call = createCall(parts, exchange, { pair: order.pair, method: 'fetchTicker' });
  // A ticker of another pair is invalid.
  const ticker = Ticker.refine(({ symbol }) => symbol === order.pair);
  const reading = await read(parts, { call, schema: ticker, order });
  if (!reading.ok) return reading;
  const { at, last, bid, ask, volume } = reading.value;
  const time = resolveTime(exchange.hasOtherTime === true ? null : at, reading.source);
  return { ...reading, value: { venue: exchange.id, last, bid, ask, volume, ...time } };
}

async function readBook(parts: CcxtDeps, exchange: CcxtExchange, order: MarketQuery) {
  const methodCall = {
    pair: order.pair,
    method: 'fetchOrderBook',
    args: [exchange.levels],
  } as const;
  const call = createCall(parts, exchange, methodCall);
  const reading = await read(parts, { call, schema: Book, order });
  if (!reading.ok) return reading;
  const { at, bids, asks } = reading.value;
  return {
    ...reading,
    value: { venue: exchange.id, bids, asks, ...resolveTime(at, reading.source) },
  };
}

async function readCandles(
  parts: CcxtDeps,
  exchange: CcxtExchange,
  order: CandleQuery,
): Promise<CandleReading> {
  const { interval, pair } = order;
  const length = CANDLE_INTERVALS[interval];
  const stretch = roundToCandles(order, interval);
  const { candles, candleParams } = exchange;
  return readCandlePages<CandlePage>({
    venue: exchange.id,
    interval,
    range: stretch,
    pages: candles === undefined ? [stretch] : splitIntoPages(stretch, candles * length),
    read: async (page) => {
      const count = candles === undefined ? undefined : (page.to - page.from) / length;
      const args = [interval, page.from, count, candleParams?.(page) ?? {}];
      const call = createCall(parts, exchange, { pair, method: 'fetchOHLCV', args });
      return read(parts, { call, schema: Candles, order });
    },
  });
}

interface CcxtOrder<T> {
  readonly call: CcxtCall;
  readonly schema: z.ZodType<T>;
  readonly order: Pick<MarketQuery, 'pair' | 'deadline' | 'signal'>;
}

async function read<T>(
  { reader, thread }: CcxtDeps,
  { call, schema, order }: CcxtOrder<T>,
): Promise<SourceReading<T>> {
  const { venue: upstream } = call;
  const address = pathAtUpstream(upstream, await thread.findUrl(call));
  if ('fault' in address) {
    return {
      ok: false,
      fault: createDataFailure(address.fault, { upstream, detail: address.why }),
    };
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
function pathAtUpstream(upstream: CcxtCall['venue'], address: Parsed<string>): Parsed<string> {
  if ('fault' in address) return address;
  const { baseUrl } = UPSTREAMS[upstream];
  if (address.value.startsWith(`${baseUrl}/`))
    return { value: address.value.slice(baseUrl.length) };
  return { fault: 'ssrf_blocked', why: 'The exchange code requested a different host.' };
}

interface MethodCall {
  readonly pair: string;
  readonly method: CcxtCall['method'];
  readonly args?: readonly unknown[];
}

function createCall(
  { clock }: CcxtDeps,
  exchange: CcxtExchange,
  { pair, method, args = [] }: MethodCall,
): CcxtCall {
  const names = splitPair(pair);
  const { base, quote } = names;
  const market = {
    id: exchange.marketId(names),
    symbol: pair,
    base,
    quote,
    baseId: base,
    quoteId: quote,
    type: 'spot',
    spot: true,
    contract: false,
    active: true,
  };
  return { venue: exchange.id, market, method, args: [pair, ...args], now: clock.now() };
}
