import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList } from '../../domain/data/source.ts';
import { createDataValue, type DataValue } from '../../domain/data/value.ts';
import type { MarketQuotes } from '../../domain/market/markets.ts';
import {
  computeSpreadBps,
  computeWeightedMedian,
  type DropReason,
  findAgeProblem,
  type Quote,
  splitOutliers,
} from '../../domain/market/reference.ts';
import type { VenueQuote } from '../../domain/market/report/report.ts';

/** The requested quotes. */
export interface ExchangeOrder {
  /** Base and quote currency, such as `BTC/USD`. */
  readonly pair: string;
  readonly venues: readonly string[];
  readonly maxAgeMs: number;
  /** Deadline in milliseconds. */
  readonly deadline: number;
}

/** The reliable quotes of a pair, and the dropped ones with reasons. */
export interface ExchangeView {
  readonly used: readonly Quote[];
  readonly dropped: readonly { readonly venue: string; readonly reason: DropReason }[];
  readonly faults: readonly DataFailure[];
  /** Returns a value derived from quotes: as old as the oldest, with all their sources. */
  value(text: string, unit: string, of: readonly Quote[]): DataValue;
}

/** Reads quotes of a pair; drops stale, future-dated and outlying ones. */
export async function readExchanges(
  { pair, venues, maxAgeMs, deadline }: ExchangeOrder,
  { clock, quotes }: { readonly clock: Clock; readonly quotes: MarketQuotes },
  sources: SourceList,
): Promise<ExchangeView> {
  const readings = await Promise.all(
    venues.map((venue) => quotes.quote({ venue, pair, deadline })),
  );
  const read = readings.flatMap((one) =>
    one.ok ? [{ quote: one.value, source: sources.assignId(one.source) }] : [],
  );
  const now = clock.now();
  const chosen = dropUnreliable(
    read.map(({ quote }) => quote),
    now,
    maxAgeMs,
  );
  const failed = readings.flatMap((one) => (one.ok ? [] : [one.fault]));
  return {
    ...chosen,
    faults: [...failed, ...staleFaults(chosen.dropped, maxAgeMs)],
    value: createValueMaker({ read, now, maxAgeMs }),
  };
}

/** Returns the median of last trades, weighted by 24 h volume. Requires at least one quote. */
export function exchangePrice({ used, value }: ExchangeView, unit: string): DataValue {
  return value(computeWeightedMedian(used), unit, used);
}

/** Returns each used quote with its values. */
export function venueQuotes({ used, value }: ExchangeView, pair: string): readonly VenueQuote[] {
  const [base = '', unit = ''] = pair.split('/');
  return used.map((quote) => ({
    venue: quote.venue,
    price: value(quote.last, unit, [quote]),
    bid: value(quote.bid, unit, [quote]),
    ask: value(quote.ask, unit, [quote]),
    spread_bps: computeSpreadBps(quote),
    volume_24h: value(quote.volume, base, [quote]),
  }));
}

type QuoteChoice = Pick<ExchangeView, 'used' | 'dropped'>;

function dropUnreliable(quotes: readonly Quote[], now: number, maxAgeMs: number): QuoteChoice {
  const aged = quotes.flatMap((quote) => {
    const reason = findAgeProblem(quote, now, maxAgeMs);
    return reason === undefined ? [] : [{ venue: quote.venue, reason }];
  });
  const late = new Set(aged.map(({ venue }) => venue));
  const { used, dropped } = splitOutliers(quotes.filter(({ venue }) => !late.has(venue)));
  const far = dropped.map(({ venue }) => ({ venue, reason: 'outlier' as const }));
  return { used, dropped: [...aged, ...far] };
}

function staleFaults(dropped: QuoteChoice['dropped'], maxAgeMs: number): readonly DataFailure[] {
  return dropped.flatMap(({ venue: upstream, reason }) => {
    if (reason === 'outlier') return [];
    const old = `Older than ${maxAgeMs / SECOND_MS} s.`;
    const detail = reason === 'stale' ? old : 'Its price is dated ahead.';
    return [createDataFailure('stale_data', { upstream, detail })];
  });
}

interface QuoteContext {
  readonly read: readonly { readonly quote: Quote; readonly source: string }[];
  readonly now: number;
  readonly maxAgeMs: number;
}

function createValueMaker({ read, now, maxAgeMs }: QuoteContext): ExchangeView['value'] {
  return (value, unit, of) => {
    const venues = new Set(of.map(({ venue }) => venue));
    const sources = read.filter(({ quote }) => venues.has(quote.venue)).map(({ source }) => source);
    const isReceived = of.every(({ asOfKind }) => asOfKind === 'received');
    const asOf = Math.min(...of.map((quote) => quote.asOf));
    const asOfKind = isReceived ? 'received' : 'upstream_event';
    return createDataValue({ value, unit, asOf, asOfKind, maxAgeMs, now, sources });
  };
}
