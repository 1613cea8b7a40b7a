import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import { NAMED_VENUE_IDS } from '../../../src/domain/market/venue/venues.ts';
import { historyTool } from '../../../src/tools/market/oracle_historical-analysis.ts';
import { marketArbitrageTool } from '../../../src/tools/market/oracle_market-arbitrage.ts';
import { priceFeedTool } from '../../../src/tools/market/oracle_price-feed.ts';
import { volatilityTool } from '../../../src/tools/market/oracle_volatility-monitor.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { type MarketRig, marketRig } from '../../support/upstreams/market-rig.ts';

interface Answer {
  readonly completeness: string;
  readonly data: JsonObject | null;
  readonly faults: readonly DataFailure[];
  readonly sources: readonly { readonly upstream: string; readonly url: string }[];
}

const HOUR = 3_600_000;
const instant = (ms: number) => new Date(ms).toISOString();

/** What is bought at each tool: of one exchange, for arbitrage beside one that is well. */
function ordersOf(venue: string) {
  const to = Math.floor(Date.now() / HOUR) * HOUR;
  const pair = venue === 'gemini' ? 'BTC/USD' : 'BTC/USDT';
  return {
    prices: { pair, venue, max_age_s: 300 },
    spreads: { pair, venues: ['kraken', venue], max_skew_ms: 10_000 },
    volatility: { pair, venue, window: '24h', interval: '15m' },
    history: { pair, venue, interval: '1h', from: instant(to - 40 * HOUR), to: instant(to) },
  };
}

type Shop = keyof ReturnType<typeof ordersOf>;
const clock = realClock;

const SHOPS: Readonly<Record<Shop, (rig: MarketRig) => ReturnType<typeof sellTool>>> = {
  prices: ({ quotes }) => sellTool((trust) => priceFeedTool({ trust, clock, quotes })),
  spreads: ({ markets }) => sellTool((trust) => marketArbitrageTool({ trust, clock, markets })),
  volatility: ({ markets }) => sellTool((trust) => volatilityTool({ trust, clock, markets })),
  history: ({ markets }) => sellTool((trust) => historyTool({ trust, clock, markets })),
};

async function bought(name: Shop, venue: 'okx' | 'gemini', fault?: UpstreamFault) {
  const rig = await marketRig({ venue, ...(fault === undefined ? {} : { fault }) });
  onTestFinished(() => rig.close());
  const sold = await SHOPS[name](rig);
  const outcome = await sold.buy(ordersOf(venue)[name]);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { ...answerOf<Answer>(sold, outcome), charged: sold.charged() };
}

const DATA = {
  prices: (venue: string) => ({ venue, reference: null }),
  spreads: (venue: string) => ({ venues: [{ venue: 'kraken' }, { venue }] }),
  volatility: (venue: string) => ({ venue, n: 96 }),
  history: (venue: string) => ({ venue, n: 40 }),
} as const;
const NAMES = Object.keys(DATA) as readonly Shop[];

test.each(NAMES.flatMap((name) => [[name, 'okx'] as const, [name, 'gemini'] as const]))(
  'the tool of %s has %s by name, each figure with its source',
  async (name, venue) => {
    const { completeness, sources, faults, data, charged } = await bought(name, venue);
    expect([completeness, faults]).toEqual(['full', []]);
    expect(sources.map(({ upstream }) => upstream)).toContain(venue);
    expect(data).toMatchObject(DATA[name](venue));
    expect(charged).toBeGreaterThan(0n);
  },
);

test('no exchange that wants to be named is asked where none is named', async () => {
  const { quotes, markets, server, close } = await marketRig({ venue: 'okx' });
  onTestFinished(close);
  const prices = await sellTool((trust) => priceFeedTool({ trust, clock, quotes }));
  const spreads = await sellTool((trust) => marketArbitrageTool({ trust, clock, markets }));
  await prices.buy({ pair: 'BTC/USDT' });
  await spreads.buy({ pair: 'BTC/USDT' });
  const asked = server.hits.map((hit) => hit.split(' ')[0] ?? '');
  expect(asked).toContain('binance');
  expect(asked.filter((id) => NAMED_VENUE_IDS.some((further) => further === id))).toEqual([]);
});

/** Candles are as old as they say: those of an hour ago are old to a monitor alone. */
const ANSWERED: Partial<Record<UpstreamFault, readonly Shop[]>> = {
  stale: ['history'],
  skewed_clock: ['volatility', 'history'],
};

test.each(FAULTS)('okx with the fault %s: its code at each tool, and no charge', async (fault) => {
  for (const name of NAMES) {
    const { data, faults, charged } = await bought(name, 'okx', fault);
    if (ANSWERED[fault]?.includes(name) === true) {
      expect(charged, name).toBeGreaterThan(0n);
      continue;
    }
    const told = faults.find(({ upstream }) => upstream === 'okx');
    expect([told?.code, told?.retryable], name).toEqual(FAULT_ANSWERS[fault]);
    expect([data, charged], name).toEqual([null, 0n]);
  }
});
