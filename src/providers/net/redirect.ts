import { AppError } from '../../domain/common/error.ts';
import { type AddressRules, blockedError } from './address-rules.ts';
import type { RequestProgress } from './egress-error.ts';
import type { Hop } from './hop.ts';

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Returns the URL of a redirect, checked like the first URL, or `undefined` for a final answer.
 *
 * @throws {AppError} `EGRESS_BLOCKED`
 */
export function redirectTarget(
  rules: AddressRules,
  hop: Pick<Hop, 'status' | 'headers'>,
  url: URL,
): URL | undefined {
  const location = hop.headers['location'];
  if (!REDIRECT_STATUSES.includes(hop.status) || location === undefined) return undefined;
  const next = rules.check(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:') throw blockedError('downgrade', next);
  return next;
}

/**
 * Rejects redirect loops and more redirects than allowed.
 *
 * @throws {AppError} `EGRESS_FAILED` of kind `redirects`
 */
export function checkRedirect(next: URL, trip: RequestProgress, max: number): void {
  const isLoop = next.href === trip.url || trip.redirects.includes(next.href);
  if (!isLoop && trip.redirects.length < max) return;
  throw new AppError('EGRESS_FAILED', {
    message: isLoop ? 'The redirects form a loop.' : 'There are too many redirects.',
    data: { kind: 'redirects', code: isLoop ? 'LOOP' : 'TOO_MANY', redirectsMax: max },
  });
}
