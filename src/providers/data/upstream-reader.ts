import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import { parseJsonWithin } from '../../domain/common/json-bounds.ts';
import { pause } from '../../domain/common/pause.ts';
import type { Random } from '../../domain/common/random.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import type { DataFailure, FailureCode } from '../../domain/data/data-failure.ts';
import {
  createDataFailure,
  failureCodeForStatus,
  toDataFailure,
} from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading, Upstream } from '../../domain/data/upstreams.ts';
import type { EgressPort, EgressRequest, EgressResponse } from '../../domain/net/egress.ts';
import type { CachedAnswer } from './upstream-state.ts';
import {
  type AnswerCache,
  CircuitBreaker,
  createAnswerCache,
  HostRateLimiter,
  parseRetryAfterMs,
  revalidationHeaders,
} from './upstream-state.ts';
import type { UpstreamId } from './upstreams.ts';
import { UPSTREAMS } from './upstreams.ts';

/** Most requests for one read, the first included. */
export const TRIES_MAX = 3;
/** Most requests for one read if the answers cannot be parsed. */
const UNREADABLE_TRIES_MAX = 2;
/** Bounds of the random pause before a repeat, in milliseconds. */
export const JITTER_MS = [250, 2_000] as const;
/** Most bytes of an answer. */
export const ANSWER_BYTES_MAX = 2_000_000;
/** Timeout of one request, in milliseconds. */
export const ANSWER_MS = 8 * SECOND_MS;

/** The dependencies of the upstream reader. */
export interface UpstreamReaderDeps {
  readonly egress: EgressPort;
  readonly clock: Clock;
  readonly random: Random;
  /** Contact address of the operator. Upstreams that require one are not read without it. */
  readonly contact?: string | undefined;
  /** Base URLs that replace those of upstreams, for tests. */
  readonly baseUrls?: Partial<Record<UpstreamId, string>>;
  /** Timeout of one request in milliseconds, for tests. */
  readonly answerMs?: number;
}

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly upstream: UpstreamId;
  /** Path and query of the URL. */
  readonly path: string;
  /** Time by which the answer must arrive, repeats included, in milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Additional headers, such as a key. They are never part of a source. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A query that is sent as a JSON POST, for interfaces that accept no GET. Its redirects are not
   * followed.
   */
  readonly post?: JsonObject;
}

/** An answer whose status is not one of the common failures. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Returns the body as JSON, or `undefined` if it is not valid JSON. */
  json(): unknown;
}

/** The result of parsing an answer: a value, or a failure code with its reason. */
export type Parsed<T> =
  | { readonly value: T }
  | { readonly fault: FailureCode; readonly why: string };

/** Parses an answer, at once or in its own thread. */
export type Parse<T> = (answer: UpstreamAnswer) => Parsed<T> | Promise<Parsed<T>>;

/** A reader of upstreams that respects their rate limits. */
export interface UpstreamReader {
  /**
   * Reads one request. Retries transient failures before the deadline, within the host's rate
   * limit.
   *
   * @param parse - Receives every status except rate limits, access denials and server errors. It
   *   may be asynchronous, for example to parse a large answer in a thread.
   */
  read<T>(request: UpstreamRequest, parse: Parse<T>): Promise<SourceReading<T>>;
}

/** Creates the reader of all upstreams. It returns failures and never throws for one. */
export function createUpstreamReader(parts: UpstreamReaderDeps): UpstreamReader {
  const states = new Map<UpstreamId, UpstreamState>();
  const cache = createAnswerCache();
  const stateOf = (id: UpstreamId): UpstreamState => {
    const upstream: Upstream = UPSTREAMS[id];
    const known = states.get(id) ?? {
      id,
      upstream: { ...upstream, baseUrl: parts.baseUrls?.[id] ?? upstream.baseUrl },
      rateLimiter: new HostRateLimiter(parts.clock, upstream),
      circuit: new CircuitBreaker(),
    };
    states.set(id, known);
    return known;
  };
  return {
    read: async (request, parse) => {
      const state = stateOf(request.upstream);
      if (state.upstream.needsContact && parts.contact === undefined) {
        const detail = `${state.id} requires a contact address. Set STOA_OPERATOR_EMAIL.`;
        return {
          ok: false,
          fault: createDataFailure('not_configured', { upstream: state.id, detail }),
        };
      }
      return readWithRepeats({ ...parts, place: state, cache, request }, parse);
    },
  };
}

interface UpstreamState {
  readonly id: UpstreamId;
  readonly upstream: Upstream;
  readonly rateLimiter: HostRateLimiter;
  readonly circuit: CircuitBreaker;
}

interface ReadContext extends UpstreamReaderDeps {
  readonly place: UpstreamState;
  readonly cache: AnswerCache;
  readonly request: UpstreamRequest;
}

/**
 * Repeats a request while that may help. If a repeat is not sent, because the circuit is open or
 * the rate limit is exhausted, the upstream's earlier failure is returned.
 */
async function readWithRepeats<T>(errand: ReadContext, parse: Parse<T>): Promise<SourceReading<T>> {
  const { clock, random, request } = errand;
  let upstreamFault: DataFailure | undefined;
  for (let tries = 1; ; tries += 1) {
    const { isSent, ...reading } = await readOnce(errand, parse);
    if (reading.ok) return reading;
    if (!isSent && upstreamFault !== undefined)
      return failedReading(addWait(upstreamFault, reading.fault));
    if (!canRepeat(reading.fault, tries)) return reading;
    upstreamFault = isSent ? reading.fault : upstreamFault;
    const waitMs = Math.max(drawJitterMs(random), (reading.fault.retry_after_s ?? 0) * SECOND_MS);
    if (clock.now() + waitMs >= request.deadline) return reading;
    await pause(clock, waitMs, request.signal);
    if (request.signal?.aborted === true) return reading;
  }
}

/** Returns the upstream's failure. If it names no wait, our own wait is added. */
function addWait(said: DataFailure, { retry_after_s: oursS }: DataFailure): DataFailure {
  if (said.retry_after_s !== undefined || oursS === undefined) return said;
  return { ...said, retry_after_s: oursS };
}

function canRepeat({ code, retryable }: DataFailure, tries: number): boolean {
  if (!retryable || code === 'deadline_exceeded') return false;
  return tries < (code === 'upstream_bad_payload' ? UNREADABLE_TRIES_MAX : TRIES_MAX);
}

/** Spreads repeats, so that callers who failed together do not retry together. */
function drawJitterMs(random: Random): number {
  const [least, most] = JITTER_MS;
  const [drawn = 0] = random.bytes(1);
  return least + ((most - least) * drawn) / 255;
}

/** A reading, and whether a request was sent for it, now or earlier. */
type ReadAttempt<T> = SourceReading<T> & { readonly isSent: boolean };

async function readOnce<T>(errand: ReadContext, parse: Parse<T>): Promise<ReadAttempt<T>> {
  const { cache, clock, place, request } = errand;
  const url = `${place.upstream.baseUrl}${request.path}`;
  const name = cacheKey(url, request);
  const kept = cache.get(name);
  if (kept !== undefined && kept.until > clock.now()) {
    return { ...(await parseAnswer(errand, kept, parse, true)), isSent: true };
  }
  const restMs = place.circuit.acquire(clock.now());
  if (restMs > 0) {
    const facts = {
      upstream: place.id,
      detail: `Circuit breaker open for ${place.id} after repeated failures.`,
    };
    const fault = createDataFailure('upstream_unavailable', { ...facts, retryAfterMs: restMs });
    return { ok: false, fault, isSent: false };
  }
  const outcome = await sendRequest(errand, url, kept);
  if ('unsent' in outcome) {
    place.circuit.release();
    return { ok: false, fault: outcome.unsent, isSent: false };
  }
  place.circuit.recordOutcome('fault' in outcome && isUpstreamFailure(outcome.fault), clock.now());
  if ('fault' in outcome) return { ok: false, fault: outcome.fault, isSent: true };
  const reading = await parseAnswer(errand, outcome.answer, parse, outcome.isKept);
  // An answer that cannot be parsed is not returned to the next caller.
  if (reading.ok) cache.set(name, outcome.answer);
  else cache.delete(name);
  return { ...reading, isSent: true };
}

type RequestOutcome =
  /** No request was sent. */
  | { readonly unsent: DataFailure }
  | { readonly fault: DataFailure }
  | { readonly answer: CachedAnswer; readonly isKept: boolean };

async function sendRequest(
  errand: ReadContext,
  url: string,
  kept: CachedAnswer | undefined,
): Promise<RequestOutcome> {
  const { clock, egress, place, request, contact } = errand;
  const answerMs = errand.answerMs ?? place.upstream.answerMs ?? ANSWER_MS;
  const leave = await place.rateLimiter.acquire(request.deadline, request.signal);
  if (leave === undefined) return { unsent: rateLimitFault(place) };
  try {
    const response = await egress.fetch({
      url,
      ...methodAndBody(request),
      headers: {
        accept: 'application/json',
        ...(request.post === undefined
          ? revalidationHeaders(kept)
          : { 'content-type': 'application/json' }),
        ...request.headers,
        ...(contact?.includes('@') === true ? { from: contact } : {}),
      },
      maxBytes: place.upstream.bytesMax ?? ANSWER_BYTES_MAX,
      totalTimeoutMs: Math.max(1, Math.min(answerMs, request.deadline - clock.now())),
      redirectsMax: place.upstream.redirectsMax ?? 0,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    return interpretResponse(errand, response, kept);
  } catch (thrown) {
    return { fault: toDataFailure(place.id, thrown) };
  } finally {
    leave();
  }
}

/** Returns the cache key of a request: one URL answers each posted query differently. */
function cacheKey(url: string, { post }: UpstreamRequest): string {
  return post === undefined ? url : `${url} ${canonicalJson(post)}`;
}

function methodAndBody({ post }: UpstreamRequest): Pick<EgressRequest, 'method' | 'body'> {
  if (post === undefined) return { method: 'GET' };
  return { method: 'POST', body: new TextEncoder().encode(JSON.stringify(post)) };
}

function rateLimitFault({ id, rateLimiter }: UpstreamState): DataFailure {
  const heldMs = rateLimiter.blockedMs();
  if (heldMs > 0) {
    const detail = `${id} has paused requests with Retry-After.`;
    return createDataFailure('rate_limited', { upstream: id, detail, retryAfterMs: heldMs });
  }
  const detail = `The rate limit for ${id} cannot be met before the deadline.`;
  return createDataFailure('deadline_exceeded', { upstream: id, detail });
}

function interpretResponse(
  { clock, place }: ReadContext,
  response: EgressResponse,
  kept?: CachedAnswer,
): RequestOutcome {
  const { status, headers, body } = response;
  const now = clock.now();
  const until = now + place.upstream.keptMs;
  if (status === 304 && kept !== undefined) {
    const source = { ...kept.source, revalidated_at: toIsoTime(now) };
    return { answer: { ...kept, source, until }, isKept: true };
  }
  const code = failureCodeForStatus(status);
  // Adapters describe what an upstream does not have: a pair, a token or a page.
  if (code !== undefined && !ADAPTER_FAULTS.has(code)) {
    const facts = { upstream: place.id, detail: `HTTP ${status}` };
    const waitMs = parseRetryAfterMs(headers['retry-after'], now);
    if (waitMs !== undefined) place.rateLimiter.blockUntil(now + waitMs);
    return { fault: createDataFailure(code, { ...facts, retryAfterMs: waitMs }) };
  }
  const source: UnnumberedSource = {
    upstream: place.id,
    // A file's address after a redirect is often valid for minutes only.
    url: response.redirects[0] ?? response.finalUrl,
    retrieved_at: toIsoTime(now),
    revalidated_at: null,
    sha256: createHash('sha256').update(body).digest('hex'),
    bytes: body.byteLength,
    http_status: status,
    from_cache: false,
    license: place.upstream.license,
  };
  return { answer: { status, headers, body, source, until }, isKept: false };
}

const ADAPTER_FAULTS: ReadonlySet<FailureCode> = new Set(['not_found', 'upstream_bad_payload']);

async function parseAnswer<T>(
  { place }: ReadContext,
  { status, body, source }: CachedAnswer,
  parse: Parse<T>,
  isKept: boolean,
): Promise<SourceReading<T>> {
  const made = await parse({ status, body, json: () => parseJson(body) });
  if ('value' in made) {
    return { ok: true, value: made.value, source: { ...source, from_cache: isKept } };
  }
  return failedReading(createDataFailure(made.fault, { upstream: place.id, detail: made.why }));
}

/** Returns whether a failure is the upstream's own. An unknown pair is not. */
function isUpstreamFailure({ code }: DataFailure): boolean {
  return UPSTREAM_FAILURES.has(code);
}

const UPSTREAM_FAILURES: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'upstream_unavailable',
  'upstream_timeout',
]);

function parseJson(body: Uint8Array): unknown {
  return parseJsonWithin(new TextDecoder().decode(body));
}

function failedReading<T>(fault: DataFailure): SourceReading<T> {
  return { ok: false, fault };
}
