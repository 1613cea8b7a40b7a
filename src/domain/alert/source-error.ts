import { AppError, type ErrorCode } from '../common/error.ts';
import type { DataFailure } from '../data/data-failure.ts';

/** Converts a source failure to an application error that carries the failure in its data. */
export function failureToAppError(fault: DataFailure): AppError {
  const { upstream, code, detail } = fault;
  const message = `${upstream}: ${detail}`;
  const received = { path: 'subject', received: upstream, allowed: detail };
  const known = ERROR_CODES[code];
  if (known === 'INPUT_INVALID') return new AppError(known, { message, data: received });
  const kind = FAILURE_KINDS[code] ?? 'upstream';
  return new AppError(known ?? 'EGRESS_FAILED', { message, data: { kind, fault } });
}

const ERROR_CODES: Partial<Record<DataFailure['code'], ErrorCode>> = {
  invalid_input: 'INPUT_INVALID',
  unknown_symbol: 'INPUT_INVALID',
  not_configured: 'NOT_CONFIGURED',
  upstream_timeout: 'EGRESS_TIMEOUT',
  deadline_exceeded: 'EGRESS_TIMEOUT',
  ssrf_blocked: 'EGRESS_BLOCKED',
  too_large: 'EGRESS_TOO_LARGE',
  geo_blocked: 'EGRESS_REFUSED',
  blocked_by_upstream: 'EGRESS_REFUSED',
  robots_disallowed: 'EGRESS_REFUSED',
  upstream_unauthorized: 'EGRESS_REFUSED',
  upstream_gone: 'EGRESS_REFUSED',
  not_found: 'EGRESS_REFUSED',
  unsupported_media_type: 'EGRESS_REFUSED',
  too_many_redirects: 'EGRESS_REFUSED',
  too_deep: 'EGRESS_REFUSED',
};

const FAILURE_KINDS: Partial<Record<DataFailure['code'], string>> = {
  upstream_bad_payload: 'payload',
  too_deep: 'payload',
  market_closed: 'closed',
  stale_data: 'no_data',
};
