import { SECOND_MS } from '../../domain/common/time.ts';

/**
 * Parses a Retry-After header, in seconds or as a date.
 *
 * @returns Milliseconds from now, or `undefined` if it is missing or malformed.
 */
export function parseRetryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
