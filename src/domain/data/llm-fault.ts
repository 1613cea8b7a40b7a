import type { LlmFailure } from '../ports/llm.ts';
import type { FaultCode } from './fault.ts';

/** The fault of a model that gave nothing, by how it failed. */
export const LLM_FAULTS: Readonly<Record<LlmFailure, FaultCode>> = {
  timeout: 'upstream_timeout',
  refused: 'blocked_by_upstream',
  rate_limited: 'rate_limited',
  provider_error: 'upstream_unavailable',
  aborted: 'deadline_exceeded',
  cut: 'too_large',
};
