import { failureToAppError } from '../../domain/alert/source-error.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { computeMedian } from '../../domain/common/decimal.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { MarketQuotes } from '../../domain/market/markets.ts';
import type { PricePoint, PriceQuery, PriceSource } from '../../domain/market/price-source.ts';
import { findAgeProblem, type Quote, splitOutliers } from '../../domain/market/reference.ts';
import { filterByQuote } from '../../domain/market/venue/venue.ts';
import { ADAPTER_VENUES } from '../../domain/market/venue/venues.ts';
import { shareQuotes } from '../data/shared-answers.ts';

/** Maximum age of a price in the median, in milliseconds. */
export const REFERENCE_AGE_MS = MINUTE_MS;

const REFERENCE = 'reference';
const ANSWER_MS = 8 * SECOND_MS;

/** The dependencies of the price source. */
export interface ExchangePricesDeps {
  readonly quotes: MarketQuotes;
  readonly clock: Pick<Clock, 'now'>;
}

type SourcedQuote = Quote & { readonly source: UnnumberedSource };

/**
 * Creates a price source from public exchange tickers, without a key. Concurrent callers of the
 * same price share one request.
 */
export function createExchangePrices({ quotes, clock }: ExchangePricesDeps): PriceSource {
  const shared = { quotes: shareQuotes(quotes, clock), clock };
  return {
    price: async (order) => {
      if (order.venue !== REFERENCE) {
        const sourced = await readQuote(shared, order);
        return toPricePoint(order, sourced.last, [sourced]);
      }
      const pendingQuotes = findVenues(order.pair).map(({ id }) =>
        readQuote(shared, { ...order, venue: id }),
      );
      return computeReference(order, await Promise.allSettled(pendingQuotes), clock.now());
    },
  };
}

async function readQuote(
  { quotes, clock }: ExchangePricesDeps,
  order: PriceQuery,
): Promise<SourcedQuote> {
  const { pair, venue } = order;
  if (!findVenues(pair).some(({ id }) => id === venue)) throw unknownPairError(order);
  const reading = await quotes.quote({ pair, venue, deadline: clock.now() + ANSWER_MS });
  if (reading.ok) return { ...reading.value, source: reading.source };
  throw reading.fault.code === 'unknown_symbol'
    ? unknownPairError(order)
    : failureToAppError(reading.fault);
}

/** A price is as old as its oldest quote. */
function toPricePoint(
  { pair, venue }: PriceQuery,
  value: string,
  used: readonly SourcedQuote[],
): PricePoint {
  return {
    pair,
    venue,
    value,
    asOf: Math.min(...used.map(({ asOf }) => asOf)),
    asOfKind: used.every(({ asOfKind }) => asOfKind === 'received') ? 'received' : 'upstream_event',
    sources: used.map((one) => one.venue),
    read: used.map(({ source }) => source),
  };
}

/** Returns the median of fresh prices without outliers. */
function computeReference(
  order: PriceQuery,
  settled: readonly PromiseSettledResult<SourcedQuote>[],
  now: number,
): PricePoint {
  const sourcedQuotes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (sourcedQuotes.length === 0) throw noQuoteError(order, settled);
  const fresh = sourcedQuotes.filter(
    (one) => findAgeProblem(one, now, REFERENCE_AGE_MS) === undefined,
  );
  const { used } = splitOutliers(fresh.length > 0 ? fresh : sourcedQuotes);
  if (used.length === 0) throw disagreementError(order, sourcedQuotes);
  const middle = computeMedian(used.map(({ last }) => last));
  return toPricePoint(order, middle, used);
}

/** A pair counts as unknown only if every venue was reachable. */
function noQuoteError(
  order: PriceQuery,
  settled: readonly PromiseSettledResult<SourcedQuote>[],
): AppError {
  const errors = settled.flatMap((one) =>
    one.status === 'rejected' ? [toAppError(one.reason)] : [],
  );
  return errors.find(({ code }) => code !== 'INPUT_INVALID') ?? unknownPairError(order);
}

function disagreementError({ pair }: PriceQuery, told: readonly SourcedQuote[]): AppError {
  const prices = told.map(({ venue, last }) => `${venue} ${last}`);
  return new AppError('EGRESS_FAILED', {
    message: `The venues disagree on ${pair}: ${prices.join(', ')}.`,
    data: { pair, prices },
  });
}

function findVenues(pair: string) {
  return filterByQuote(ADAPTER_VENUES, pair);
}

function unknownPairError({ pair, venue }: PriceQuery): AppError {
  const quotes = ADAPTER_VENUES.find(({ id }) => id === venue)?.quotes;
  return new AppError('INPUT_INVALID', {
    message: `${venue} has no price for ${pair}.`,
    data: {
      path: 'subject.pair',
      received: pair,
      allowed: quotes === undefined ? 'a pair of the venues' : `quotes ${quotes.join(', ')}`,
    },
  });
}
