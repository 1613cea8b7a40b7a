import { formatDecimal, medianOf, parseDecimal } from '../../domain/decimal.ts';
import { AppError, toAppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { EgressPort, EgressResponse } from '../../domain/ports/egress.ts';
import type { PriceOrder, PricePoint, PriceSource } from '../../domain/ports/price-source.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { PRICE_VENUES, type Ticker, type Venue } from './venues.ts';

/** How long a price that was just read is given again, in milliseconds. */
export const PRICE_KEPT_MS = 5 * SECOND_MS;
/** Prices that are kept at the most. */
export const PRICES_KEPT_MAX = 1_000;
/** A median leaves out prices that are older than this, in milliseconds. */
export const REFERENCE_AGE_MS = MINUTE_MS;
/** A median leaves out prices further off than this many median deviations. */
export const OUTLIER_DEVIATIONS = 5n;

const REFERENCE = 'reference';
const ANSWER_BYTES_MAX = 65_536;
const ANSWER_MS = 8 * SECOND_MS;

/** What prices are read through. */
export interface ExchangePricesParts {
  readonly egress: EgressPort;
  readonly clock: Clock;
  /** Other addresses of venues, by id. */
  readonly baseUrls?: Readonly<Record<string, string>>;
}

/**
 * Prices from the public tickers of exchanges, without a key. Callers who ask for the same price at
 * about the same time share one request.
 */
export function exchangePrices(parts: ExchangePricesParts): PriceSource {
  const { clock } = parts;
  const kept = new Map<string, { readonly until: number; readonly point: Promise<PricePoint> }>();
  const once = (order: PriceOrder): Promise<PricePoint> => {
    const key = `${order.venue} ${order.pair}`;
    const known = kept.get(key);
    if (known !== undefined && known.until > clock.now()) return known.point;
    const point = read(parts, order);
    kept.delete(key);
    kept.set(key, { until: clock.now() + PRICE_KEPT_MS, point });
    // A failure is asked again at once by the next caller.
    point.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > PRICES_KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return point;
  };
  return {
    price: async (order) => {
      if (order.venue !== REFERENCE) return once(order);
      const asked = venuesOf(order.pair).map(({ id }) => once({ ...order, venue: id }));
      return reference(order, await Promise.allSettled(asked), clock.now());
    },
  };
}

async function read(parts: ExchangePricesParts, order: PriceOrder): Promise<PricePoint> {
  const { pair, venue: id } = order;
  const venue = venuesOf(pair).find((one) => one.id === id);
  if (venue === undefined) throw unknownPair(order);
  const [base = '', quote = ''] = pair.split('/');
  const url = `${parts.baseUrls?.[id] ?? venue.baseUrl}${venue.path(base, quote)}`;
  const answer = await parts.egress.fetch({
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    maxBytes: ANSWER_BYTES_MAX,
    totalTimeoutMs: ANSWER_MS,
    redirectsMax: 0,
  });
  const ticker = tickerOf(venue, answer, order);
  return {
    pair,
    venue: id,
    value: formatDecimal(parseDecimal(ticker.value)),
    asOf: ticker.asOf ?? parts.clock.now(),
    asOfKind: ticker.asOf === null ? 'received' : 'upstream_event',
    sources: [id],
  };
}

function tickerOf(venue: Venue, { status, body }: EgressResponse, order: PriceOrder): Ticker {
  const ticker = venue.read(status, jsonOf(body));
  if (ticker === 'unknown_symbol') throw unknownPair(order);
  if (ticker === 'closed') {
    throw new AppError('EGRESS_FAILED', {
      message: `${venue.id} does not trade ${order.pair} now.`,
      data: { kind: 'closed', venue: venue.id },
    });
  }
  if (ticker !== undefined) return ticker;
  const kind = status === 200 ? 'payload' : 'status';
  throw new AppError('EGRESS_FAILED', {
    message: `${venue.id} gave no price of ${order.pair} (HTTP ${status}).`,
    data: { kind, venue: venue.id, status },
  });
}

/** The median of what is fresh and no outlier. It is as old as its oldest part. */
function reference(
  order: PriceOrder,
  settled: readonly PromiseSettledResult<PricePoint>[],
  now: number,
): PricePoint {
  const points = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (points.length === 0) throw whyNone(order, settled);
  const fresh = points.filter(({ asOf }) => now - asOf <= REFERENCE_AGE_MS);
  const used = withoutOutliers(fresh.length > 0 ? fresh : points);
  return {
    pair: order.pair,
    venue: REFERENCE,
    value: medianOf(used.map(({ value }) => value)),
    asOf: Math.min(...used.map(({ asOf }) => asOf)),
    asOfKind: used.every(({ asOfKind }) => asOfKind === 'received') ? 'received' : 'upstream_event',
    sources: used.map(({ venue }) => venue),
  };
}

/** That a pair is unknown is said only where no venue is out of reach. */
function whyNone(
  order: PriceOrder,
  settled: readonly PromiseSettledResult<PricePoint>[],
): AppError {
  const errors = settled.flatMap((one) =>
    one.status === 'rejected' ? [toAppError(one.reason)] : [],
  );
  return errors.find(({ code }) => code !== 'INPUT_INVALID') ?? unknownPair(order);
}

function withoutOutliers(points: readonly PricePoint[]): readonly PricePoint[] {
  const middle = parseDecimal(medianOf(points.map(({ value }) => value)));
  const distance = ({ value }: PricePoint): bigint => {
    const off = parseDecimal(value) - middle;
    return off < 0n ? -off : off;
  };
  const usual = parseDecimal(medianOf(points.map((point) => formatDecimal(distance(point)))));
  if (usual === 0n) return points;
  return points.filter((point) => distance(point) <= usual * OUTLIER_DEVIATIONS);
}

function venuesOf(pair: string): readonly Venue[] {
  const [, quote = ''] = pair.split('/');
  return PRICE_VENUES.filter(({ quotes }) => quotes.includes(quote));
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function unknownPair({ pair, venue }: PriceOrder): AppError {
  const quotes = PRICE_VENUES.find(({ id }) => id === venue)?.quotes;
  return new AppError('INPUT_INVALID', {
    message: `${venue} has no price of ${pair}.`,
    data: {
      path: 'subject.pair',
      received: pair,
      allowed: quotes === undefined ? 'a pair of these venues' : `quotes ${quotes.join(', ')}`,
    },
  });
}
