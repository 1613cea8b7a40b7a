import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import {
  codeOfStatus,
  type DataFault,
  type FaultCode,
  faultOf,
  faultOfThrown,
} from '../../domain/data/fault.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { instantText } from '../../domain/data/value.ts';
import type { EgressPort, EgressResponse } from '../../domain/net/egress.ts';
import type { Feed, ReadFeed } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { AnswerCache, type KeptAnswer } from '../data/answer-cache.ts';
import { Circuit } from '../data/circuit.ts';
import { HostPace } from '../data/host-pace.ts';
import { retryAfterMs } from '../data/retry-after.ts';
import { FEEDS } from './feed-list.ts';
import { FeedParser } from './feed-parser.ts';

/** Most bytes of a feed. */
export const FEED_BYTES_MAX = 4_000_000;
/** Timeout of one feed request, in milliseconds. */
export const FEED_MS = 8 * SECOND_MS;
/** How long a feed is cached, in milliseconds. */
export const FEED_KEPT_MS = 2 * MINUTE_MS;
/** Minimum interval between two requests to one host, in milliseconds. */
export const FEED_INTERVAL_MS = SECOND_MS;

const ACCEPTED = 'application/rss+xml, application/atom+xml, application/feed+json, text/xml';
const LICENSE = 'Terms of the publisher; headline and summary as published in the feed';

/** The dependencies of the feed reader. */
export interface FeedParts {
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
export function createFeedReader({ feeds = FEEDS, ...parts }: FeedParts): FeedReader {
  const cache = new AnswerCache();
  const parser = new FeedParser(parts.clock);
  // Only curated feeds are read, so the number of hosts is bounded.
  const hosts = new Map<string, Host>();
  const hostOf = (feed: Feed): Host => {
    const { host } = new URL(feed.feedUrl);
    const pace = { intervalMs: FEED_INTERVAL_MS, concurrency: 1 };
    const known = hosts.get(host) ?? {
      pace: new HostPace(parts.clock, pace),
      circuit: new Circuit(),
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

interface Host {
  readonly pace: HostPace;
  readonly circuit: Circuit;
}

interface Errand extends Omit<FeedParts, 'feeds'> {
  readonly cache: AnswerCache;
  readonly parser: FeedParser;
  readonly feed: Feed;
  readonly deadline: number;
  readonly host: Host;
}

async function readFeed(errand: Errand): Promise<Reading<ReadFeed>> {
  const { cache, clock, feed, host } = errand;
  const kept = cache.find(feed.feedUrl);
  if (kept !== undefined && kept.until > clock.now()) return parsed(errand, kept, true);
  const restMs = host.circuit.enter(clock.now());
  if (restMs > 0) {
    const detail = `Circuit breaker open for ${feed.domain} after repeated failures.`;
    return refused(feed, 'upstream_unavailable', detail, restMs);
  }
  const asked = await ask(errand, kept);
  if ('unsent' in asked) {
    host.circuit.leave();
    return { ok: false, fault: asked.unsent };
  }
  host.circuit.tell('fault' in asked && THEIR_FAULTS.has(asked.fault.code), clock.now());
  if ('fault' in asked) return { ok: false, fault: asked.fault };
  const reading = await parsed(errand, asked.answer, asked.isKept);
  if (reading.ok) cache.keep(feed.feedUrl, asked.answer);
  else cache.drop(feed.feedUrl);
  return reading;
}

const THEIR_FAULTS: ReadonlySet<FaultCode> = new Set([
  'rate_limited',
  'upstream_unavailable',
  'upstream_timeout',
]);

type Asked =
  /** No request was sent. */
  | { readonly unsent: DataFault }
  | { readonly fault: DataFault }
  | { readonly answer: KeptAnswer; readonly isKept: boolean };

async function ask(errand: Errand, kept: KeptAnswer | undefined): Promise<Asked> {
  const { clock, deadline, egress, feed, host, answerMs = FEED_MS } = errand;
  const leave = await host.pace.take(deadline);
  if (leave === undefined) return { unsent: noTurn(feed, host) };
  try {
    const response = await egress.fetch({
      url: feed.feedUrl,
      method: 'GET',
      headers: { accept: ACCEPTED, ...AnswerCache.marksOf(kept) },
      maxBytes: FEED_BYTES_MAX,
      totalTimeoutMs: Math.max(1, Math.min(answerMs, deadline - clock.now())),
      redirectsMax: 5,
    });
    return take(errand, response, kept);
  } catch (thrown) {
    return { fault: faultOfThrown(feed.domain, thrown) };
  } finally {
    leave();
  }
}

function noTurn({ domain }: Feed, { pace }: Host): DataFault {
  const heldMs = pace.heldMs();
  if (heldMs > 0) {
    const detail = `${domain} has paused requests with Retry-After.`;
    return faultOf('rate_limited', { upstream: domain, detail, retryAfterMs: heldMs });
  }
  const detail = `The rate limit for ${domain} cannot be met before the deadline.`;
  return faultOf('deadline_exceeded', { upstream: domain, detail });
}

function take({ clock, feed, host }: Errand, response: EgressResponse, kept?: KeptAnswer): Asked {
  const { status, headers, body } = response;
  const now = clock.now();
  const until = now + FEED_KEPT_MS;
  if (status === 304 && kept !== undefined) {
    const source = { ...kept.source, revalidated_at: instantText(now) };
    return { answer: { ...kept, source, until }, isKept: true };
  }
  const code = codeOfStatus(status);
  if (code !== undefined) {
    const waitMs = retryAfterMs(headers['retry-after'], now);
    if (waitMs !== undefined) host.pace.holdUntil(now + waitMs);
    const facts = { upstream: feed.domain, detail: `HTTP ${status}`, retryAfterMs: waitMs };
    return { fault: faultOf(code, facts) };
  }
  const source = {
    ...{ upstream: feed.domain, url: response.finalUrl, http_status: status, from_cache: false },
    ...{ retrieved_at: instantText(now), revalidated_at: null },
    sha256: createHash('sha256').update(body).digest('hex'),
    bytes: body.byteLength,
    license: LICENSE,
  };
  return { answer: { status, headers, body, source, until }, isKept: false };
}

async function parsed(
  { feed, parser }: Errand,
  { body, headers, source }: KeptAnswer,
  isKept: boolean,
): Promise<Reading<ReadFeed>> {
  const made = await parser.parse(textOf(body, headers['content-type']), source.url);
  if ('fault' in made) return refused(feed, made.fault, made.why);
  return { ok: true, value: made.value, source: { ...source, from_cache: isKept } };
}

/** Decodes a feed by its byte order mark, the HTTP header, its XML declaration, or as UTF-8. */
function textOf(body: Uint8Array, type = ''): string {
  const start = new TextDecoder('latin1').decode(body.subarray(0, 200));
  const named =
    /charset=["']?([\w-]{1,40})/i.exec(type)?.[1] ??
    /<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/i.exec(start)?.[1];
  return new TextDecoder(marked(body) ?? known(named)).decode(body);
}

function marked([first, second]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function known(label = 'utf-8'): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return 'utf-8';
  }
}

function refused(
  { domain }: Feed,
  code: FaultCode,
  detail: string,
  retryAfterMs?: number,
): Reading<ReadFeed> {
  return { ok: false, fault: faultOf(code, { upstream: domain, detail, retryAfterMs }) };
}
