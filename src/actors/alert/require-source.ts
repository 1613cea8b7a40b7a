import type { AlertSubject } from '../../domain/alert/subject.ts';
import { AppError } from '../../domain/common/error.ts';
import type { AlertSources } from './reading.ts';

/**
 * Throws before payment if no source can watch a subject.
 *
 * @throws {AppError} `INPUT_INVALID` for an unknown exchange or domain, or a quote currency that
 *   the exchange does not support
 */
export function assertSourceAvailable(
  { markets, feeds }: Pick<AlertSources, 'markets' | 'feeds'>,
  subject: AlertSubject,
): void {
  switch (subject.kind) {
    case 'candles':
      assertVenues(markets, subject.pair, { path: 'subject.venue', names: [subject.venue] });
      return;
    case 'spread': {
      const names = subject.between.map(({ venue }) => venue);
      assertVenues(markets, subject.pair, { path: 'subject.between', names });
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
  { venues }: AlertSources['markets'],
  pair: string,
  { path, names }: { readonly path: string; readonly names: readonly string[] },
): void {
  const [, quote = ''] = pair.split('/');
  const unknown = names.filter((name) => !venues.some(({ id }) => id === name));
  if (unknown.length > 0) {
    const allowed = venues.map(({ id }) => id);
    throw invalidInputError('Unknown exchange.', { path, received: unknown, allowed });
  }
  const able = venues.filter(({ quotes }) => quotes.includes(quote)).map(({ id }) => id);
  const received = names.filter((name) => !able.includes(name));
  if (received.length === 0) return;
  throw invalidInputError(`These exchanges do not quote in ${quote}.`, {
    path,
    received,
    allowed: able,
  });
}

function invalidInputError(message: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('INPUT_INVALID', { message, data });
}
