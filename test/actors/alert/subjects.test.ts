import { afterEach, expect, test } from 'vitest';
import { AlertCondition } from '../../../src/domain/alert/definition.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { Candle } from '../../../src/domain/market/candles.ts';
import type { FeedItem } from '../../../src/domain/news/feed.ts';
import { alertWorld, OWNER } from '../../support/alert-world.ts';

const MINUTE = 60_000;
const owner = { owner: OWNER, isLocal: false };
let world: Awaited<ReturnType<typeof alertWorld>>;

afterEach(() => world.world.end());

async function booted() {
  world = await alertWorld();
  const { alerts, engine } = await world.boot();
  const define = async (condition: object) => {
    const { alert } = await alerts.define(AlertCondition.parse(condition), owner);
    return alert;
  };
  return { alerts, engine, define, stateOf: async (id: string) => (await alerts.read(id)).state };
}

async function errorOf(promise: Promise<unknown>): Promise<AppError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof AppError) return thrown;
  throw new AppError('INVARIANT', { message: 'it was not refused', cause: thrown });
}

/** Finished candles of a minute whose closes are these, the last one up to now. */
function minutes(closes: readonly number[]): readonly Candle[] {
  const end = Math.floor(world.clock.now() / MINUTE) * MINUTE;
  return closes.map((close, at) => {
    const open = closes[at - 1] ?? close;
    return {
      at: end - (closes.length - at) * MINUTE,
      open: `${open}`,
      close: `${close}`,
      high: `${Math.max(open, close)}`,
      low: `${Math.min(open, close)}`,
      volume: '1',
    };
  });
}

const item = (title: string, publishedAt: number | null, id = title): FeedItem => ({
  title,
  publishedAt,
  summary: '',
  url: `https://a.example/${encodeURIComponent(id)}`,
});

test('a fall of finished candles fires, with the answers that it was read from', async () => {
  const { define, alerts } = await booted();
  world.told.candles('kraken', minutes([100, 100, 100, 99]));
  const subject = { pair: 'BTC/USD', venue: 'kraken', candle: '1m' };
  const fall = { subject, op: 'pct_change', threshold: '-5', window_s: 120 };
  const alert = await define(fall);
  expect([alert.state, alert.last_value?.value, alert.last_value?.unit]).toEqual([
    ...['armed', '-1', 'percent'],
  ]);
  await world.clock.advance(MINUTE);
  world.told.candles('kraken', minutes([100, 100, 99, 93]));
  await world.clock.advance(MINUTE);
  const fired = await alerts.read(alert.alert_id);
  expect([fired.state, fired.last_value?.measure]).toEqual(['fired', '-7']);
  expect(fired.last_value?.evidence).toMatchObject([{ source: 'kraken' }]);
  expect(fired.last_value?.evidence[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(fired.condition.subject).toEqual(subject);
});

test('candles that stop coming make an alert stale, and it is no recovery', async () => {
  const { define, alerts } = await booted();
  world.told.candles('kraken', minutes([100, 120]));
  const subject = { pair: 'BTC/USD', venue: 'kraken', candle: '1m' };
  const alert = await define({ subject, op: 'above', threshold: '110' });
  expect(alert.state).toBe('fired');
  // The exchange answers on and on, with the same last candle.
  await world.clock.advance(10 * MINUTE);
  const stale = await alerts.read(alert.alert_id);
  expect([stale.state, stale.last_transition?.reason]).toEqual(['stale', 'no_data']);
  world.told.candles('kraken', minutes([100, 120]));
  await world.clock.advance(MINUTE);
  expect((await alerts.read(alert.alert_id)).state).toBe('fired');
});

test('a spread fires above its threshold after fees, and goes stale when one book is silent', async () => {
  const { define, alerts, stateOf } = await booted();
  world.told.book('kraken', { bid: '99', ask: '100' });
  world.told.book('coinbase', { bid: '100.5', ask: '101' });
  const subject = { pair: 'BTC/USD', between: ['kraken', 'coinbase'], fee_bps: { coinbase: '14' } };
  const alert = await define({ subject, op: 'above', threshold: '5' });
  // Half a percent before fees, 40 basis points of them: nine and a bit are left.
  expect([alert.state, alert.last_value?.unit]).toEqual(['fired', 'bps']);
  expect(Number(alert.last_value?.value)).toBeCloseTo(50 - 26 - 14.07, 2);
  expect(alert.last_value?.sources).toEqual(['coinbase', 'kraken']);
  world.told.book('coinbase', { bid: '100.1', ask: '101' });
  await world.clock.advance(MINUTE);
  expect(await stateOf(alert.alert_id)).toBe('armed');
  world.told.book('coinbase', 'rate_limited');
  await world.clock.advance(4 * MINUTE);
  const stale = await alerts.read(alert.alert_id);
  expect([stale.state, stale.last_transition?.reason]).toEqual(['stale', 'upstream_error']);
});

test('a headline that comes after the alert fires it, with its domain, address and title', async () => {
  const { define, alerts, stateOf } = await booted();
  const old = item('Rate cut expected', world.clock.now() - MINUTE);
  const other = item('Weather', world.clock.now() - MINUTE);
  world.told.items('a.example', [old, other]);
  world.told.items('b.example', [other]);
  const subject = { news: '"rate cut"', domains: ['b.example', 'a.example'] };
  const alert = await define({ subject, op: 'event_match', window_s: 600 });
  // What was published before does not count.
  expect([alert.state, alert.last_value?.value]).toEqual(['armed', '0']);
  await world.clock.advance(MINUTE);
  const news = item('A rate cut has come', world.clock.now());
  world.told.items('a.example', [news, old, other]);
  // One silent domain does not take away what another one says.
  world.told.items('b.example', 'upstream_timeout');
  await world.clock.advance(MINUTE);
  const fired = await alerts.read(alert.alert_id);
  expect([fired.state, fired.last_value?.value]).toEqual(['fired', '1']);
  expect(fired.last_value?.found).toEqual([
    {
      title: 'A rate cut has come',
      url: news.url,
      domain: 'a.example',
      published_at: new Date(news.publishedAt ?? 0).toISOString(),
    },
  ]);
  world.told.items('b.example', [other]);
  await world.clock.advance(10 * MINUTE);
  expect(await stateOf(alert.alert_id)).toBe('armed');
});

test.each([
  ['is silent', 'upstream_unavailable', 'upstream_error'],
  ['has no entries', [], 'no_data'],
  ['has no dates', [item('Rate cut', null)], 'no_data'],
  ['cannot be read', 'upstream_bad_payload', 'schema'],
] as const)('no news from a domain that %s is not taken for no news', async (_, told, reason) => {
  const { define, alerts } = await booted();
  world.told.items('a.example', [item('Weather', world.clock.now())]);
  // The other one answers on and on, and has nothing of it.
  world.told.items('b.example', [item('Weather', world.clock.now())]);
  const subject = { news: 'rate', domains: ['a.example', 'b.example'] };
  const alert = await define({ subject, op: 'event_match', window_s: 600 });
  expect(alert.state).toBe('armed');
  world.told.items('a.example', told);
  await world.clock.advance(6 * MINUTE);
  const stale = await alerts.read(alert.alert_id);
  expect([stale.state, stale.last_transition?.reason]).toEqual(['stale', reason]);
});

test('where one named source is silent, nothing is defined', async () => {
  const { define, engine } = await booted();
  world.told.book('kraken', { bid: '99', ask: '100' });
  world.told.book('coinbase', 'upstream_timeout');
  world.told.items('a.example', [item('Weather', world.clock.now())]);
  world.told.candles('kraken', minutes([100, 101]));
  const pair = 'BTC/USD';
  const spread = {
    subject: { pair, between: ['kraken', 'coinbase'] },
    op: 'above',
    threshold: '5',
  };
  expect((await errorOf(define(spread))).code).toBe('EGRESS_TIMEOUT');
  const domains = ['a.example', 'b.example'];
  const news = { subject: { news: 'rate', domains }, op: 'event_match', window_s: 600 };
  expect((await errorOf(define(news))).code).toBe('EGRESS_FAILED');
  const candles = { pair, venue: 'kraken', candle: '1m' };
  const thin = { subject: candles, op: 'volatility_above', threshold: '1', window_s: 1_200 };
  const refused = await errorOf(define(thin));
  expect([refused.code, refused.data['kind']]).toEqual(['EGRESS_FAILED', 'no_data']);
  expect((await engine.list({ kind: 'alert' })).rows).toEqual([]);
});

test('what no source has is refused before anything is asked', async () => {
  const { define } = await booted();
  const op = { op: 'above', threshold: '5' };
  const wrong = [
    { ...op, subject: { pair: 'BTC/USD', venue: 'nowhere', candle: '1m' } },
    { ...op, subject: { pair: 'BTC/JPY', venue: 'kraken', candle: '1m' } },
    { ...op, subject: { pair: 'BTC/JPY', between: ['kraken', 'coinbase'] } },
    { op: 'event_match', window_s: 600, subject: { news: 'x', domains: ['c.example'] } },
  ];
  for (const condition of wrong) {
    const { code, data } = await errorOf(define(condition));
    expect([code, data['allowed']]).toEqual(['INPUT_INVALID', expect.any(Array)]);
  }
  expect(world.told.asked).toEqual([]);
});
