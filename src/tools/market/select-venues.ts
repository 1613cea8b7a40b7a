import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { EXCHANGE_LIST_TEXT } from '../../domain/market/exchanges.ts';
import type { MarketVenue } from '../../domain/market/markets.ts';

/** Schema of a trading pair. */
export const PairName = z
  .string()
  .regex(/^[A-Z0-9]{2,10}\/[A-Z0-9]{2,10}$/)
  .describe('Base and quote currency, such as BTC/USD. A stablecoin is not a dollar.');

/** Selects the first venue that answers. */
export const AUTO = 'auto';

/** Schema of an exchange choice for candles. */
export const VenueChoice = z
  .string()
  .max(20)
  .default(AUTO)
  .describe(
    `An exchange (${EXCHANGE_LIST_TEXT}), or auto: the first of the default ones that answers.`,
  );

/**
 * Returns the venues that quote in the currency of a pair, in order.
 *
 * @param named - Venues to consider; if empty, all except those that callers must name.
 * @throws {AppError} `INPUT_INVALID` if no venue does.
 */
export function selectVenues(
  pair: string,
  venues: readonly MarketVenue[],
  named: readonly string[],
): readonly string[] {
  const [, currency = ''] = pair.split('/');
  const unknown = named.find((name) => !venues.some(({ id }) => id === name));
  if (unknown !== undefined) {
    throw new AppError('INPUT_INVALID', {
      message: '`venue` is not a known exchange.',
      data: { path: 'venue', received: unknown, allowed: venues.map(({ id }) => id) },
    });
  }
  const asked = venues.filter(({ id, isNamedOnly = false }) =>
    named.length === 0 ? !isNamedOnly : named.includes(id),
  );
  const able = asked.filter(({ quotes }) => quotes.includes(currency)).map(({ id }) => id);
  if (able.length > 0) return able;
  throw new AppError('INPUT_INVALID', {
    message: `No selected exchange quotes in ${currency}.`,
    data: {
      path: 'pair',
      received: pair,
      allowed: [...new Set(asked.flatMap(({ quotes }) => quotes))],
    },
  });
}
