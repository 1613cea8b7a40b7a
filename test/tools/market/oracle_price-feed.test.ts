import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { PriceReport } from '../../../src/domain/market/report/report.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { priceFeedTool } from '../../../src/tools/market/oracle_price-feed.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { ccxtThread } from '../../support/upstreams/ccxt-thread.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { quickReader } from '../../support/upstreams/quick-reader.ts';
import { type UpstreamServer, upstreamServer } from '../../support/upstreams/upstream-server.ts';

interface Answer {
  readonly completeness: string;
  readonly data: PriceReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
  readonly sources: readonly { readonly upstream: string; readonly url: string }[];
}

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

async function bought(args: object, fault?: UpstreamFault) {
  const reader = quickReader({ egress, baseUrls: server.baseUrls, fault });
  const { quotes } = createExchanges({ reader, clock: realClock, thread: ccxtThread });
  const sold = await sellTool((trust) => priceFeedTool({ trust, clock: realClock, quotes }));
  const outcome = await sold.buy({ max_age_s: 300, ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged() };
}

test('the reference is the median by volume, and every figure cites what it was read from', async () => {
  proves('C4.3.t21');
  const { answer, charged } = await bought({ pair: 'BTC/USD' });
  // Coinbase has the most volume and the highest price of the three: alone it makes no reference.
  expect(answer.data?.price).toMatchObject({ value: '64120.1', unit: 'USD', stale: false });
  expect(answer.data?.price.sources).toHaveLength(3);
  expect(answer.data?.reference?.venues).toEqual(['kraken', 'coinbase', 'bitstamp']);
  const [kraken] = answer.data?.quotes ?? [];
  expect(kraken).toMatchObject({
    price: { value: '64120.1', as_of_kind: 'received' },
    bid: { value: '64120' },
    ask: { value: '64120.1' },
    spread_bps: '0.01',
    volume_24h: { value: '1904.11293412', unit: 'BTC' },
  });
  expect(answer.sources.map(({ upstream }) => upstream)).toEqual([
    'kraken',
    'coinbase',
    'bitstamp',
  ]);
  expect([answer.completeness, charged]).toEqual(['full', 10_000n]);
});

test('a named venue gives its own price, and a stablecoin is not a dollar', async () => {
  const { answer } = await bought({ pair: 'BTC/USDT', venue: 'binance' });
  expect(answer.data).toMatchObject({ venue: 'binance', reference: null });
  expect(answer.data?.price).toMatchObject({ value: '64110.01', unit: 'USDT' });
  expect(server.hits).toEqual(['binance /api/v3/ticker/24hr?symbol=BTCUSDT']);
});

test('a price that is far off is left out by name, and not the whole answer', async () => {
  const far = { bid: '90', ask: '100', last: '99', volume: '9', timestamp: '{{s}}' };
  server.answer('bitstamp', '/api/v2/ticker/btcusd/', far);
  const { answer } = await bought({ pair: 'BTC/USD' });
  expect(answer.data?.reference?.dropped).toEqual([{ venue: 'bitstamp', reason: 'outlier' }]);
  expect([answer.completeness, answer.coverage.missing]).toEqual(['partial', ['bitstamp']]);
});

test('a crossed book, a price of zero or one that is no number is no price', async () => {
  const sound = { bid: '99', ask: '100', last: '99', volume: '9', timestamp: '{{s}}' };
  const path = '/api/v2/ticker/btcusd/';
  for (const wrong of [
    { bid: '101' },
    { last: '0' },
    { last: 'NaN' },
    { ask: '1e2' },
    { volume: '-1' },
  ]) {
    server.answer('bitstamp', path, { ...sound, ...wrong });
    const { answer, charged } = await bought({ pair: 'BTC/USD', venue: 'bitstamp' });
    expect([answer.faults[0]?.code, answer.data, charged]).toEqual([
      'upstream_bad_payload',
      null,
      0n,
    ]);
  }
});

test.each(FAULTS)(
  'a venue with the fault %s: its code, its retry, and no charge',
  async (fault) => {
    server.dial('coinbase', fault);
    const alone = await bought({ pair: 'BTC/USD', venue: 'coinbase' }, fault);
    const [found] = alone.answer.faults;
    expect([found?.code, found?.retryable]).toEqual(FAULT_ANSWERS[fault]);
    expect(alone.outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([alone.answer.data, alone.charged]).toEqual([null, 0n]);
  },
);

test('a reference goes on without a venue that fails, and not with one venue alone', async () => {
  server.dial('coinbase', 'forbidden_page');
  const two = await bought({ pair: 'BTC/USD' });
  expect(two.answer.data?.reference?.venues).toEqual(['kraken', 'bitstamp']);
  expect([two.answer.completeness, two.charged]).toEqual(['partial', 10_000n]);
  server.dial('bitstamp', 'stale');
  const one = await bought({ pair: 'BTC/USD' });
  expect([one.answer.data, one.charged]).toEqual([null, 0n]);
});

test('a pair that nobody has is unknown, and nothing is charged', async () => {
  const { answer, charged } = await bought({ pair: 'NOPE/USD', venue: 'kraken' });
  expect(answer.faults[0]).toMatchObject({ code: 'unknown_symbol', retryable: false });
  expect(charged).toBe(0n);
});

test('a currency that no venue quotes in, or a pair in other letters, is refused at once', async () => {
  const reader = quickReader({ egress });
  const { quotes } = createExchanges({ reader, clock: realClock, thread: ccxtThread });
  const sold = await sellTool((trust) => priceFeedTool({ trust, clock: realClock, quotes }));
  const wrong = [
    { pair: 'BTC/YEN' },
    { pair: 'btc/usd' },
    { pair: 'BTC/USD', venue: 'binance' },
    {},
  ];
  for (const args of wrong) expect(contentOf(await sold.ask(args))['error']).toBe('INPUT_INVALID');
});
