import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../domain/common/clock.ts';
import { AppError, errorBody } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { Principal } from '../../../domain/tool/tool.ts';
import { isLoopback, networkOf } from '../../http/address.ts';
import type { HttpReply } from '../../http/host.ts';
import { errorJson, RPC, type RpcId } from '../json-rpc.ts';
import type { FrontLimits } from '../limits.ts';
import { TokenBuckets } from './token-buckets.ts';

/** A request over its rate limit. It had no effect and is not charged. */
export interface RateLimitRejection {
  readonly limit: 'requests' | 'sessions' | 'tool_calls';
  readonly retryAfterS: number;
}

/** Body bytes that cost about as much as one request. */
const BODY_BYTES_OF_REQUEST = 65_536;
/** Addresses whose kind is cached. */
const LOCAL_CACHE_MAX = 1_024;

/**
 * Rate limits of the front, per principal. For local callers only the total limits apply, unless
 * configured otherwise.
 */
export class RateLimiter {
  private readonly clock: Clock;
  private readonly limitsLocal: boolean;
  private readonly requests: TokenBuckets;
  private readonly sessions: TokenBuckets;
  private readonly toolCalls: TokenBuckets;
  private readonly local = new LRUCache<string, boolean>({ max: LOCAL_CACHE_MAX });

  constructor(clock: Clock, limits: FrontLimits) {
    this.clock = clock;
    this.limitsLocal = limits.limitsLocalCallers;
    const buckets = (rate: FrontLimits['requestRate']) =>
      new TokenBuckets(rate, limits.rateBucketsMax);
    this.requests = buckets(limits.requestRate);
    this.sessions = buckets(limits.sessionRate);
    this.toolCalls = buckets(limits.toolCallRate);
  }

  /** Counts a JSON-RPC request. */
  countRequest(principal: Principal): RateLimitRejection | undefined {
    if (this.isExempt(principal)) return undefined;
    return this.take('requests', this.requests, networkOf(principal.id));
  }

  /** Counts a body before it is parsed: one more request per full 64 KiB. */
  countBody(principal: Principal, bytes: number): RateLimitRejection | undefined {
    const count = Math.floor(bytes / BODY_BYTES_OF_REQUEST);
    if (count === 0 || this.isExempt(principal)) return undefined;
    return this.take('requests', this.requests, networkOf(principal.id), count);
  }

  /** Counts a new session. */
  countSession(principal: Principal): RateLimitRejection | undefined {
    if (this.isExempt(principal)) return undefined;
    return this.take('sessions', this.sessions, networkOf(principal.id));
  }

  /** Counts a call of a free tool that accesses external systems. */
  countToolCall(principal: Principal, tool: string): RateLimitRejection | undefined {
    if (this.isExempt(principal)) return undefined;
    return this.take('tool_calls', this.toolCalls, `${networkOf(principal.id)} ${tool}`);
  }

  private take(
    limit: RateLimitRejection['limit'],
    buckets: TokenBuckets,
    key: string,
    count = 1,
  ): RateLimitRejection | undefined {
    const waitMs = buckets.take(key, this.clock.now(), count);
    return waitMs === 0 ? undefined : { limit, retryAfterS: Math.ceil(waitMs / SECOND_MS) };
  }

  private isExempt({ kind, id }: Principal): boolean {
    if (this.limitsLocal) return false;
    if (kind === 'local') return true;
    return kind === 'address' && this.isLocal(id);
  }

  private isLocal(address: string): boolean {
    const known = this.local.get(address);
    if (known !== undefined) return known;
    const isLocal = isLoopback(address);
    this.local.set(address, isLocal);
    return isLocal;
  }
}

/** Builds the JSON-RPC error for a rejected request. */
export function rateError({ limit, retryAfterS }: RateLimitRejection) {
  const { error, message, retry, doc } = errorBody(new AppError('RATE_LIMITED'));
  const data = { error, message, retry, doc, retry_after_s: retryAfterS, limit };
  return { code: RPC.REFUSED, message: `Rate limited: try again in ${retryAfterS} s`, data };
}

/** Builds the error as a JSON-RPC response. */
export function rateErrorJson(id: RpcId | null, refusal: RateLimitRejection): string {
  const { code, message, data } = rateError(refusal);
  return errorJson(id, code, message, data);
}

/** Builds the error as an HTTP reply. */
export function rateReply(id: RpcId | null, refusal: RateLimitRejection): HttpReply {
  const headers = ['content-type', 'application/json', ...retryAfterHeader(refusal)];
  return { status: 429, headers, body: rateErrorJson(id, refusal) };
}

/** Returns the `Retry-After` header. */
export function retryAfterHeader({ retryAfterS }: RateLimitRejection): readonly string[] {
  return ['retry-after', String(retryAfterS)];
}
