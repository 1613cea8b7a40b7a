import { expect, onTestFinished, test } from 'vitest';
import { defineAlertActor } from '../../../src/actors/alert/alert-definition.ts';
import { createAlerts } from '../../../src/actors/alert/alerts.ts';
import { AlertView } from '../../../src/domain/alert/view.ts';
import type { Retry } from '../../../src/domain/common/error.ts';
import type { EventLog } from '../../../src/domain/event/event-log.ts';
import { createExchangePrices } from '../../../src/providers/market/exchange-prices.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { alertTool } from '../../../src/tools/alert/oracle_alert-generator.ts';
import { EventsDouble } from '../../support/alert-world.ts';
import { realClock } from '../../support/real-clock.ts';
import { contentOf, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { feedServer } from '../../support/upstreams/feed-server.ts';
import { marketRig } from '../../support/upstreams/market-rig.ts';

const pair = 'BTC/USD';
const level = { op: 'above', threshold: '1' };
/** What an alert may be defined on, beside the public events of this service itself. */
const CONDITIONS = {
  price: { subject: { pair, venue: 'coinbase' }, ...level },
  candles: { subject: { pair, venue: 'coinbase', candle: '1m' }, ...level },
  spread: { subject: { pair, between: ['kraken', 'coinbase'], after_fees: false }, ...level },
  headlines: {
    subject: { news: 'rate cut', domains: ['a.example'] },
    op: 'event_match',
    window_s: 600,
  },
} as const;
type Subject = keyof typeof CONDITIONS;
const SUBJECTS = Object.keys(CONDITIONS) as Subject[];

/**
 * What answers in spite of its fault: candles are asked for by their time, whatever clock the
 * exchange has, and old headlines, or ones from the future, are no news.
 */
const ANSWERED: Partial<Record<UpstreamFault, readonly Subject[]>> = {
  stale: ['headlines'],
  skewed_clock: ['candles', 'headlines'],
};

/** The tool over the readers that serve, with the fault at the source that its alert names. */
async function seller(fault?: UpstreamFault) {
  const rig = await marketRig({ venue: 'coinbase', ...(fault === undefined ? {} : { fault }) });
  // Its order books have an address of their own.
  rig.server.dial('coinbasebooks', fault);
  const news = await feedServer();
  news.hold('a.example', [{ title: 'Weather', url: 'https://a.example/1' }]);
  news.dial('a.example', fault);
  const egress = createEgress({
    clock: realClock,
    userAgent: 'stoa/test',
    allowHosts: [news.host],
  });
  const clock = realClock;
  // Short only where the time is what is tested.
  const patience = fault === 'hang' || fault === 'slow_drip' ? { answerMs: 200 } : {};
  const feeds = createFeedReader({ egress, clock, feeds: [news.feed('a.example')], ...patience });
  const prices = createExchangePrices({ quotes: rig.quotes, clock });
  const events = new EventsDouble() as unknown as EventLog;
  const sources = { prices, markets: rig.markets, feeds, events };
  const definitions = [defineAlertActor(sources)];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  const ends = [() => engine.close(), rig.close, () => egress.close(), news.close];
  onTestFinished(async () => {
    for (const end of ends) await end();
  });
  const parts = {
    ...sources,
    engine,
    clock,
    seal: (text: string) => Buffer.from(text).toString('hex'),
  };
  const alerts = createAlerts({ ...parts, requireWebhook: async () => undefined });
  const sold = await sellTool(() =>
    alertTool({ alerts, payerOf: async () => `0x${'1'.repeat(40)}` }),
  );
  return { sold, engine };
}

test.each(SUBJECTS)('an alert on %s is sold where its source answers', async (subject) => {
  const { sold } = await seller();
  const view = AlertView.parse(contentOf(await sold.buy(CONDITIONS[subject])));
  expect([view.state === 'stale', sold.charged()]).toEqual([false, 50_000n]);
});

const CASES = FAULTS.flatMap((fault) =>
  SUBJECTS.filter((subject) => ANSWERED[fault]?.includes(subject) !== true).map(
    (subject) => [fault, subject] as const,
  ),
);

test.each(CASES)(
  'fault %s of the source, alert on %s: its code, its retry, and no charge',
  async (fault, subject) => {
    const { sold, engine } = await seller(fault);
    const outcome = await sold.buy(CONDITIONS[subject]);
    const content = contentOf(outcome) as { error: string; retry: Retry; data: { fault: object } };
    const [code, retryable] = FAULT_ANSWERS[fault];
    expect(content.data?.fault).toMatchObject({ code, retryable });
    expect(content.retry).toBe(retryable ? 'later' : 'never');
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect((await engine.list({ kind: 'alert' })).rows).toEqual([]);
    expect(sold.charged()).toBe(0n);
  },
);

test.each(Object.entries(ANSWERED))(
  'with the fault %s, alerts on %j are sold with a value',
  async (fault, subjects) => {
    for (const subject of subjects) {
      const { sold } = await seller(fault as UpstreamFault);
      const view = AlertView.parse(contentOf(await sold.buy(CONDITIONS[subject])));
      expect([subject, view.last_value?.stale, sold.charged()]).toEqual([subject, false, 50_000n]);
    }
  },
);
