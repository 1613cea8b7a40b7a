import { errorOfFault } from '../../domain/alert/source-error.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { medianOf } from '../../domain/common/decimal.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { MarketQuotes } from '../../domain/market/market-quotes.ts';
import type { PriceOrder, PricePoint, PriceSource } from '../../domain/market/price-source.ts';
import { agedOut, type Quote, withoutOutliers } from '../../domain/market/reference.ts';
import { sharedQuotes } from '../data/shared-answers.ts';
import { PRICE_VENUES } from './venues.ts';

/** Maximum age of a price in the median, in milliseconds. */
export const REFERENCE_AGE_MS = MINUTE_MS;

const REFERENCE = 'reference';
const ANSWER_MS = 8 * SECOND_MS;

/** The dependencies of the price source. */
export interface ExchangePricesParts {
  readonly quotes: MarketQuotes;
  readonly clock: Pick<Clock, 'now'>;
}

type Told = Quote & { readonly source: SourceFacts };

/**
 * Creates a price source from public exchange tickers, without a key. Concurrent callers of the
 * same price share one request.
 */
export function exchangePrices({ quotes, clock }: ExchangePricesParts): PriceSource {
  const shared = { quotes: sharedQuotes(quotes, clock), clock };
  return {
    price: async (order) => {
      if (order.venue !== REFERENCE) {
        const told = await read(shared, order);
        return pointOf(order, told.last, [told]);
      }
      const asked = venuesOf(order.pair).map(({ id }) => read(shared, { ...order, venue: id }));
      return reference(order, await Promise.allSettled(asked), clock.now());
    },
  };
}

async function read({ quotes, clock }: ExchangePricesParts, order: PriceOrder): Promise<Told> {
  const { pair, venue } = order;
  if (!venuesOf(pair).some(({ id }) => id === venue)) throw unknownPair(order);
  const reading = await quotes.quote({ pair, venue, deadline: clock.now() + ANSWER_MS });
  if (reading.ok) return { ...reading.value, source: reading.source };
  throw reading.fault.code === 'unknown_symbol' ? unknownPair(order) : errorOfFault(reading.fault);
}

/** A price is as old as its oldest quote. */
function pointOf({ pair, venue }: PriceOrder, value: string, used: readonly Told[]): PricePoint {
  return {
    ...{ pair, venue, value },
    asOf: Math.min(...used.map(({ asOf }) => asOf)),
    asOfKind: used.every(({ asOfKind }) => asOfKind === 'received') ? 'received' : 'upstream_event',
    sources: used.map((one) => one.venue),
    read: used.map(({ source }) => source),
  };
}

/** Returns the median of fresh prices without outliers. */
function reference(
  order: PriceOrder,
  settled: readonly PromiseSettledResult<Told>[],
  now: number,
): PricePoint {
  const told = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (told.length === 0) throw whyNone(order, settled);
  const fresh = told.filter((one) => agedOut(one, now, REFERENCE_AGE_MS) === undefined);
  const { used } = withoutOutliers(fresh.length > 0 ? fresh : told);
  if (used.length === 0) throw disagreeing(order, told);
  const middle = medianOf(used.map(({ last }) => last));
  return pointOf(order, middle, used);
}

/** A pair counts as unknown only if every venue was reachable. */
function whyNone(order: PriceOrder, settled: readonly PromiseSettledResult<Told>[]): AppError {
  const errors = settled.flatMap((one) =>
    one.status === 'rejected' ? [toAppError(one.reason)] : [],
  );
  return errors.find(({ code }) => code !== 'INPUT_INVALID') ?? unknownPair(order);
}

function disagreeing({ pair }: PriceOrder, told: readonly Told[]): AppError {
  const prices = told.map(({ venue, last }) => `${venue} ${last}`);
  return new AppError('EGRESS_FAILED', {
    message: `The venues disagree on ${pair}: ${prices.join(', ')}.`,
    data: { pair, prices },
  });
}

function venuesOf(pair: string) {
  const [, quote = ''] = pair.split('/');
  return PRICE_VENUES.filter(({ quotes }) => quotes.includes(quote));
}

function unknownPair({ pair, venue }: PriceOrder): AppError {
  const quotes = PRICE_VENUES.find(({ id }) => id === venue)?.quotes;
  return new AppError('INPUT_INVALID', {
    message: `${venue} has no price for ${pair}.`,
    data: {
      path: 'subject.pair',
      received: pair,
      allowed: quotes === undefined ? 'a pair of the venues' : `quotes ${quotes.join(', ')}`,
    },
  });
}
