import type { LlmFailure } from '../llm/llm.ts';
import {
  createDataFailure,
  type DataFailure,
  type FailureCode,
  failureCodeForStatus,
} from './data-failure.ts';

/** A model call that failed. `status` is the HTTP status, if the host refused with one. */
export interface ModelFailure {
  readonly failure: LlmFailure;
  readonly status?: number | undefined;
}

/**
 * Creates the failure of a model that returned nothing usable. `gave` is, for example, "no
 * translation".
 */
export function createModelFailure(
  upstream: string,
  failed: ModelFailure,
  missing: string,
): DataFailure {
  const { failure, status } = failed;
  const reason = status === undefined ? failure : `${failure}, HTTP ${status}`;
  return createDataFailure(failureCodeForModel(failed), {
    upstream,
    detail: `The model returned ${missing}: ${reason}.`,
  });
}

function failureCodeForModel({ failure, status }: ModelFailure): FailureCode {
  if (failure !== 'provider_error' || status === undefined) return FAILURE_CODES[failure];
  if (status >= 300 && status < 400) return 'too_many_redirects';
  const code = failureCodeForStatus(status);
  // Any other refusal is caused by the request and would recur.
  return code === undefined || code === 'upstream_bad_payload' ? 'blocked_by_upstream' : code;
}

const FAILURE_CODES: Readonly<Record<LlmFailure, FailureCode>> = {
  timeout: 'upstream_timeout',
  refused: 'blocked_by_upstream',
  rate_limited: 'rate_limited',
  provider_error: 'upstream_unavailable',
  aborted: 'deadline_exceeded',
  cut: 'too_large',
  broken: 'upstream_unavailable',
};
