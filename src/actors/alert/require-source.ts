import type { AlertSubject } from '../../domain/alert/subject.ts';
import { AppError } from '../../domain/common/error.ts';
import { filterByQuote } from '../../domain/market/venue/venue.ts';
import { MARKET_VENUES } from '../../domain/market/venue/venues.ts';
import type { Services } from '../common/services.ts';

/**
 * Throws before payment if no source can watch a subject.
 *
 * @throws {AppError} `INPUT_INVALID` for an unknown exchange or domain, or a quote currency that
 *   the exchange does not support
 */
export function assertSourceAvailable(
  { feeds }: Pick<Services, 'feeds'>,
  subject: AlertSubject,
): void {
  switch (subject.kind) {
    case 'candles':
      assertVenues(subject.pair, { path: 'subject.venue', names: [subject.venue] });
      return;
    case 'spread': {
      const names = subject.between.map(({ venue }) => venue);
      assertVenues(subject.pair, { path: 'subject.between', names });
      return;
    }
    case 'news': {
      const known = feeds.feeds.map(({ domain }) => domain);
      const received = subject.domains.filter((domain) => !known.includes(domain));
      if (received.length > 0) {
        throw invalidInputError('Unknown news domain.', {
          path: 'subject.domains',
          received,
          allowed: known,
        });
      }
      return;
    }
    case 'price':
    case 'event':
  }
}

function assertVenues(
  pair: string,
  { path, names }: { readonly path: string; readonly names: readonly string[] },
): void {
  const unknown = names.filter((name) => !MARKET_VENUES.some(({ id }) => id === name));
  if (unknown.length > 0) {
    const allowed = MARKET_VENUES.map(({ id }) => id);
    throw invalidInputError('Unknown exchange.', { path, received: unknown, allowed });
  }
  const able = filterByQuote(MARKET_VENUES, pair).map(({ id }) => id);
  const received = names.filter((name) => !able.includes(name));
  if (received.length === 0) return;
  const [, quote = ''] = pair.split('/');
  throw invalidInputError(`These exchanges do not quote in ${quote}.`, {
    path,
    received,
    allowed: able,
  });
}

function invalidInputError(message: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('INPUT_INVALID', { message, data });
}
