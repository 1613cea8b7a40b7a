import type { LlmFailure } from '../llm/llm.ts';
import { codeOfStatus, type DataFault, type FaultCode, faultOf } from './fault.ts';

/** A model call that failed. `status` is the HTTP status, if the host refused with one. */
export interface FailedModel {
  readonly failure: LlmFailure;
  readonly status?: number | undefined;
}

/**
 * Creates the failure of a model that returned nothing usable. `gave` is, for example, "no
 * translation".
 */
export function modelFault(upstream: string, failed: FailedModel, gave: string): DataFault {
  const { failure, status } = failed;
  const words = status === undefined ? failure : `${failure}, HTTP ${status}`;
  return faultOf(codeOf(failed), { upstream, detail: `The model returned ${gave}: ${words}.` });
}

function codeOf({ failure, status }: FailedModel): FaultCode {
  if (failure !== 'provider_error' || status === undefined) return CODES[failure];
  if (status >= 300 && status < 400) return 'too_many_redirects';
  const code = codeOfStatus(status);
  // Any other refusal is caused by the request and would recur.
  return code === undefined || code === 'upstream_bad_payload' ? 'blocked_by_upstream' : code;
}

const CODES: Readonly<Record<LlmFailure, FaultCode>> = {
  timeout: 'upstream_timeout',
  refused: 'blocked_by_upstream',
  rate_limited: 'rate_limited',
  provider_error: 'upstream_unavailable',
  aborted: 'deadline_exceeded',
  cut: 'too_large',
  broken: 'upstream_unavailable',
};
