import type { Clock } from '../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { LlmReply, ModelReliability } from '../../domain/llm/llm.ts';
import type { ModelEntry } from './model-list.ts';

/** Consecutive failures after which a model is not offered. */
const FAILURES_MAX = 2;
/** How long it is not offered at first, in milliseconds. The time doubles after each failure. */
const PAUSE_MS = 30 * SECOND_MS;
const PAUSE_MS_MAX = 10 * MINUTE_MS;
/** A timeout below this says more about the timeout than about the model, in milliseconds. */
const SIGNIFICANT_TIMEOUT_MS = 10 * SECOND_MS;

interface CircuitState {
  failures: number;
  pauseMs: number;
  pausedUntil: number;
}

/**
 * Tracks models that do not answer. After repeated failures a model is not offered for a while.
 * Then it is offered again, and its next call is the probe. A failing key or address affects all
 * models that share it.
 */
export class ModelHealth {
  readonly #clock: Clock;
  readonly #circuits = new Map<string, CircuitState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  getStatus(entry: ModelEntry): ModelReliability {
    const now = this.#clock.now();
    const keys = [entry.modelId, accessKey(entry)];
    const circuits = keys.flatMap((key) => this.#circuits.get(key) ?? []);
    if (circuits.some(({ pausedUntil }) => pausedUntil > now)) return 'silent';
    return circuits.length > 0 ? 'doubtful' : 'good';
  }

  /** Records the outcome of a call. */
  recordReply(entry: ModelEntry, reply: LlmReply, timeoutMs: number): void {
    if (reply.ok) {
      this.#circuits.delete(entry.modelId);
      this.#circuits.delete(accessKey(entry));
      return;
    }
    const weight = failureWeight(reply, timeoutMs);
    if (weight === 0) return;
    const key = isAccessFailure(reply) ? accessKey(entry) : entry.modelId;
    const previous = this.#circuits.get(key) ?? { failures: 0, pauseMs: PAUSE_MS, pausedUntil: 0 };
    const failures = previous.failures + weight;
    const now = this.#clock.now();
    // Concurrent calls that failed together count as one failure.
    if (failures < FAILURES_MAX || previous.pausedUntil > now) {
      this.#circuits.set(key, { ...previous, failures });
      return;
    }
    const restMs = Math.min(previous.pauseMs * 2, PAUSE_MS_MAX);
    this.#circuits.set(key, { failures, pauseMs: restMs, pausedUntil: now + previous.pauseMs });
  }
}

type Failed = Extract<LlmReply, { ok: false }>;

/** Returns how many failures one counts as. Permanent failures reach the limit at once. */
function failureWeight(reply: Failed, timeoutMs: number): number {
  switch (reply.failure) {
    case 'refused':
    case 'aborted':
    case 'cut':
      return 0;
    case 'timeout':
      return timeoutMs < SIGNIFICANT_TIMEOUT_MS ? 0 : 1;
    case 'rate_limited':
      return reply.detail.includes('insufficient_quota') ? FAILURES_MAX : 1;
    case 'broken':
      return 1;
    case 'provider_error': {
      if (isAccessFailure(reply) || reply.status === 404) return FAILURES_MAX;
      // Other client errors concern the request, not the model.
      return reply.status === 400 || reply.status === 413 || reply.status === 422 ? 0 : 1;
    }
  }
}

/** Returns whether a failure affects all models with the same key and address. */
function isAccessFailure({ failure, status, usage }: Failed): boolean {
  if (failure !== 'provider_error') return false;
  if (status === undefined) return usage.source === 'none';
  return status === 401 || status === 402 || status === 403;
}

function accessKey({ url, keyVariable }: ModelEntry): string {
  return `${url}#${keyVariable ?? ''}`;
}
