import type { Clock } from '../../domain/common/clock.ts';
import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList } from '../../domain/data/source.ts';
import { createDataValue, type DataValue } from '../../domain/data/value.ts';
import { type ArbitrageFill, computeNetBps, walkBooks } from '../../domain/market/arbitrage.ts';
import type { MarketBooks } from '../../domain/market/markets.ts';
import type { OrderBook } from '../../domain/market/order-book.ts';
import { findAgeProblem } from '../../domain/market/reference.ts';
import type { ArbitrageReport } from '../../domain/market/report/arbitrage-report.ts';
import { FEE_TABLE_SOURCE, findVenue } from '../../domain/market/venue/venues.ts';

/** Maximum directions in one answer. */
export const OPPORTUNITIES_MAX = 30;
/** Maximum age of an order book, in milliseconds. */
export const BOOK_AGE_MS = 15 * SECOND_MS;

/** The order books to compare, and the order size. */
export interface BooksOrder {
  readonly pair: string;
  readonly venues: readonly string[];
  /** Amount to spend, in the quote currency, as a decimal. */
  readonly size_quote: string;
  /** Taker fees in basis points, by venue. */
  readonly fee_bps: Readonly<Record<string, string>>;
  readonly max_skew_ms: number;
  /** Deadline in milliseconds. */
  readonly deadline: number;
}

/** Reads order books and compares each pair of venues; `null` with fewer than two usable books. */
export async function compareBooks(
  input: BooksOrder,
  { clock, markets }: { readonly clock: Clock; readonly markets: MarketBooks },
  sources: SourceList,
): Promise<{ readonly report: ArbitrageReport | null; readonly faults: readonly DataFailure[] }> {
  const { pair, venues, deadline } = input;
  const readings = await Promise.all(
    venues.map((venue) => markets.book({ venue, pair, deadline })),
  );
  const now = clock.now();
  const faults: DataFailure[] = [];
  const read: SourcedBook[] = [];
  for (const reading of readings) {
    if (!reading.ok) faults.push(reading.fault);
    else if (findAgeProblem(reading.value, now, BOOK_AGE_MS) === undefined) {
      read.push({ book: reading.value, source: sources.assignId(reading.source) });
    } else {
      const detail = 'The order book is older than 15 s, or dated ahead of this server’s clock.';
      faults.push(createDataFailure('stale_data', { upstream: reading.value.venue, detail }));
    }
  }
  return { report: read.length < 2 ? null : reportOf(input, read, now), faults };
}

interface SourcedBook {
  readonly book: OrderBook;
  readonly source: string;
}

function reportOf(input: BooksOrder, read: readonly SourcedBook[], now: number): ArbitrageReport {
  const [base = '', quote = ''] = input.pair.split('/');
  const make = (value: string, unit: string, of: readonly SourcedBook[]): DataValue => {
    const asOf = Math.min(...of.map(({ book }) => book.asOf));
    const isReceived = of.every(({ book }) => book.asOfKind === 'received');
    const asOfKind = isReceived ? 'received' : 'upstream_event';
    const time = { asOf, asOfKind, maxAgeMs: BOOK_AGE_MS, now } as const;
    return createDataValue({ value, unit, ...time, sources: of.map(({ source }) => source) });
  };
  const rejected: ArbitrageReport['rejected'] = [];
  const opportunities: ArbitrageReport['opportunities'] = [];
  for (const buy of read) {
    for (const sell of read) {
      if (buy === sell) continue;
      const venues = { buy_venue: buy.book.venue, sell_venue: sell.book.venue };
      const skewMs = Math.abs(buy.book.asOf - sell.book.asOf);
      const crossing = walkBooks(buy.book, sell.book, input.size_quote);
      if (skewMs > input.max_skew_ms || crossing === undefined) {
        const reason = crossing === undefined ? 'no fillable volume' : `${skewMs} ms apart`;
        rejected.push({ ...venues, reason });
        continue;
      }
      opportunities.push({
        ...venues,
        entry_ask: make(crossing.entry, quote, [buy]),
        exit_bid: make(crossing.exit, quote, [sell]),
        fillable_size: make(crossing.base, base, [buy, sell]),
        ...netMembers(input, crossing, venues),
        skew_ms: skewMs,
        withdrawal: 'unknown',
        caveats: listCaveats(buy.book, sell.book, crossing),
      });
    }
  }
  opportunities.sort((one, other) => {
    const rank = (row: typeof one) => parseDecimal(row.net_spread_bps ?? row.gross_spread_bps);
    return rank(one) > rank(other) ? -1 : 1;
  });
  return {
    pair: input.pair,
    size_quote: input.size_quote,
    venues: read.map((one) => ({
      venue: one.book.venue,
      best_bid: make(one.book.bids[0]?.price ?? '', quote, [one]),
      best_ask: make(one.book.asks[0]?.price ?? '', quote, [one]),
      taker_fee: takerFee(input, one.book.venue),
    })),
    opportunities: opportunities.slice(0, OPPORTUNITIES_MAX),
    rejected,
    max_skew_ms: input.max_skew_ms,
  };
}

function netMembers(
  input: BooksOrder,
  crossing: ArbitrageFill,
  { buy_venue: buyer, sell_venue: seller }: { buy_venue: string; sell_venue: string },
) {
  const [buy, sell] = [takerFee(input, buyer), takerFee(input, seller)];
  const net =
    buy === null || sell === null
      ? null
      : computeNetBps(crossing, { buy: buy.bps, sell: sell.bps });
  const gross = parseDecimal(crossing.grossBps);
  return {
    gross_spread_bps: crossing.grossBps,
    fees_bps: net === null ? null : formatDecimal(gross - parseDecimal(net)),
    net_spread_bps: net,
    is_profitable: net === null ? null : parseDecimal(net) > 0n,
    is_whole_size: crossing.isComplete,
    book_depth_used: { asks: crossing.asksUsed, bids: crossing.bidsUsed },
  };
}

function takerFee({ fee_bps: own }: BooksOrder, venue: string) {
  const given = own[venue];
  if (given !== undefined) return { bps: given, from: 'caller' };
  const listed = findVenue(venue)?.takerFeeBps;
  return listed === undefined ? null : { bps: listed, from: FEE_TABLE_SOURCE };
}

function listCaveats(buy: OrderBook, sell: OrderBook, { isComplete }: ArbitrageFill): string[] {
  const isReceived = [buy, sell].some(({ asOfKind }) => asOfKind === 'received');
  return [
    'Whether and when the coins can be withdrawn and deposited is unknown.',
    ...(isReceived ? ['One venue gives no timestamp; its book is dated by its arrival.'] : []),
    ...(isComplete ? [] : ['The order books do not cover the whole size.']),
  ];
}
