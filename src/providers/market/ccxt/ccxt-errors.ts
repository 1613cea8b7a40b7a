import type { FailureCode } from '../../../domain/data/data-failure.ts';

/** An error of `ccxt`: the name of its class and its message. */
export interface CcxtError {
  readonly name: string;
  readonly why: string;
}

const CODES: Readonly<Record<string, FailureCode>> = {
  BadSymbol: 'unknown_symbol',
  MarketClosed: 'market_closed',
  ContractUnavailable: 'market_closed',
  DDoSProtection: 'rate_limited',
  RateLimitExceeded: 'rate_limited',
  OnMaintenance: 'upstream_unavailable',
  RequestTimeout: 'upstream_timeout',
  RestrictedLocation: 'geo_blocked',
  AuthenticationError: 'upstream_unauthorized',
  PermissionDenied: 'upstream_unauthorized',
};

/** Messages of exchanges about an unknown pair for which `ccxt` has no error class. */
const UNKNOWN_PAIR = [
  /invalid (symbol|instrument|currency.?pair)/i,
  /(symbol|instrument|pair)\b.{0,40}(not exist|not found|not supported)/i,
  /not a valid.{0,40}symbol/i,
];

/**
 * Returns the failure code for an error of `ccxt`.
 *
 * @param status - HTTP status of the answer. `ccxt` treats every HTTP failure as an exchange that
 *   is down. One that answers with status 400 is not down.
 */
export function toFaultCode({ name, why }: CcxtError, status: number): FailureCode {
  const code = CODES[name];
  if (code !== undefined) return code;
  if (UNKNOWN_PAIR.some((words) => words.test(why))) return 'unknown_symbol';
  if (name === 'ExchangeNotAvailable' && status === 200) return 'upstream_unavailable';
  return 'upstream_bad_payload';
}
