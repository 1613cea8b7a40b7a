import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../../src/domain/common/clock.ts';
import { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { SourceReading } from '../../../src/domain/data/upstreams.ts';
import {
  createUpstreamReader,
  type Parsed,
  TRIES_MAX,
  type UpstreamAnswer,
  type UpstreamReaderDeps,
  type UpstreamRequest,
} from '../../../src/providers/data/upstream-reader.ts';
import { CIRCUIT_FAILURES, CIRCUIT_OPEN_MS } from '../../../src/providers/data/upstream-state.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { realClock } from '../../support/real-clock.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, RETRY_AFTER_S } from '../../support/upstreams/fault-dial.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';
import {
  fixturesOf,
  type UpstreamServer,
  upstreamServer,
} from '../../support/upstreams/upstream-server.ts';

const PATH = '/0/public/Ticker?pair=XBTUSD';
let server: UpstreamServer;
let egress: Egress;

beforeEach(async () => {
  server = await upstreamServer();
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [server.host] });
});
afterEach(async () => {
  await egress.close();
  await server.close();
});

function reader(over: Partial<UpstreamReaderDeps> = {}) {
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const parts = { egress, clock: hurriedClock(20), random, baseUrls: server.baseUrls };
  return createUpstreamReader({ ...parts, ...over });
}

function parse(answer: UpstreamAnswer): Parsed<string> {
  const last = (answer.json() as { result?: Record<string, { c: string[] }> } | undefined)?.result;
  const price = last?.['XXBTZUSD']?.c[0];
  return price === undefined
    ? { fault: 'upstream_bad_payload', why: 'no price' }
    : { value: price };
}

const asking = (clock: Clock = realClock, over: Partial<UpstreamRequest> = {}) => ({
  upstream: 'kraken' as const,
  path: PATH,
  deadline: clock.now() + 5_000,
  ...over,
});

function faultIn(reading: SourceReading<unknown>): DataFailure {
  if (reading.ok) throw new Error('it answered');
  return DataFailure.parse(reading.fault);
}

test('an answer comes with its address, time, size and the hash of its bytes', async () => {
  const reading = await reader({ contact: 'ops@example.org' }).read(asking(), parse);
  const [fixture] = fixturesOf('kraken').filter(({ path }) => path === PATH);
  const bytes = JSON.stringify(fixture?.body);
  expect(reading).toMatchObject({ ok: true, value: '64120.10000' });
  expect(reading.ok && reading.source).toMatchObject({
    upstream: 'kraken',
    url: `${server.baseUrls.kraken}${PATH}`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    http_status: 200,
    from_cache: false,
    revalidated_at: null,
  });
  // Whoever is asked hears who asks.
  expect(server.lastHeaders()).toMatchObject({
    'user-agent': 'stoa/test',
    from: 'ops@example.org',
  });
});

/** How often an upstream is asked whose answer cannot be read; a refusal is asked once. */
const UNREADABLE_REQUESTS = 2;

test.each(FAULTS)(
  'an upstream with the fault %s gives its code, and is asked so often',
  async (fault) => {
    server.dial('kraken', fault);
    const deadline = Date.now() + 60_000;
    // Short only where the time is what is tested: a busy machine needs more for the others.
    const isEndless = fault === 'hang' || fault === 'slow_drip';
    const patience = isEndless ? { answerMs: 200 } : {};
    const reading = await reader(patience).read(asking(realClock, { deadline }), parse);
    if (fault === 'stale' || fault === 'skewed_clock') {
      // A clock that is off is for the tool to judge.
      expect([reading.ok, server.hits.length]).toEqual([true, 1]);
      return;
    }
    const [code, retryable] = FAULT_ANSWERS[fault];
    const unreadable = code === 'upstream_bad_payload' ? UNREADABLE_REQUESTS : TRIES_MAX;
    const found = faultIn(reading);
    expect([found.code, found.retryable]).toEqual([code, retryable]);
    expect(server.hits).toHaveLength(retryable ? unreadable : 1);
  },
);

test('a host that asks for a wait is not asked before, also not for another caller', async () => {
  const shared = reader();
  server.dial('kraken', 'rate_limit');
  const first = faultIn(await shared.read(asking(), parse));
  expect(first).toMatchObject({ code: 'rate_limited', retry_after_s: RETRY_AFTER_S });
  server.dial('kraken', undefined);
  const next = faultIn(await shared.read(asking(), parse));
  expect(next.code).toBe('rate_limited');
  expect(next.retry_after_s).toBeGreaterThan(0);
  expect(server.hits).toHaveLength(1);
});

test('a wait that ends before the deadline is waited out', async () => {
  server.dial('kraken', 'rate_limit');
  const clock = hurriedClock(20);
  const reading = reader({ clock }).read(asking(clock, { deadline: clock.now() + 30_000 }), parse);
  await expect.poll(() => server.hits.length).toBe(1);
  server.dial('kraken', undefined);
  expect((await reading).ok).toBe(true);
  expect(server.hits).toHaveLength(2);
});

test('equal questions within the kept time are one request; later one asks by its mark', async () => {
  let now = Date.now();
  const clock = { now: () => now, at: realClock.at };
  const shared = reader({ clock });
  const first = await shared.read(asking(clock), parse);
  const again = await shared.read(asking(clock), parse);
  expect(server.hits).toHaveLength(1);
  expect(again.ok && again.source).toEqual({ ...(first.ok && first.source), from_cache: true });
  now += 5_000;
  const later = await shared.read(asking(clock), parse);
  expect(server.hits).toHaveLength(2);
  expect(server.lastHeaders()).toHaveProperty('if-none-match');
  // The bytes are those of the first answer; the upstream says that they still hold.
  expect(later.ok && later.source.retrieved_at).toBe(first.ok && first.source.retrieved_at);
  expect(later.ok && later.source.revalidated_at).toBe(new Date(now).toISOString());
});

test('what cannot be read is not kept for the next caller', async () => {
  const shared = reader();
  server.dial('kraken', 'truncated');
  expect(faultIn(await shared.read(asking(), parse)).code).toBe('upstream_bad_payload');
  server.dial('kraken', undefined);
  expect((await shared.read(asking(), parse)).ok).toBe(true);
});

test('an upstream that fails five times is left alone, then tried by one request', async () => {
  let now = Date.now();
  const clock = { now: () => now, at: hurriedClock(200).at };
  const shared = reader({ clock });
  server.dial('kraken', 'reset');
  await shared.read(asking(clock), parse);
  await shared.read(asking(clock), parse);
  expect(server.hits).toHaveLength(CIRCUIT_FAILURES);
  const open = faultIn(await shared.read(asking(clock), parse));
  expect([open.code, open.retryable]).toEqual(['upstream_unavailable', true]);
  expect(open.retry_after_s).toBeLessThanOrEqual(CIRCUIT_OPEN_MS / 1_000);
  expect(server.hits).toHaveLength(CIRCUIT_FAILURES);
  now += CIRCUIT_OPEN_MS;
  server.dial('kraken', undefined);
  expect((await shared.read(asking(clock), parse)).ok).toBe(true);
  expect(server.hits).toHaveLength(CIRCUIT_FAILURES + 1);
});

test('a circuit that opens between two repeats does not hide what the upstream said', async () => {
  const clock = hurriedClock(200);
  const shared = reader({ clock });
  const patient = () => asking(clock, { deadline: clock.now() + 600_000 });
  server.dial('kraken', 'server_error');
  await shared.read(patient(), parse);
  expect(server.hits).toHaveLength(3);
  // Its second request is the fifth failure in a row; the third is not sent any more.
  const broken = faultIn(await shared.read(patient(), parse));
  expect(server.hits).toHaveLength(CIRCUIT_FAILURES);
  expect([broken.code, broken.detail]).toEqual(['upstream_unavailable', 'HTTP 500']);
  // It named no wait, so the wait is ours.
  expect(broken.retry_after_s).toBeGreaterThan(0);
});

test('a rate limit just before a circuit opens is told with the wait that it named', async () => {
  const clock = hurriedClock(200);
  const shared = reader({ clock });
  const patient = () => asking(clock, { deadline: clock.now() + 600_000 });
  server.dial('kraken', 'rate_limit');
  await shared.read(patient(), parse);
  const limited = faultIn(await shared.read(patient(), parse));
  expect(server.hits).toHaveLength(CIRCUIT_FAILURES);
  expect(limited).toMatchObject({ code: 'rate_limited', retry_after_s: RETRY_AFTER_S });
});

test('requests that were never sent open no circuit', async () => {
  let now = Date.now();
  const clock = { now: () => now, at: realClock.at };
  const shared = reader({ clock });
  server.dial('kraken', 'rate_limit');
  for (let at = 0; at <= CIRCUIT_FAILURES; at += 1) {
    const { code } = faultIn(await shared.read(asking(clock), parse));
    expect(code).toBe('rate_limited');
  }
  expect(server.hits).toHaveLength(1);
  server.dial('kraken', undefined);
  now += RETRY_AFTER_S * 1_000;
  expect((await shared.read(asking(clock), parse)).ok).toBe(true);
});

test('a host is asked at its pace, and a turn that would come too late is refused', async () => {
  const clock = hurriedClock(5);
  const shared = reader({ clock });
  const begun = clock.now();
  const paths = ['XBTUSD', 'ETHUSD', 'NOPEUSD'].map((pair) => `/0/public/Ticker?pair=${pair}`);
  const take = (answer: UpstreamAnswer) => ({ value: answer.status });
  const deadline = begun + 60_000;
  await Promise.all(paths.map((path) => shared.read(asking(clock, { path, deadline }), take)));
  expect(clock.now() - begun).toBeGreaterThanOrEqual(2_000);
  const late = await shared.read(asking(clock, { path: '/late', deadline: clock.now() }), take);
  expect(faultIn(late).code).toBe('deadline_exceeded');
  expect(server.hits).toHaveLength(3);
});

test('a posted question is kept by what it asks, and arrives as JSON', async () => {
  const shared = reader();
  const [{ path } = { path: '' }] = fixturesOf('youtube');
  const ask = async (post: { readonly pair: string }) => {
    const asked = asking(realClock, { upstream: 'youtube', path, post });
    const reading = await shared.read(asked, ({ status }) => ({ value: status }));
    return reading.ok && reading.source.from_cache;
  };
  expect([await ask({ pair: 'a' }), await ask({ pair: 'a' }), await ask({ pair: 'bb' })]).toEqual([
    ...[false, true, false],
  ]);
  expect(server.hits).toHaveLength(2);
  expect(server.lastHeaders()).toMatchObject({
    'content-type': 'application/json',
    'content-length': '13',
  });
});

test('a caller who is gone ends the reading', async () => {
  const gone = new AbortController();
  server.dial('kraken', 'hang');
  const reading = reader({ answerMs: 60_000 }).read(
    asking(realClock, { signal: gone.signal }),
    parse,
  );
  await expect.poll(() => server.hits.length).toBe(1);
  gone.abort();
  expect(faultIn(await reading).code).toBe('deadline_exceeded');
});

test('every fixture says where it comes from, and none claims to be recorded', () => {
  for (const upstream of Object.keys(server.baseUrls)) {
    for (const { origin } of fixturesOf(upstream)) {
      expect(['doc_example', 'synthetic'], upstream).toContain(origin.kind);
      expect(origin.from.length).toBeGreaterThan(10);
    }
  }
});
