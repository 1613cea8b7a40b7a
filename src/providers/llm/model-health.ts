import type { Clock } from '../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { LlmReply, ModelStanding } from '../../domain/llm/llm.ts';
import type { ModelEntry } from './model-list.ts';

/** Consecutive failures after which a model is not offered. */
const FAILURES_MAX = 2;
/** How long it is not offered at first, in milliseconds. The time doubles after each failure. */
const REST_MS = 30 * SECOND_MS;
const REST_MS_MAX = 10 * MINUTE_MS;
/** A timeout below this says more about the timeout than about the model, in milliseconds. */
const TELLING_MS = 10 * SECOND_MS;

interface Circuit {
  failures: number;
  restMs: number;
  restsUntil: number;
}

/**
 * Tracks models that do not answer. After repeated failures a model is not offered for a while.
 * Then it is offered again, and its next call is the probe. A failing key or address affects all
 * models that share it.
 */
export class ModelHealth {
  readonly #clock: Clock;
  readonly #circuits = new Map<string, Circuit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  standingOf(entry: ModelEntry): ModelStanding {
    const now = this.#clock.now();
    const keys = [entry.modelId, accessOf(entry)];
    const circuits = keys.flatMap((key) => this.#circuits.get(key) ?? []);
    if (circuits.some(({ restsUntil }) => restsUntil > now)) return 'silent';
    return circuits.length > 0 ? 'doubtful' : 'good';
  }

  /** Records the outcome of a call. */
  note(entry: ModelEntry, reply: LlmReply, timeoutMs: number): void {
    if (reply.ok) {
      this.#circuits.delete(entry.modelId);
      this.#circuits.delete(accessOf(entry));
      return;
    }
    const weight = weightOf(reply, timeoutMs);
    if (weight === 0) return;
    const key = isOfAccess(reply) ? accessOf(entry) : entry.modelId;
    const before = this.#circuits.get(key) ?? { failures: 0, restMs: REST_MS, restsUntil: 0 };
    const failures = before.failures + weight;
    const now = this.#clock.now();
    // Concurrent calls that failed together count as one failure.
    if (failures < FAILURES_MAX || before.restsUntil > now) {
      this.#circuits.set(key, { ...before, failures });
      return;
    }
    const restMs = Math.min(before.restMs * 2, REST_MS_MAX);
    this.#circuits.set(key, { failures, restMs, restsUntil: now + before.restMs });
  }
}

type Failed = Extract<LlmReply, { ok: false }>;

/** Returns how many failures one counts as. Permanent failures reach the limit at once. */
function weightOf(reply: Failed, timeoutMs: number): number {
  switch (reply.failure) {
    case 'refused':
    case 'aborted':
    case 'cut':
      return 0;
    case 'timeout':
      return timeoutMs < TELLING_MS ? 0 : 1;
    case 'rate_limited':
      return reply.detail.includes('insufficient_quota') ? FAILURES_MAX : 1;
    case 'broken':
      return 1;
    case 'provider_error': {
      if (isOfAccess(reply) || reply.status === 404) return FAILURES_MAX;
      // Other client errors concern the request, not the model.
      return reply.status === 400 || reply.status === 413 || reply.status === 422 ? 0 : 1;
    }
  }
}

/** Returns whether a failure affects all models with the same key and address. */
function isOfAccess({ failure, status, usage }: Failed): boolean {
  if (failure !== 'provider_error') return false;
  if (status === undefined) return usage.source === 'none';
  return status === 401 || status === 402 || status === 403;
}

function accessOf({ url, keyVariable }: ModelEntry): string {
  return `${url}#${keyVariable ?? ''}`;
}
