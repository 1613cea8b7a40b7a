import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDecimal } from '../../../../src/domain/common/decimal.ts';
import { CCXT_VENUES } from '../../../../src/domain/market/venue/ccxt-venues.ts';
import { createUpstreamReader } from '../../../../src/providers/data/upstream-reader.ts';
import type { UpstreamId } from '../../../../src/providers/data/upstreams.ts';
import { createExchanges } from '../../../../src/providers/market/exchanges.ts';
import { createEgress, type Egress } from '../../../../src/providers/net/egress.ts';
import { realClock } from '../../../support/real-clock.ts';
import { ccxtThread } from '../../../support/upstreams/ccxt-thread.ts';
import { FAULT_ANSWERS } from '../../../support/upstreams/fault-answers.ts';
import { FAULTS } from '../../../support/upstreams/fault-dial.ts';
import { madeExchanges } from '../../../support/upstreams/made-further-markets.ts';
import { waveCandle } from '../../../support/upstreams/made-markets.ts';
import { type UpstreamServer, upstreamServer } from '../../../support/upstreams/upstream-server.ts';

const HOUR = 3_600_000;
/** Pair, last, bid, ask and volume of the fixture, and whether its time is that of the price. */
const TICKERS = [
  ['okx', 'BTC/USDT', '64111.2 64111.2 64111.3 8109.11293412', true],
  ['bybit', 'BTC/USDT', '64109.8 64109.8 64109.9 7990.5512', false],
  ['kucoin', 'BTC/USDT', '64110.1 64110.1 64110.2 2282.70993217', true],
  ['gate', 'BTC/USDT', '64112.5 64112.4 64112.6 6120.123456', false],
  ['mexc', 'BTC/USDT', '64111.9 64111.8 64111.9 3732.461487', true],
  ['cryptocom', 'BTC/USDT', '64110.55 64110.5 64110.6 2109.8812', true],
  ['gemini', 'BTC/USD', '64119.95 64119.95 64119.96 615.46861748', false],
] as const;

let server: UpstreamServer;
let egress: Egress;
beforeEach(async () => {
  const missing = { missing: (at: number) => at % (50 * HOUR) === 0 };
  const markets = Object.fromEntries(TICKERS.map(([venue]) => [venue, missing]));
  server = await upstreamServer(Date.now, madeExchanges(markets));
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [server.host] });
});
afterEach(async () => {
  await egress.close();
  await server.close();
});

/** Waits of the reader are shortened; the thread keeps its own time. */
function exchanges(answerMs = 60_000) {
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const clock = {
    now: realClock.now,
    at: (at: number, run: () => void) =>
      realClock.at(realClock.now() + (at - realClock.now()) / 20, run),
  };
  const { baseUrls } = server;
  const reader = createUpstreamReader({ egress, clock, random, baseUrls, answerMs });
  return createExchanges({ reader, clock: realClock, thread: ccxtThread });
}

const soon = () => Date.now() + 100_000;
const lastHour = () => Math.floor(Date.now() / HOUR) * HOUR;

test('every exchange of the table is asked here', () => {
  expect(CCXT_VENUES.map(({ id }) => id)).toEqual(TICKERS.map(([venue]) => venue));
});

test.each(TICKERS)(
  '%s: one request gives the quote, as old as the exchange says or as its answer',
  async (venue, pair, figures, hasTime) => {
    const from = Date.now();
    const reading = await exchanges().quotes.quote({ venue, pair, deadline: soon() });
    if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
    const { last, bid, ask, volume, asOf, asOfKind } = reading.value;
    expect([last, bid, ask, volume].join(' ')).toBe(figures);
    expect(asOfKind).toBe(hasTime ? 'upstream_event' : 'received');
    expect(asOf).toBeGreaterThanOrEqual(from);
    expect(server.hits).toHaveLength(1);
    const [hit = ''] = server.hits;
    expect(reading.source.url).toBe(`http://${server.host}/${hit.replace(' ', '')}`);
    expect(reading.source.sha256).toMatch(/^[0-9a-f]{64}$/);
  },
);

test('an exchange is told who asks, not a browser', async () => {
  await exchanges().quotes.quote({ venue: 'okx', pair: 'BTC/USDT', deadline: soon() });
  expect(server.lastHeaders()['user-agent']).toBe('stoa/test');
});

test.each(TICKERS)('%s: a book has its best price first on both sides', async (venue, pair) => {
  const reading = await exchanges().markets.book({ venue, pair, deadline: soon() });
  if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
  const { bids, asks } = reading.value;
  expect([bids[0], asks[0]]).toEqual([
    { price: '99.5', size: '1' },
    { price: '100.5', size: '1' },
  ]);
  const prices = bids.map(({ price }) => parseDecimal(price));
  expect(prices).toEqual([...prices].sort((a, b) => (a > b ? -1 : 1)));
  expect(server.hits).toHaveLength(1);
});

test.each(TICKERS)(
  '%s: candles are whole, in order, finished, and as the exchange says',
  async (venue, pair) => {
    const [from, to] = [lastHour() - 700 * HOUR, lastHour() + HOUR];
    const asked = { venue, pair, interval: '1h', from, to, deadline: soon() } as const;
    const reading = await exchanges().markets.candles(asked);
    if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
    const due = Array.from({ length: 700 }, (_, at) => from + at * HOUR);
    // The hour that goes on is left out, and what the exchange has not is not filled in.
    const times = reading.candles.map(({ at }) => at);
    expect(times).toEqual(due.filter((at) => at % (50 * HOUR) !== 0));
    for (const { at, ...figures } of reading.candles.slice(0, 5)) {
      const { at: _, ...made } = waveCandle(at, HOUR);
      const wanted = Object.entries(made).map(([name, figure]) => [name, String(figure)]);
      expect(figures).toEqual(Object.fromEntries(wanted));
    }
    const pages = CCXT_VENUES.find(({ id }) => id === venue)?.candlesMax ?? Infinity;
    expect(reading.sources).toHaveLength(Math.ceil(701 / pages) || 1);
  },
);

test.each(TICKERS)('%s: each length of a candle is one that it has', async (venue, pair) => {
  const lengths = { '1m': HOUR / 60, '5m': HOUR / 12, '15m': HOUR / 4, '1d': 24 * HOUR } as const;
  const { markets } = exchanges();
  for (const [interval, length] of Object.entries(lengths)) {
    const to = Math.floor(Date.now() / length) * length;
    const asked = { venue, pair, from: to - 30 * length, to, deadline: soon() };
    const reading = await markets.candles({ ...asked, interval: interval as '1m' });
    if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
    expect(reading.candles.length, interval).toBeGreaterThan(25);
  }
});

test.each(TICKERS)('%s: a pair that it has not is unknown, not a failure', async (venue, pair) => {
  const nope = pair.replace('BTC', 'NOPE');
  const order = { venue, pair: nope, deadline: soon() };
  const wanted = { ok: false, fault: { code: 'unknown_symbol', retryable: false } };
  expect(await exchanges().markets.book(order)).toMatchObject(wanted);
  const stretch = { from: lastHour() - 30 * HOUR, to: lastHour() };
  const candles = await exchanges().markets.candles({ ...order, interval: '1h', ...stretch });
  expect(candles).toMatchObject(wanted);
});

const TICKER_PATH = '/api/v5/market/ticker?instId=BTC-USDT';
const sound = {
  instId: 'BTC-USDT',
  last: '99',
  bidPx: '99',
  askPx: '100',
  vol24h: '9',
  ts: '{{ms}}',
};

async function quoteOf(ticker: object, envelope: object = { code: '0' }) {
  const body = { msg: '', data: [{ ...sound, ts: String(Date.now()), ...ticker }], ...envelope };
  server.answer('okx', TICKER_PATH, body);
  const order = { venue: 'okx', pair: 'BTC/USDT', deadline: soon() };
  return exchanges().quotes.quote(order);
}

test('figures keep the digits that came, however many', async () => {
  const reading = await quoteOf({ last: '64111.123456789012345', vol24h: '0.00000001' });
  expect(reading).toMatchObject({
    ok: true,
    value: { last: '64111.123456789012345', volume: '0.00000001' },
  });
});

test('levels of a book keep theirs too, and are sorted as numbers', async () => {
  const asks = [
    ['100.000000000000000001', '1'],
    ['99.9', '0.123456789012345678'],
  ];
  const bids = [['9.5', '1']];
  const path = '/api/v5/market/books?instId=BTC-USDT&sz=100';
  server.answer('okx', path, { code: '0', msg: '', data: [{ asks, bids, ts: '{{ms}}' }] });
  const order = { venue: 'okx', pair: 'BTC/USDT', deadline: soon() };
  const reading = await exchanges().markets.book(order);
  if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
  expect(reading.value.asks).toEqual([
    { price: '99.9', size: '0.123456789012345678' },
    { price: '100.000000000000000001', size: '1' },
  ]);
});

test.each([
  ['a bid above the ask', { bidPx: '101' }],
  ['a price of zero', { last: '0' }],
  ['a price below zero', { last: '-5' }],
  ['a price that is none', { last: 'NaN' }],
  ['a price without end', { last: 'Infinity' }],
  ['no ask', { askPx: null }],
  ['a volume below zero', { vol24h: '-1' }],
  ['another pair', { instId: 'ETH-USDT' }],
])('a ticker with %s fits nothing, although ccxt takes it', async (_name, wrong) => {
  const code = 'upstream_bad_payload';
  expect(await quoteOf(wrong)).toMatchObject({ ok: false, fault: { code, retryable: true } });
});

test.each([
  ['50011', 'rate_limited'],
  ['50001', 'upstream_unavailable'],
  ['50013', 'upstream_unavailable'],
  ['51001', 'unknown_symbol'],
  ['59999', 'upstream_bad_payload'],
])('the error %s in an answer with 200 is %s', async (code, fault) => {
  expect(await quoteOf({}, { code })).toMatchObject({ ok: false, fault: { code: fault } });
});

test.each(FAULTS)('the fault %s has one code in quote, book and candles', async (fault) => {
  const upstream: UpstreamId = 'kucoin';
  server.dial(upstream, fault);
  const order = { venue: upstream, pair: 'BTC/USDT' };
  const stretch = { interval: '1h', from: lastHour() - 30 * HOUR, to: lastHour() } as const;
  const patienceMs = fault === 'hang' || fault === 'slow_drip' ? 200 : undefined;
  const { quotes } = exchanges(patienceMs);
  const readings = [
    await quotes.quote({ ...order, deadline: soon() }),
    await exchanges(patienceMs).markets.book({ ...order, deadline: soon() }),
    await exchanges(patienceMs).markets.candles({ ...order, ...stretch, deadline: soon() }),
  ];
  expect(CCXT_VENUES.find(({ id }) => id === upstream)?.isNamedOnly).toBe(true);
  // A clock that is off is for the tool to judge.
  const isAnswered = fault === 'stale' || fault === 'skewed_clock';
  const found = readings.map((one) => (one.ok ? null : [one.fault.code, one.fault.retryable]));
  expect(found).toEqual(readings.map(() => (isAnswered ? null : FAULT_ANSWERS[fault])));
});

test('more candles than twenty answers hold are refused, and a venue that there is not', async () => {
  const { markets, quotes } = exchanges();
  const asked = { venue: 'okx', pair: 'BTC/USDT', deadline: soon() };
  const to = lastHour();
  const stretch = { interval: '1m', from: to - 24 * 7 * HOUR, to } as const;
  const refused = { ok: false, fault: { code: 'invalid_input' } };
  expect(await markets.candles({ ...asked, ...stretch })).toMatchObject(refused);
  expect(await quotes.quote({ ...asked, venue: 'nowhere' })).toMatchObject(refused);
  expect(server.hits).toEqual([]);
});
