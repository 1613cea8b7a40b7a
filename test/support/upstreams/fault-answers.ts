import type { UpstreamFault } from './fault-dial.ts';

/** The code of each fault in an answer, and whether the same call may go well later. */
export const FAULT_ANSWERS: Readonly<Record<UpstreamFault, readonly [string, boolean]>> = {
  rate_limit: ['rate_limited', true],
  forbidden_page: ['blocked_by_upstream', false],
  unavailable_for_legal_reasons: ['geo_blocked', false],
  server_error: ['upstream_unavailable', true],
  hang: ['upstream_timeout', true],
  reset: ['upstream_unavailable', true],
  truncated: ['upstream_bad_payload', true],
  html_for_json: ['upstream_bad_payload', true],
  wrong_schema: ['upstream_bad_payload', true],
  huge: ['too_large', false],
  gzip_bomb: ['too_large', false],
  slow_drip: ['upstream_timeout', true],
  redirect_loop: ['too_many_redirects', false],
  redirect_to_private: ['ssrf_blocked', false],
  stale: ['stale_data', true],
  skewed_clock: ['stale_data', true],
};
