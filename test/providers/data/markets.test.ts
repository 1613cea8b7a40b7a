import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDecimal } from '../../../src/domain/common/decimal.ts';
import { createUpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { realClock } from '../../support/real-clock.ts';
import { ccxtThread } from '../../support/upstreams/ccxt-thread.ts';
import { madeMarkets, waveCandle } from '../../support/upstreams/made-markets.ts';
import { type UpstreamServer, upstreamServer } from '../../support/upstreams/upstream-server.ts';

const HOUR = 3_600_000;
const VENUES = [
  ['coinbase', 'BTC/USD'],
  ['kraken', 'BTC/USD'],
  ['bitstamp', 'BTC/USD'],
  ['binance', 'BTC/USDT'],
] as const;

let server: UpstreamServer;
let egress: Egress;
beforeEach(async () => {
  const isGone = (at: number) => at % (50 * HOUR) === 0;
  const missing = { missing: isGone };
  server = await upstreamServer(
    Date.now,
    madeMarkets(Object.fromEntries(VENUES.map(([venue]) => [venue, missing]))),
  );
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [server.host] });
});
afterEach(async () => {
  await egress.close();
  await server.close();
});

function markets() {
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const { baseUrls } = server;
  const reader = createUpstreamReader({ egress, clock: realClock, random, baseUrls });
  return createExchanges({ reader, clock: realClock, thread: ccxtThread }).markets;
}

const soon = () => Date.now() + 10_000;
const lastHour = () => Math.floor(Date.now() / HOUR) * HOUR;

test.each(VENUES)('%s: a book has its best price first on both sides', async (venue, pair) => {
  const reading = await markets().book({ venue, pair, deadline: soon() });
  if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
  const { bids, asks } = reading.value;
  expect([bids[0], asks[0]]).toEqual([
    { price: '99.5', size: '1' },
    { price: '100.5', size: '1' },
  ]);
  expect(bids.map(({ price }) => parseDecimal(price))).toEqual(
    bids.map(({ price }) => parseDecimal(price)).sort((a, b) => (a > b ? -1 : 1)),
  );
  expect(reading.source.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test.each(VENUES)(
  '%s: candles are whole, in order, finished, and as the venue says',
  async (venue, pair) => {
    const [from, to] = [lastHour() - 700 * HOUR, lastHour() + HOUR];
    const asked = { venue, pair, interval: '1h', from, to, deadline: soon() } as const;
    const reading = await markets().candles(asked);
    if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
    const times = reading.candles.map(({ at }) => at);
    const due = Array.from({ length: 700 }, (_, at) => from + at * HOUR);
    // The hour that goes on is left out, and what the venue has not is not filled in.
    expect(times).toEqual(due.filter((at) => at % (50 * HOUR) !== 0));
    for (const { at, ...figures } of reading.candles.slice(0, 5)) {
      const { at: _, ...made } = waveCandle(at, HOUR);
      const wanted = Object.entries(made).map(([name, figure]) => [name, String(figure)]);
      expect(figures).toEqual(Object.fromEntries(wanted));
    }
    expect(reading.sources).toHaveLength(venue === 'coinbase' ? 3 : 1);
  },
);

test.each(VENUES)('%s: a pair that it has not is unknown, in books and candles', async (venue) => {
  const pair = venue === 'binance' ? 'NOPE/USDT' : 'NOPE/USD';
  const order = { venue, pair, deadline: soon() };
  const wanted = { ok: false, fault: { code: 'unknown_symbol', retryable: false } };
  expect(await markets().book(order)).toMatchObject(wanted);
  const stretch = { from: lastHour() - 30 * HOUR, to: lastHour() };
  const candles = await markets().candles({ ...order, interval: '1h', ...stretch });
  expect(candles).toMatchObject(wanted);
});

test('a crossed or empty book, and a candle whose high is below its close, fit nothing', async () => {
  const pair = { venue: 'bitstamp', pair: 'BTC/USD', deadline: soon() };
  const path = '/api/v2/order_book/btcusd/';
  for (const wrong of [
    { bids: [['101', '1']], asks: [['100', '1']] },
    { bids: [], asks: [['100', '1']] },
    { bids: [['99', '1']], asks: [['0', '1']] },
    { bids: [['99', 'NaN']], asks: [['100', '1']] },
  ]) {
    server.answer('bitstamp', path, { timestamp: '{{s}}', ...wrong });
    const reading = await markets().book({ ...pair, deadline: Date.now() + 200 });
    expect(reading).toMatchObject({ ok: false, fault: { code: 'upstream_bad_payload' } });
  }
  const at = lastHour() - 2 * HOUR;
  const row = { timestamp: String(at / 1_000), open: '9', high: '10', low: '8', close: '11' };
  const query = `step=3600&limit=1000&start=${at / 1_000}&end=${at / 1_000}`;
  server.answer('bitstamp', `/api/v2/ohlc/btcusd/?${query}`, {
    data: { ohlc: [{ ...row, volume: '1' }] },
  });
  const stretch = { interval: '1h', from: at, to: at + HOUR } as const;
  const candles = await markets().candles({ ...pair, ...stretch });
  expect(candles).toMatchObject({ ok: false, fault: { code: 'upstream_bad_payload' } });
});
