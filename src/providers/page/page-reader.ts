import { createHash } from 'node:crypto';
import sniffEncoding from 'html-encoding-sniffer';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import {
  createDataFailure,
  type DataFailure,
  type FailureCode,
  failureCodeForStatus,
  toDataFailure,
} from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { EgressPort, EgressResponse } from '../../domain/net/egress.ts';
import type { PageContent, PageReader } from '../../domain/page/page-reader.ts';
import { HostRateLimiter, parseRetryAfterMs } from '../data/upstream-state.ts';
import { PageExtractor, TEXT_CHARS_MAX } from './extract.ts';
import { type RobotsPermission, RobotsRules } from './robots.ts';

/** Most bytes of a page. */
export const PAGE_BYTES_MAX = 5_000_000;
/** Minimum interval between two requests to one host that buyers name, in milliseconds. */
export const HOST_INTERVAL_MS = SECOND_MS;
/** Most hosts with a rate limiter in memory. */
export const HOSTS_MAX = 1_000;

const SUPPORTED_TYPES: Readonly<Record<string, 'html' | 'plain'>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'plain',
};
const UPSTREAM = 'web';

/** The dependencies of the page reader. */
export interface PageReaderDeps {
  readonly egress: EgressPort;
  readonly clock: Clock;
}

/**
 * Creates the page reader. It checks robots.txt first, sends one request per host at a time, and
 * does not retry.
 */
export function createPageReader({ egress, clock }: PageReaderDeps): PageReader {
  const robots = new RobotsRules(egress, clock);
  const extractor = new PageExtractor(clock);
  const limiters = new LRUCache<string, HostRateLimiter>({ max: HOSTS_MAX });
  const limiterOf = (host: string): HostRateLimiter => {
    const pace = { intervalMs: HOST_INTERVAL_MS, concurrency: 1 };
    const known = limiters.get(host) ?? new HostRateLimiter(clock, pace);
    limiters.set(host, known);
    return known;
  };
  return {
    read: async (text, deadline, { mayBeEmpty } = { mayBeEmpty: false }) => {
      const url = new URL(text);
      const remainingMs = () => Math.max(1, deadline - clock.now());
      const allowed = await robots.check(url, remainingMs());
      if (!allowed.allowed) return failedReading(allowed.fault);
      const pace = limiterOf(url.host);
      const leave = await pace.acquire(deadline);
      if (leave === undefined) return failedWith('deadline_exceeded', 'Host rate limit reached.');
      try {
        const response = await egress.fetch({
          url: text,
          method: 'GET',
          headers: { accept: 'text/html, application/xhtml+xml, text/plain' },
          maxBytes: PAGE_BYTES_MAX,
          totalTimeoutMs: remainingMs(),
          redirectsMax: 5,
        });
        const elsewhere = await checkRedirectTarget(
          robots,
          url,
          new URL(response.finalUrl),
          remainingMs(),
        );
        if (elsewhere?.allowed === false) return failedReading(elsewhere.fault);
        return await toPage({ response, allowed, extractor, clock, mayBeEmpty });
      } catch (thrown) {
        return failedReading(toDataFailure(UPSTREAM, thrown));
      } finally {
        pace.blockUntil(clock.now() + allowed.delayMs);
        leave();
      }
    },
  };
}

/** A redirect target needs its own permission by robots.txt. */
async function checkRedirectTarget(
  robots: RobotsRules,
  requested: URL,
  final: URL,
  timeoutMs: number,
) {
  return final.href === requested.href ? undefined : robots.check(final, timeoutMs);
}

interface FetchedPage {
  readonly response: EgressResponse;
  readonly allowed: RobotsPermission & { readonly allowed: true };
  readonly extractor: PageExtractor;
  readonly clock: Clock;
  readonly mayBeEmpty: boolean;
}

async function toPage({
  response,
  allowed,
  extractor,
  clock,
  mayBeEmpty,
}: FetchedPage): Promise<SourceReading<PageContent>> {
  const { status, headers, body, finalUrl, redirects } = response;
  const code = failureCodeForStatus(status);
  if (code !== undefined) {
    const waitMs = parseRetryAfterMs(headers['retry-after'], clock.now());
    return failedReading(
      createDataFailure(code, {
        upstream: UPSTREAM,
        detail: `HTTP ${status}`,
        retryAfterMs: waitMs,
      }),
    );
  }
  const [contentType = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';');
  const kind = SUPPORTED_TYPES[contentType.trim()];
  if (kind === undefined) {
    const type = JSON.stringify(contentType.slice(0, 80));
    const detail = `Content type ${type} is not supported. Use HTML or text.`;
    return failedWith('unsupported_media_type', detail);
  }
  const encoding = detectEncoding(body, parameters);
  const text = new TextDecoder(encoding).decode(body);
  const made = kind === 'plain' ? createPlainPage(text) : await extractor.extract(text, finalUrl);
  if ('fault' in made) return failedWith(made.fault, made.why);
  if (made.value.text === '' && !mayBeEmpty)
    return failedWith('not_found', 'The page has no text.');
  const value = { ...made.value, finalUrl, redirects, contentType: contentType.trim(), encoding };
  return {
    ok: true,
    value: {
      ...value,
      robotsLine: allowed.line,
      headers,
      certificate: response.certificate ?? null,
    },
    source: {
      upstream: UPSTREAM,
      url: finalUrl,
      http_status: status,
      from_cache: false,
      retrieved_at: toIsoTime(clock.now()),
      revalidated_at: null,
      sha256: createHash('sha256').update(body).digest('hex'),
      bytes: body.byteLength,
    },
  };
}

function detectEncoding(body: Uint8Array, parameters: readonly string[]): string {
  const declared = parameters
    .map((one) => /charset=["']?([\w-]{1,40})/.exec(one)?.[1])
    .find(Boolean);
  const transportLayerEncodingLabel =
    declared === undefined ? {} : { transportLayerEncodingLabel: declared };
  const encoding = sniffEncoding(body, {
    ...transportLayerEncodingLabel,
    defaultEncoding: 'UTF-8',
  });
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    return 'utf-8';
  }
}

function createPlainPage(text: string) {
  const nothing = { title: null, byline: null, publishedAt: null, lang: null };
  const counts = { links: [], hiddenElements: 0, comments: 0 };
  const value = {
    engine: 'plain' as const,
    text: text.slice(0, TEXT_CHARS_MAX),
    ...nothing,
    ...counts,
  };
  return { value };
}

function failedWith<T>(code: FailureCode, detail: string): SourceReading<T> {
  return failedReading(createDataFailure(code, { upstream: UPSTREAM, detail }));
}

function failedReading<T>(fault: DataFailure): SourceReading<T> {
  return { ok: false, fault };
}
