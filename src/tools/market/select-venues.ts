import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { filterByQuote, type VenueFacts } from '../../domain/market/venue/venue.ts';
import { MARKET_VENUES } from '../../domain/market/venue/venues.ts';

/** Schema of a trading pair. */
export const PairName = z
  .string()
  .regex(/^[A-Z0-9]{2,10}\/[A-Z0-9]{2,10}$/)
  .describe('Base/quote, such as BTC/USD. A stablecoin is not a dollar.');

/** Selects the first venue that answers. */
const AUTO = 'auto';

/** Schema of an exchange choice for candles. */
export const VenueChoice = z
  .string()
  .max(20)
  .default(AUTO)
  .describe('An exchange, such as kraken. Default: auto.');

/**
 * Returns the venues whose candles are read for a {@link VenueChoice}, in order.
 *
 * @throws {AppError} `INPUT_INVALID` if no venue quotes in the currency of the pair.
 */
export function selectCandleVenues({
  pair,
  venue,
}: {
  readonly pair: string;
  readonly venue: string;
}): readonly string[] {
  return selectVenues(pair, MARKET_VENUES, venue === AUTO ? [] : [venue]);
}

/**
 * Returns the venues that quote in the currency of a pair, in order.
 *
 * @param named - Venues to consider; if empty, all except those that callers must name.
 * @throws {AppError} `INPUT_INVALID` if no venue does.
 */
export function selectVenues(
  pair: string,
  venues: readonly VenueFacts[],
  named: readonly string[],
): readonly string[] {
  const unknown = named.find((name) => !venues.some(({ id }) => id === name));
  if (unknown !== undefined) {
    throw new AppError('INPUT_INVALID', {
      message: `${JSON.stringify(unknown)} is not a known exchange; see \`data.allowed\`.`,
      data: { path: 'venue', received: unknown, allowed: venues.map(({ id }) => id) },
    });
  }
  const asked = venues.filter(({ id, isNamedOnly }) =>
    named.length === 0 ? !isNamedOnly : named.includes(id),
  );
  const able = filterByQuote(asked, pair).map(({ id }) => id);
  if (able.length > 0) return able;
  const [, currency = ''] = pair.split('/');
  throw new AppError('INPUT_INVALID', {
    message: `No selected exchange quotes in ${currency}.`,
    data: {
      path: 'pair',
      received: pair,
      allowed: [...new Set(asked.flatMap(({ quotes }) => quotes))],
    },
  });
}
