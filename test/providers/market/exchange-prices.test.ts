import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import type { PriceSource } from '../../../src/domain/market/price-source.ts';
import { createUpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import { createExchangePrices } from '../../../src/providers/market/exchange-prices.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import type { Egress } from '../../../src/providers/net/egress.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import type { Loopback } from '../../support/loopback.ts';
import { httpLoopback } from '../../support/loopback.ts';
import { createMemoryPrices } from '../../support/memory-prices.ts';
import { ccxtThread } from '../../support/upstreams/ccxt-thread.ts';

/** 2026-01-01T00:00:00Z, when the answers were recorded. */
const NOW = 1_767_225_600_000;
const VENUES = ['kraken', 'coinbase', 'binance', 'bitstamp'];

let upstream: Loopback;
let egress: Egress;
let answers: Record<string, { status: number; body: string }>;
const time = { now: NOW };

beforeEach(async () => {
  time.now = NOW;
  answers = {
    '/kraken/0/public/Ticker?pair=XBTUSD': recorded('kraken-XBTUSD'),
    '/coinbase/products/BTC-USD/ticker': recorded('coinbase-BTC-USD'),
    '/binance/api/v3/ticker/24hr?symbol=BTCUSDT': recorded('binance-BTCUSDT'),
    '/bitstamp/api/v2/ticker/btcusd/': recorded('bitstamp-btcusd'),
  };
  upstream = await httpLoopback((request, response) => {
    const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: '{}' };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  });
  const clock = systemClock();
  egress = createEgress({ clock, userAgent: 'stoa/test', allowHosts: [upstream.host] });
});

afterEach(async () => {
  await egress.close();
  await upstream.close();
});

const recordedText = (name: string) => readFileSync(`test/fixtures/prices/${name}.json`, 'utf8');
const recorded = (name: string) => ({ status: 200, body: recordedText(name) });

/** The reader that serves, at the time of the test; its pauses are no longer than a moment. */
function prices(
  baseUrls: Readonly<Record<string, string>> = Object.fromEntries(
    VENUES.map((id) => [id, `${upstream.url}/${id}`]),
  ),
): PriceSource {
  const { at } = systemClock();
  const clock = {
    now: () => time.now,
    at: (when: number, run: () => void) => {
      const waitMs = Math.max(0, when - time.now);
      return at(Date.now() + waitMs / 20, run);
    },
  };
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const reader = createUpstreamReader({ egress, clock, random, baseUrls });
  const { quotes } = createExchanges({ reader, clock, thread: ccxtThread });
  return createExchangePrices({ quotes, clock });
}

async function failure(promise: Promise<unknown>): Promise<[string, unknown]> {
  return promise.then(
    () => ['none', undefined],
    (thrown: unknown) =>
      thrown instanceof AppError ? [thrown.code, thrown.data['kind']] : [String(thrown), undefined],
  );
}

test.each([
  ['kraken', 'BTC/USD', '64120.1', NOW, 'received', 'XBTUSD'],
  ['coinbase', 'BTC/USD', '64130.02', NOW + 482, 'upstream_event', 'BTC-USD'],
  ['binance', 'BTC/USDT', '64110.01', NOW - 1, 'upstream_event', 'BTCUSDT'],
  ['bitstamp', 'BTC/USD', '64118', NOW - 1_000, 'upstream_event', 'btcusd'],
])(
  'the recorded answer of %s gives its price, and when it was so',
  async (venue, pair, ...rest) => {
    const [value, asOf, asOfKind, name] = rest;
    const point = await prices().price({ pair, venue });
    expect(point).toMatchObject({ pair, venue, value, asOf, asOfKind, sources: [venue] });
    const sha256 = createHash('sha256')
      .update(recordedText(`${venue}-${name}`))
      .digest('hex');
    expect(point.read).toMatchObject([{ upstream: venue, sha256 }]);
  },
);

test('the reference is the median of venues in the same currency, as old as the oldest', async () => {
  const point = await prices().price({ pair: 'BTC/USD', venue: 'reference' });
  expect(point).toMatchObject({ value: '64120.1', asOf: NOW - 1_000 });
  expect(point.sources).toEqual(['kraken', 'coinbase', 'bitstamp']);
  // A stablecoin is not a dollar: that venue was not asked.
  expect(upstream.hits.some((hit) => hit.includes('binance'))).toBe(false);
});

test('the reference goes on without a venue that fails, and leaves out one that is far off', async () => {
  answers['/bitstamp/api/v2/ticker/btcusd/'] = { status: 503, body: 'down' };
  const two = await prices().price({ pair: 'BTC/USD', venue: 'reference' });
  expect([two.value, two.sources]).toEqual(['64125.06', ['kraken', 'coinbase']]);
  answers['/bitstamp/api/v2/ticker/btcusd/'] = {
    status: 200,
    body: recorded('bitstamp-btcusd').body.replace('"64118"', '"99"'),
  };
  const kept = await prices().price({ pair: 'BTC/USD', venue: 'reference' });
  expect(kept.sources).toEqual(['kraken', 'coinbase']);
});

test('what does not fit the schema, a closed market, an unknown pair: each its own error', async () => {
  const kraken = '/kraken/0/public/Ticker?pair=XBTUSD';
  const wrong: readonly (readonly [string, number, string, unknown])[] = [
    ['<html>', 200, 'EGRESS_FAILED', 'payload'],
    ['{"error":[],"result":{"X":{"c":["NaN","1"]}}}', 200, 'EGRESS_FAILED', 'payload'],
    ['{"error":[],"result":{"X":{"c":["-5","1"]}}}', 200, 'EGRESS_FAILED', 'payload'],
    ['{"error":[],"result":{}}', 200, 'EGRESS_FAILED', 'payload'],
    ['{"error":["EService:Unavailable"]}', 200, 'EGRESS_FAILED', 'closed'],
    ['{"error":["EQuery:Unknown asset pair"]}', 200, 'INPUT_INVALID', undefined],
    ['{}', 500, 'EGRESS_FAILED', 'upstream'],
    ['{}', 403, 'EGRESS_REFUSED', 'upstream'],
  ];
  for (const [body, status, code, kind] of wrong) {
    answers[kraken] = { status, body };
    const order = { pair: 'BTC/USD', venue: 'kraken' };
    expect(await failure(prices().price(order)), body).toEqual([code, kind]);
  }
  const [code] = await failure(prices().price({ pair: 'BTC/YEN', venue: 'kraken' }));
  expect(code).toBe('INPUT_INVALID');
});

test('that a pair is unknown is said only where every venue has answered', async () => {
  answers = { '/kraken/0/public/Ticker?pair=NOPEUSD': { status: 502, body: '' } };
  const order = { pair: 'NOPE/USD', venue: 'reference' };
  expect(await failure(prices().price(order))).toEqual(['EGRESS_FAILED', 'upstream']);
  answers['/kraken/0/public/Ticker?pair=NOPEUSD'] = {
    status: 200,
    body: '{"error":["EQuery:Unknown asset pair"]}',
  };
  expect((await failure(prices().price(order)))[0]).toBe('INPUT_INVALID');
});

test('those who ask at about the same time share one request, and a failure is asked again', async () => {
  const source = prices();
  const order = { pair: 'BTC/USD', venue: 'kraken' };
  await Promise.all([source.price(order), source.price(order)]);
  await source.price(order);
  expect(upstream.hits).toHaveLength(1);
  time.now += 5_001;
  answers['/kraken/0/public/Ticker?pair=XBTUSD'] = { status: 500, body: '' };
  await failure(source.price(order));
  answers['/kraken/0/public/Ticker?pair=XBTUSD'] = recorded('kraken-XBTUSD');
  expect((await source.price(order)).value).toBe('64120.1');
  // The failure was tried three times, the first included.
  expect(upstream.hits).toHaveLength(5);
});

test('a way out that is blocked is said as it is', async () => {
  const closed = prices({ kraken: 'http://10.0.0.1' });
  const order = { pair: 'BTC/USD', venue: 'kraken' };
  expect((await failure(closed.price(order)))[0]).toBe('EGRESS_BLOCKED');
});

test('the source in memory keeps the same contract', async () => {
  const memory = createMemoryPrices();
  memory.set('BTC/USD', 'kraken', { value: '64120.1', asOf: NOW });
  memory.set('BTC/USD', 'coinbase', new AppError('EGRESS_TIMEOUT'));
  const order = { pair: 'BTC/USD', venue: 'kraken' };
  const [told, real] = [await memory.price(order), await prices().price(order)];
  expect(['read', ...Object.keys(told)].sort()).toEqual(Object.keys(real).sort());
  expect([told.value, told.sources]).toEqual([real.value, real.sources]);
  expect((await failure(memory.price({ ...order, venue: 'coinbase' })))[0]).toBe('EGRESS_TIMEOUT');
  expect((await failure(memory.price({ ...order, pair: 'NOPE/USD' })))[0]).toBe('INPUT_INVALID');
});
