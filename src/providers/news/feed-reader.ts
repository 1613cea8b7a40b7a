import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import {
  createDataFailure,
  type DataFailure,
  type FailureCode,
  failureCodeForStatus,
  toDataFailure,
} from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { EgressPort, EgressResponse } from '../../domain/net/egress.ts';
import type { Feed, FeedContent } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import {
  type AnswerCache,
  type CachedAnswer,
  CircuitBreaker,
  createAnswerCache,
  HostRateLimiter,
  parseRetryAfterMs,
  revalidationHeaders,
} from '../data/upstream-state.ts';
import { FEEDS } from './feed-list.ts';
import { FeedParser } from './feed-parser.ts';

/** Most bytes of a feed. */
export const FEED_BYTES_MAX = 4_000_000;
/** Timeout of one feed request, in milliseconds. */
export const FEED_MS = 8 * SECOND_MS;
/** How long a feed is cached, in milliseconds. */
export const FEED_CACHE_MS = 2 * MINUTE_MS;
/** Minimum interval between two requests to one host, in milliseconds. */
export const FEED_INTERVAL_MS = SECOND_MS;

const ACCEPTED = 'application/rss+xml, application/atom+xml, application/feed+json, text/xml';
const LICENSE = 'Terms of the publisher; headline and summary as published in the feed';

/** The dependencies of the feed reader. */
export interface FeedReaderDeps {
  readonly egress: EgressPort;
  readonly clock: Clock;
  /** Feeds that replace the curated ones, for tests. */
  readonly feeds?: readonly Feed[];
  /** Timeout of one request in milliseconds, for tests. */
  readonly answerMs?: number;
}

/**
 * Creates the feed reader. It sends one request per host at a time, revalidates its cache and does
 * not retry.
 */
export function createFeedReader({ feeds = FEEDS, ...parts }: FeedReaderDeps): FeedReader {
  const cache = createAnswerCache();
  const parser = new FeedParser(parts.clock);
  // Only curated feeds are read, so the number of hosts is bounded.
  const hosts = new Map<string, HostState>();
  const hostOf = (feed: Feed): HostState => {
    const { host } = new URL(feed.feedUrl);
    const pace = { intervalMs: FEED_INTERVAL_MS, concurrency: 1 };
    const known = hosts.get(host) ?? {
      rateLimiter: new HostRateLimiter(parts.clock, pace),
      circuit: new CircuitBreaker(),
    };
    hosts.set(host, known);
    return known;
  };
  return {
    feeds,
    read: (feed, deadline) => {
      const errand = { ...parts, cache, parser, feed, deadline, host: hostOf(feed) };
      return readFeed(errand);
    },
  };
}

interface HostState {
  readonly rateLimiter: HostRateLimiter;
  readonly circuit: CircuitBreaker;
}

interface ReadContext extends Omit<FeedReaderDeps, 'feeds'> {
  readonly cache: AnswerCache;
  readonly parser: FeedParser;
  readonly feed: Feed;
  readonly deadline: number;
  readonly host: HostState;
}

async function readFeed(errand: ReadContext): Promise<SourceReading<FeedContent>> {
  const { cache, clock, feed, host } = errand;
  const kept = cache.get(feed.feedUrl);
  if (kept !== undefined && kept.until > clock.now()) return parseAnswer(errand, kept, true);
  const restMs = host.circuit.acquire(clock.now());
  if (restMs > 0) {
    const detail = `Circuit breaker open for ${feed.domain} after repeated failures.`;
    return failedReading(feed, 'upstream_unavailable', detail, restMs);
  }
  const outcome = await sendRequest(errand, kept);
  if ('unsent' in outcome) {
    host.circuit.release();
    return { ok: false, fault: outcome.unsent };
  }
  host.circuit.recordOutcome(
    'fault' in outcome && UPSTREAM_FAILURES.has(outcome.fault.code),
    clock.now(),
  );
  if ('fault' in outcome) return { ok: false, fault: outcome.fault };
  const reading = await parseAnswer(errand, outcome.answer, outcome.isKept);
  if (reading.ok) cache.set(feed.feedUrl, outcome.answer);
  else cache.delete(feed.feedUrl);
  return reading;
}

const UPSTREAM_FAILURES: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'upstream_unavailable',
  'upstream_timeout',
]);

type RequestOutcome =
  /** No request was sent. */
  | { readonly unsent: DataFailure }
  | { readonly fault: DataFailure }
  | { readonly answer: CachedAnswer; readonly isKept: boolean };

async function sendRequest(
  errand: ReadContext,
  kept: CachedAnswer | undefined,
): Promise<RequestOutcome> {
  const { clock, deadline, egress, feed, host, answerMs = FEED_MS } = errand;
  const leave = await host.rateLimiter.acquire(deadline);
  if (leave === undefined) return { unsent: rateLimitFault(feed, host) };
  try {
    const response = await egress.fetch({
      url: feed.feedUrl,
      method: 'GET',
      headers: { accept: ACCEPTED, ...revalidationHeaders(kept) },
      maxBytes: FEED_BYTES_MAX,
      totalTimeoutMs: Math.max(1, Math.min(answerMs, deadline - clock.now())),
      redirectsMax: 5,
    });
    return interpretResponse(errand, response, kept);
  } catch (thrown) {
    return { fault: toDataFailure(feed.domain, thrown) };
  } finally {
    leave();
  }
}

function rateLimitFault({ domain }: Feed, { rateLimiter }: HostState): DataFailure {
  const heldMs = rateLimiter.blockedMs();
  if (heldMs > 0) {
    const detail = `${domain} has paused requests with Retry-After.`;
    return createDataFailure('rate_limited', { upstream: domain, detail, retryAfterMs: heldMs });
  }
  const detail = `The rate limit for ${domain} cannot be met before the deadline.`;
  return createDataFailure('deadline_exceeded', { upstream: domain, detail });
}

function interpretResponse(
  { clock, feed, host }: ReadContext,
  response: EgressResponse,
  kept?: CachedAnswer,
): RequestOutcome {
  const { status, headers, body } = response;
  const now = clock.now();
  const until = now + FEED_CACHE_MS;
  if (status === 304 && kept !== undefined) {
    const source = { ...kept.source, revalidated_at: toIsoTime(now) };
    return { answer: { ...kept, source, until }, isKept: true };
  }
  const code = failureCodeForStatus(status);
  if (code !== undefined) {
    const waitMs = parseRetryAfterMs(headers['retry-after'], now);
    if (waitMs !== undefined) host.rateLimiter.blockUntil(now + waitMs);
    const facts = { upstream: feed.domain, detail: `HTTP ${status}`, retryAfterMs: waitMs };
    return { fault: createDataFailure(code, facts) };
  }
  const source = {
    upstream: feed.domain,
    url: response.finalUrl,
    http_status: status,
    from_cache: false,
    retrieved_at: toIsoTime(now),
    revalidated_at: null,
    sha256: createHash('sha256').update(body).digest('hex'),
    bytes: body.byteLength,
    license: LICENSE,
  };
  return { answer: { status, headers, body, source, until }, isKept: false };
}

async function parseAnswer(
  { feed, parser }: ReadContext,
  { body, headers, source }: CachedAnswer,
  isKept: boolean,
): Promise<SourceReading<FeedContent>> {
  const made = await parser.parse(decodeFeed(body, headers['content-type']), source.url);
  if ('fault' in made) return failedReading(feed, made.fault, made.why);
  return { ok: true, value: made.value, source: { ...source, from_cache: isKept } };
}

/** Decodes a feed by its byte order mark, the HTTP header, its XML declaration, or as UTF-8. */
function decodeFeed(body: Uint8Array, type = ''): string {
  const start = new TextDecoder('latin1').decode(body.subarray(0, 200));
  const declared =
    /charset=["']?([\w-]{1,40})/i.exec(type)?.[1] ??
    /<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/i.exec(start)?.[1];
  return new TextDecoder(encodingFromMark(body) ?? resolveEncoding(declared)).decode(body);
}

function encodingFromMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function resolveEncoding(label = 'utf-8'): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return 'utf-8';
  }
}

function failedReading(
  { domain }: Feed,
  code: FailureCode,
  detail: string,
  retryAfterMs?: number,
): SourceReading<FeedContent> {
  return { ok: false, fault: createDataFailure(code, { upstream: domain, detail, retryAfterMs }) };
}
