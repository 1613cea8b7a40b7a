import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { defineAlertActor } from '../../../src/actors/alert/alert-definition.ts';
import { createAlerts } from '../../../src/actors/alert/alerts.ts';
import { findPayment } from '../../../src/actors/payment/record.ts';
import { AlertView } from '../../../src/domain/alert/view.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { EventLog } from '../../../src/domain/event/event-log.ts';
import type { PriceQuery } from '../../../src/domain/market/price-source.ts';
import type { Tool, ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { ALERT_RESOURCE, readAlertResource } from '../../../src/tools/alert/alert-resource.ts';
import { alertTool } from '../../../src/tools/alert/oracle_alert-generator.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { defineTool } from '../../../src/tools/service/define-tool.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { ToldSources } from '../../support/alert-sources.ts';
import { EventsDouble } from '../../support/alert-world.ts';
import { createMemoryPrices } from '../../support/memory-prices.ts';
import { paymentStates, paymentWorld } from '../../support/payment-world.ts';
import { proves } from '../../support/proves.ts';

const NAME = 'oracle_alert-generator';
const MINUTE = 60_000;
const above = {
  subject: { pair: 'BTC/USD', venue: 'kraken' },
  op: 'above',
  threshold: '100',
  eval_interval_s: 60,
};

/** The tool over a simulated chain, with prices that the test tells. */
async function alerting() {
  const known = createMemoryPrices();
  const events = new EventsDouble();
  let now = () => 0;
  const told = new ToldSources(() => now());
  const { markets, feeds } = told;
  // A price is always of now: on a busy machine the purchase itself takes minutes of this clock.
  const prices = {
    ...known,
    price: async (order: PriceQuery) => ({ ...(await known.price(order)), asOf: now() }),
  };
  const sources = { prices, markets, feeds, events: events as unknown as EventLog };
  const world = await paymentWorld('50000000', () => [defineAlertActor(sources)]);
  now = () => world.clock.now();
  const process = await world.start();
  const { engine } = process;
  const alerts = createAlerts({
    ...sources,
    engine,
    clock: world.clock,
    seal: (text) => createHmac('sha256', 'key').update(text).digest('hex'),
    requireWebhook: async () => {
      throw new AppError('WEBHOOK_UNKNOWN');
    },
  });
  const payerOf = async (paymentId: string) =>
    (await findPayment(engine, paymentId))?.record.payer.toLowerCase();
  const tool = defineTool(alertTool({ alerts, payerOf })) as Tool;
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.0',
    instructions: '',
    tools: [tool],
    resources: [{ template: ALERT_RESOURCE, read: (uri) => readAlertResource(alerts, uri) }],
    paid: { payments: process.payments, challenger: createChallenger(world) },
  });
  const call = (args: object, payments: readonly unknown[] = []) =>
    world.drive(
      service.call({
        name: NAME,
        arguments: args,
        resourceUrl: `mcp://tool/${NAME}`,
        payments: payments.map((value) => ({ carrier: 'meta' as const, value })),
        principal: { kind: 'address', id: '203.0.113.9' },
        signal: new AbortController().signal,
      }),
    );
  const buy = async (args: object): Promise<ToolOutcome> => {
    const asked = await call(args);
    if (asked.kind !== 'payment_required') return asked;
    return call(args, [await world.sign(asked.required.accepts[0])]);
  };
  const price = (value: string) =>
    prices.set('BTC/USD', 'kraken', { value, asOf: world.clock.now() });
  return { ...world, ...process, alerts, prices, told, events, service, buy, call, price };
}

function contentOf(outcome: ToolOutcome): Record<string, unknown> {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return { ...outcome.result.structuredContent };
}

test('an alert on a price is defined for 0.05, tells its state, and is read free', async () => {
  proves('C2.t11.c1', 'C4.3.t16');
  const world = await alerting();
  world.price('90');
  const bought = await world.buy(above);
  const alert = AlertView.parse(contentOf(bought));
  expect([alert.state, alert.active]).toEqual(['armed', true]);
  await world.clock.advance(0);
  expect(await paymentStates(world)).toEqual(['closed']);
  expect(world.books()).toEqual({ paid: 50_000n, refunded: 0n });

  const read = async () => {
    const content = await world.service.readResource(`stoa://alerts/${alert.alert_id}`);
    return JSON.parse(content?.text ?? '{}') as { state: string; history: { to: string }[] };
  };
  const stateLater = async () => {
    await world.clock.advance(1_000);
    return (await read()).state;
  };
  world.price('120');
  await expect.poll(stateLater).toBe('fired');
  world.prices.set('BTC/USD', 'kraken', new AppError('EGRESS_FAILED'));
  await world.clock.advance(5 * MINUTE);
  await expect.poll(stateLater).toBe('stale');
  expect((await read()).history.map(({ to }) => to)).toEqual(['armed', 'fired', 'stale']);
  expect(await world.service.readResource('stoa://alerts/alert_0')).toBeUndefined();
});

test('an alert on public events is armed, and fires when one comes', async () => {
  const world = await alerting();
  const condition = { subject: { topic: 'job.released' }, op: 'event_match' };
  const alert = AlertView.parse(contentOf(await world.buy(condition)));
  expect(alert.state).toBe('armed');
  world.events.tell('job.released', ['agent:7']);
  await world.clock.advance(MINUTE);
  const stateNow = async () => (await world.alerts.read(alert.alert_id)).state;
  await expect.poll(stateNow).toBe('fired');
});

test('an alert on headlines is bought, and one on a silent domain is not charged', async () => {
  const world = await alerting();
  const at = world.clock.now() - MINUTE;
  const title = 'Weather';
  world.told.items('a.example', [
    { title, url: 'https://a.example/1', summary: '', publishedAt: at },
  ]);
  const news = (domain: string) => ({
    subject: { news: 'rate', domains: [domain] },
    op: 'event_match',
    window_s: 600,
  });
  const alert = AlertView.parse(contentOf(await world.buy(news('a.example'))));
  expect([alert.state, alert.last_value?.unit]).toEqual(['armed', 'stories']);
  expect(contentOf(await world.buy(news('b.example')))['error']).toBe('EGRESS_FAILED');
  expect(world.books().paid).toBe(50_000n);
});

test('the same definition again finds the payer’s alert; another payer has another', async () => {
  const world = await alerting();
  world.price('90');
  const [first, again] = [contentOf(await world.buy(above)), contentOf(await world.buy(above))];
  expect(again['alert_id']).toBe(first['alert_id']);
});

test('where the source does not answer, nothing is defined and nothing is charged', async () => {
  const world = await alerting();
  world.prices.set('BTC/USD', 'kraken', new AppError('EGRESS_TIMEOUT'));
  const failed = await world.buy(above);
  expect(contentOf(failed)['error']).toBe('EGRESS_TIMEOUT');
  const unknown = await world.buy({ ...above, subject: { pair: 'NOPE/USD', venue: 'kraken' } });
  expect(contentOf(unknown)['error']).toBe('INPUT_INVALID');
  expect(world.books().paid).toBe(0n);
  expect((await world.engine.list({ kind: 'alert' })).rows).toEqual([]);
});

test('conditions that do not go together are refused before any payment is asked', async () => {
  const world = await alerting();
  const wrong = [
    { ...above, op: 'event_match' },
    { subject: { topic: 'job' }, op: 'above', threshold: '1' },
    { ...above, threshold: undefined },
    { ...above, threshold: '-5' },
    { ...above, threshold: '1e5' },
    { ...above, threshold: '0' },
    { ...above, window_s: 600 },
    { ...above, op: 'pct_change', threshold: '5' },
    { ...above, op: 'pct_change', threshold: '0', window_s: 600 },
    { ...above, op: 'volatility_above', window_s: 60 },
    { ...above, eval_interval_s: 14 },
    { ...above, stale_after_s: 30, eval_interval_s: 60 },
    { ...above, hysteresis: '-1' },
    { ...above, expires_in_s: 91 * 86_400 },
    { ...above, subject: { pair: 'btc/usd' } },
    { ...above, subject: { pair: 'BTC/USD', venue: 'nowhere' } },
    { ...above, subject: { pair: 'BTC/USD', venue: 'nowhere', candle: '1h' } },
    { ...above, subject: { pair: 'BTC/USD', between: ['kraken', 'nowhere'], after_fees: false } },
    { subject: { news: 'x', domains: ['c.example'] }, op: 'event_match', window_s: 600 },
    { ...above, notify: { webhook_id: 'wh_1' } },
    { ...above, more: true },
  ];
  for (const args of wrong) {
    const outcome = await world.call(args);
    expect(outcome.kind, JSON.stringify(args)).toBe('result');
    expect(contentOf(outcome)['error'], JSON.stringify(args)).toBe('INPUT_INVALID');
  }
});

test('mail to the operator and a foreign webhook are refused, and nothing is charged', async () => {
  const world = await alerting();
  world.price('90');
  const mailed = await world.buy({ ...above, notify: { operator: true } });
  expect(contentOf(mailed)['error']).toBe('FORBIDDEN');
  const hooked = await world.buy({ ...above, notify: { webhook_id: `wh_${'0'.repeat(40)}` } });
  expect(contentOf(hooked)['error']).toBe('WEBHOOK_UNKNOWN');
  expect(world.books().paid).toBe(0n);
});
