import { afterEach, expect, test } from 'vitest';
import { readSubject } from '../../../src/actors/alert/reading.ts';
import { AlertCondition, defineAlert } from '../../../src/domain/alert/definition.ts';
import type { EventLog } from '../../../src/domain/event/event-log.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { EventsDouble } from '../../support/alert-world.ts';
import { createMemoryPrices } from '../../support/memory-prices.ts';
import { realClock } from '../../support/real-clock.ts';
import { feedServer } from '../../support/upstreams/feed-server.ts';
import { marketRig } from '../../support/upstreams/market-rig.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** The adapters that serve, over exchanges and feeds on this machine. */
async function sources(fault?: 'rate_limit' | 'wrong_schema') {
  const rig = await marketRig({
    venue: 'kraken',
    markets: { coinbase: { middle: 103 } },
    ...(fault === undefined ? {} : { fault }),
  });
  const news = await feedServer();
  const egress = createEgress({
    clock: realClock,
    userAgent: 'stoa/test',
    allowHosts: [news.host],
  });
  closers.push(rig.close, () => egress.close(), news.close);
  const row = news.feed('a.example');
  const feeds = createFeedReader({ egress, clock: realClock, feeds: [row] });
  const events = new EventsDouble() as unknown as EventLog;
  return { news, all: { markets: rig.markets, feeds, events, prices: createMemoryPrices() } };
}

async function look(all: Awaited<ReturnType<typeof sources>>['all'], condition: object) {
  const { subject, op, windowMs } = defineAlert(AlertCondition.parse(condition));
  const since = Date.now() - 600_000;
  return readSubject(all, { subject, op, windowMs, since, eventSeq: 0 }, realClock);
}

const pair = 'BTC/USD';
const change = {
  subject: { pair, venue: 'kraken', candle: '1h' },
  op: 'pct_change',
  threshold: '5',
  window_s: 24 * 3_600,
};

test('candles, books and feeds of the adapters that serve give values with their sources', async () => {
  const { news, all } = await sources();
  const moved = await look(all, change);
  expect(moved.sample?.proof).toMatchObject([{ source: 'kraken' }]);
  expect(Math.abs(Number(moved.sample?.value))).toBeLessThan(15);
  const hour = 3_600_000;
  expect(moved.sample?.asOf).toBe(Math.floor(Date.now() / hour) * hour);

  const between = ['kraken', 'coinbase'];
  const subject = { pair, between, after_fees: false, size_quote: '50' };
  const spread = await look(all, { subject, op: 'above', threshold: '5' });
  // Bought at 100.5, sold at 102.5.
  expect(Number(spread.sample?.value)).toBeCloseTo((2 / 100.5) * 10_000, 2);

  const url = 'https://a.example/1';
  news.hold('a.example', [{ title: 'Rates are cut', url }]);
  const told = { subject: { news: 'rate cut', domains: ['a.example'] }, window_s: 600 };
  const found = await look(all, { ...told, op: 'event_match' });
  expect(found.sample).toMatchObject({ value: '1', found: [{ title: 'Rates are cut', url }] });
});

test.each([
  ['rate_limit', 'upstream_error'],
  ['wrong_schema', 'schema'],
] as const)('an exchange with the fault %s brings no value, and why', async (fault, reason) => {
  const { all } = await sources(fault);
  const reading = await look(all, change);
  expect([reading.sample, reading.fault?.reason]).toEqual([null, reason]);
});
