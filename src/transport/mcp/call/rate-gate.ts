import type { Clock } from '../../../domain/common/clock.ts';
import { AppError, errorBody } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { Principal } from '../../../domain/tool/tool.ts';
import { isLoopback, networkOf } from '../../http/address.ts';
import type { HttpReply } from '../../http/host.ts';
import { errorJson, RPC, type RpcId } from '../json-rpc.ts';
import type { FrontLimits } from '../limits.ts';
import { TokenBuckets } from './token-buckets.ts';

/** A request that came too soon. Nothing was done for it, and nothing is charged. */
export interface RateRefusal {
  readonly limit: 'requests' | 'sessions' | 'tool_calls';
  readonly retryAfterS: number;
}

/** Bytes of a body that cost about as much as a request. */
const BODY_BYTES_OF_REQUEST = 65_536;
/** Addresses whose kind is remembered. */
const LOCAL_KEPT_MAX = 1_024;

/**
 * Rates of the front, for each principal. Callers on this machine are bounded by the totals alone,
 * unless the limits say otherwise.
 */
export class RateGate {
  private readonly clock: Clock;
  private readonly limitsLocal: boolean;
  private readonly requests: TokenBuckets;
  private readonly sessions: TokenBuckets;
  private readonly toolCalls: TokenBuckets;
  private readonly local = new Map<string, boolean>();

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
  request(principal: Principal): RateRefusal | undefined {
    if (this.isFree(principal)) return undefined;
    return this.take('requests', this.requests, networkOf(principal.id));
  }

  /** Counts a body that is about to be read: one request more for each full 64 KiB. */
  body(principal: Principal, bytes: number): RateRefusal | undefined {
    const count = Math.floor(bytes / BODY_BYTES_OF_REQUEST);
    if (count === 0 || this.isFree(principal)) return undefined;
    return this.take('requests', this.requests, networkOf(principal.id), count);
  }

  /** Counts the beginning of a session. */
  session(principal: Principal): RateRefusal | undefined {
    if (this.isFree(principal)) return undefined;
    return this.take('sessions', this.sessions, networkOf(principal.id));
  }

  /** Counts a call of a free tool that does work outside. */
  toolCall(principal: Principal, tool: string): RateRefusal | undefined {
    if (this.isFree(principal)) return undefined;
    return this.take('tool_calls', this.toolCalls, `${networkOf(principal.id)} ${tool}`);
  }

  private take(
    limit: RateRefusal['limit'],
    buckets: TokenBuckets,
    key: string,
    count = 1,
  ): RateRefusal | undefined {
    const waitMs = buckets.take(key, this.clock.now(), count);
    return waitMs === 0 ? undefined : { limit, retryAfterS: Math.ceil(waitMs / SECOND_MS) };
  }

  private isFree({ kind, id }: Principal): boolean {
    if (this.limitsLocal) return false;
    if (kind === 'local') return true;
    return kind === 'address' && this.isLocal(id);
  }

  private isLocal(address: string): boolean {
    const known = this.local.get(address);
    if (known !== undefined) return known;
    if (this.local.size >= LOCAL_KEPT_MAX) this.local.clear();
    const isLocal = isLoopback(address);
    this.local.set(address, isLocal);
    return isLocal;
  }
}

/** The error that a refused request is answered with. */
export function rateError({ limit, retryAfterS }: RateRefusal) {
  const { error, message, retry, doc } = errorBody(new AppError('RATE_LIMITED'));
  const data = { error, message, retry, doc, retry_after_s: retryAfterS, limit };
  return { code: RPC.REFUSED, message: `Rate limited: try again in ${retryAfterS} s`, data };
}

/** The same as a JSON-RPC response. */
export function rateErrorJson(id: RpcId | null, refusal: RateRefusal): string {
  const { code, message, data } = rateError(refusal);
  return errorJson(id, code, message, data);
}

/** The same as an answer of HTTP. */
export function rateReply(id: RpcId | null, refusal: RateRefusal): HttpReply {
  const headers = ['content-type', 'application/json', ...retryAfter(refusal)];
  return { status: 429, headers, body: rateErrorJson(id, refusal) };
}

/** The header that says when to come back. */
export function retryAfter({ retryAfterS }: RateRefusal): readonly string[] {
  return ['retry-after', String(retryAfterS)];
}
