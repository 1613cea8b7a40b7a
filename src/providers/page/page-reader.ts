import { createHash } from 'node:crypto';
import sniffEncoding from 'html-encoding-sniffer';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
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
import type { PageReader, ReadPage } from '../../domain/page/page-reader.ts';
import { HostPace } from '../data/host-pace.ts';
import { retryAfterMs } from '../data/retry-after.ts';
import { PageExtractor } from './extract.ts';
import { Robots, type RobotsAnswer } from './robots.ts';
import { TEXT_CHARS_MAX } from './worker-source.ts';

/** Most bytes of a page. */
export const PAGE_BYTES_MAX = 5_000_000;
/** Minimum interval between two requests to one host that buyers name, in milliseconds. */
export const HOST_INTERVAL_MS = SECOND_MS;
/** Most hosts with a rate limiter in memory. */
export const HOSTS_MAX = 1_000;

const PAGES: Readonly<Record<string, 'html' | 'plain'>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'plain',
};
const UPSTREAM = 'web';

/** The dependencies of the page reader. */
export interface PageParts {
  readonly egress: EgressPort;
  readonly clock: Clock;
}

/**
 * Creates the page reader. It checks robots.txt first, sends one request per host at a time, and
 * does not retry.
 */
export function createPageReader({ egress, clock }: PageParts): PageReader {
  const robots = new Robots(egress, clock);
  const extractor = new PageExtractor(clock);
  const paces = new Map<string, HostPace>();
  const paceOf = (host: string): HostPace => {
    const pace = { intervalMs: HOST_INTERVAL_MS, concurrency: 1 };
    const known = paces.get(host) ?? new HostPace(clock, pace);
    paces.delete(host);
    paces.set(host, known);
    const [oldest] = paces.keys();
    if (paces.size > HOSTS_MAX && oldest !== undefined) paces.delete(oldest);
    return known;
  };
  return {
    read: async (text, deadline, { mayBeEmpty } = { mayBeEmpty: false }) => {
      const url = new URL(text);
      const left = () => Math.max(1, deadline - clock.now());
      const allowed = await robots.ask(url, left());
      if (!allowed.allowed) return failed(allowed.fault);
      const pace = paceOf(url.host);
      const leave = await pace.take(deadline);
      if (leave === undefined) return refused('deadline_exceeded', 'Host rate limit reached.');
      try {
        const response = await egress.fetch({
          url: text,
          method: 'GET',
          headers: { accept: 'text/html, application/xhtml+xml, text/plain' },
          maxBytes: PAGE_BYTES_MAX,
          totalTimeoutMs: left(),
          redirectsMax: 5,
        });
        const elsewhere = await askElsewhere(robots, url, new URL(response.finalUrl), left());
        if (elsewhere?.allowed === false) return failed(elsewhere.fault);
        return await toPage({ response, allowed, extractor, clock, mayBeEmpty });
      } catch (thrown) {
        return failed(faultOfThrown(UPSTREAM, thrown));
      } finally {
        pace.holdUntil(clock.now() + allowed.delayMs);
        leave();
      }
    },
  };
}

/** A redirect target needs its own permission by robots.txt. */
async function askElsewhere(robots: Robots, asked: URL, final: URL, timeoutMs: number) {
  return final.href === asked.href ? undefined : robots.ask(final, timeoutMs);
}

interface Fetched {
  readonly response: EgressResponse;
  readonly allowed: RobotsAnswer & { readonly allowed: true };
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
}: Fetched): Promise<Reading<ReadPage>> {
  const { status, headers, body, finalUrl, redirects } = response;
  const code = codeOfStatus(status);
  if (code !== undefined) {
    const waitMs = retryAfterMs(headers['retry-after'], clock.now());
    return failed(
      faultOf(code, { upstream: UPSTREAM, detail: `HTTP ${status}`, retryAfterMs: waitMs }),
    );
  }
  const [contentType = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';');
  const kind = PAGES[contentType.trim()];
  if (kind === undefined) {
    const type = JSON.stringify(contentType.slice(0, 80));
    const detail = `Content type ${type} is not supported. Use HTML or text.`;
    return refused('unsupported_media_type', detail);
  }
  const encoding = encodingOf(body, parameters);
  const text = new TextDecoder(encoding).decode(body);
  const made = kind === 'plain' ? plainPage(text) : await extractor.extract(text, finalUrl);
  if ('fault' in made) return refused(made.fault, made.why);
  if (made.value.text === '' && !mayBeEmpty) return refused('not_found', 'The page has no text.');
  const value = { ...made.value, finalUrl, redirects, contentType: contentType.trim(), encoding };
  return {
    ok: true,
    value: {
      ...value,
      ...{ robotsLine: allowed.line, headers, certificate: response.certificate ?? null },
    },
    source: {
      ...{ upstream: UPSTREAM, url: finalUrl, http_status: status, from_cache: false },
      ...{ retrieved_at: instantText(clock.now()), revalidated_at: null },
      sha256: createHash('sha256').update(body).digest('hex'),
      bytes: body.byteLength,
    },
  };
}

function encodingOf(body: Uint8Array, parameters: readonly string[]): string {
  const named = parameters.map((one) => /charset=["']?([\w-]{1,40})/.exec(one)?.[1]).find(Boolean);
  const transportLayerEncodingLabel =
    named === undefined ? {} : { transportLayerEncodingLabel: named };
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

function plainPage(text: string) {
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

function refused<T>(code: FaultCode, detail: string): Reading<T> {
  return failed(faultOf(code, { upstream: UPSTREAM, detail }));
}

function failed<T>(fault: DataFault): Reading<T> {
  return { ok: false, fault };
}
