import type { z } from 'zod';
import type { Clock } from '../../../domain/common/clock.ts';
import { createDataFailure } from '../../../domain/data/data-failure.ts';
import type { SourceReading } from '../../../domain/data/upstreams.ts';
import { CANDLE_INTERVALS } from '../../../domain/market/candles.ts';
import type { CandleQuery, MarketQuery } from '../../../domain/market/markets.ts';
import type { CcxtVenueId } from '../../../domain/market/venue/ccxt-venues.ts';
import { type CcxtVenue, splitIntoPages, splitPair } from '../../../domain/market/venue/venue.ts';
import type { Parsed, UpstreamReader } from '../../data/upstream-reader.ts';
import { Book, Candles, Ticker } from './ccxt-answers.ts';
import type { CcxtCall, CcxtThread } from './ccxt-thread.ts';

/** The dependencies of the `ccxt` markets. */
export interface CcxtDeps {
  readonly reader: UpstreamReader;
  readonly thread: CcxtThread;
  /** Supplies the time to the exchange code. */
  readonly clock: Pick<Clock, 'now'>;
}

/** An exchange and how it is read. */
interface CcxtContext extends CcxtDeps {
  readonly venue: CcxtVenue<CcxtVenueId>;
}

/**
 * Creates the reader of an exchange through `ccxt`. The thread determines the request and parses
 * the answer. The upstream reader sends the request, and results are validated here again.
 */
export function createCcxtReader(deps: CcxtDeps, venue: CcxtVenue<CcxtVenueId>) {
  const context: CcxtContext = { ...deps, venue };
  return {
    ticker: (order: MarketQuery) => readTicker(context, order),
    book: (order: MarketQuery) => readBook(context, order),
    candlePages: (order: CandleQuery) => createPages(context, order),
  };
}

async function readTicker(context: CcxtContext, order: MarketQuery) {
  const call = createCall(context, { pair: order.pair, method: 'fetchTicker' });
  // A ticker of another pair is invalid.
  const schema = Ticker.refine(({ symbol }) => symbol === order.pair);
  const reading = await read(context, { call, schema, order });
  if (!reading.ok) return reading;
  const { at, last, bid, ask, volume } = reading.value;
  const asOf = context.venue.hasOtherTime === true ? null : at;
  return { ...reading, value: { last, bid, ask, volume, asOf } };
}

async function readBook(context: CcxtContext, order: MarketQuery) {
  const args = [context.venue.bookLevels];
  const call = createCall(context, { pair: order.pair, method: 'fetchOrderBook', args });
  const reading = await read(context, { call, schema: Book, order });
  if (!reading.ok) return reading;
  const { at: asOf, bids, asks } = reading.value;
  return { ...reading, value: { bids, asks, asOf } };
}

function createPages(context: CcxtContext, order: CandleQuery) {
  const { interval, pair, from, to } = order;
  const length = CANDLE_INTERVALS[interval];
  const { candlesMax, candleParams } = context.venue;
  const pages =
    candlesMax === undefined ? [{ from, to }] : splitIntoPages({ from, to }, candlesMax * length);
  return pages.map((page) => () => {
    const count = candlesMax === undefined ? undefined : (page.to - page.from) / length;
    const args = [interval, page.from, count, candleParams?.(page) ?? {}];
    const call = createCall(context, { pair, method: 'fetchOHLCV', args });
    return read(context, { call, schema: Candles, order });
  });
}

interface CcxtOrder<T> {
  readonly call: CcxtCall;
  readonly schema: z.ZodType<T>;
  readonly order: Pick<MarketQuery, 'pair' | 'deadline' | 'signal'>;
}

async function read<T>(
  { reader, thread, venue }: CcxtContext,
  { call, schema, order }: CcxtOrder<T>,
): Promise<SourceReading<T>> {
  const { id: upstream } = venue;
  const address = pathAtUpstream(venue, await thread.findUrl(call));
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
function pathAtUpstream({ upstream }: CcxtVenue, address: Parsed<string>): Parsed<string> {
  if ('fault' in address) return address;
  const { baseUrl } = upstream;
  if (address.value.startsWith(`${baseUrl}/`)) {
    return { value: address.value.slice(baseUrl.length) };
  }
  return { fault: 'ssrf_blocked', why: 'The exchange code requested a different host.' };
}

interface MethodCall {
  readonly pair: string;
  readonly method: CcxtCall['method'];
  readonly args?: readonly unknown[];
}

function createCall(
  { clock, venue }: CcxtContext,
  { pair, method, args = [] }: MethodCall,
): CcxtCall {
  const names = splitPair(pair);
  const market = {
    id: venue.marketId(names),
    symbol: pair,
    base: names.base,
    quote: names.quote,
    baseId: names.base,
    quoteId: names.quote,
    type: 'spot',
    spot: true,
    contract: false,
    active: true,
  };
  return { venue: venue.id, market, method, args: [pair, ...args], now: clock.now() };
}
