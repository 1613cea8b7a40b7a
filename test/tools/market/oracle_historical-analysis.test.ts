import { expect, onTestFinished, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { HistoryReport } from '../../../src/domain/market/report/history-report.ts';
import { historyTool } from '../../../src/tools/market/oracle_historical-analysis.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import type { MadeMarket } from '../../support/upstreams/made-markets.ts';
import { marketRig } from '../../support/upstreams/market-rig.ts';

interface Answer {
  readonly data: HistoryReport | null;
  readonly faults: readonly DataFailure[];
}

const HOUR = 3_600_000;
const FROM = Date.parse('2026-10-01T00:00:00.000Z');
const hundred = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-05T04:00:00.000Z' };

async function bought(args: object, set: { fault?: UpstreamFault; market?: MadeMarket } = {}) {
  const { fault, market = {} } = set;
  const made = { markets: { coinbase: market }, venue: 'coinbase' as const };
  const { markets, close } = await marketRig({
    ...made,
    ...(fault === undefined ? {} : { fault }),
  });
  onTestFinished(close);
  const sold = await sellTool((trust) => historyTool({ trust, clock: realClock, markets }));
  const asked = { pair: 'BTC/USD', venue: 'coinbase', interval: '1h', ...hundred, ...args };
  const outcome = await sold.buy(asked);
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, charged: sold.charged() };
}

/** Rises by one an hour, falls by half for the last ten of a hundred. */
const rise: MadeMarket = {
  candle: (at) => {
    const hour = (at - FROM) / HOUR;
    const close = hour < 90 ? 100 + hour : 94.5;
    return { at, open: close, close, high: close, low: close, volume: 1 };
  },
};

test('trends, falls and patterns are named with their rules, and what was read', async () => {
  proves('C4.3.t19');
  const { answer, charged } = await bought({}, { market: rise });
  expect(answer.data).toMatchObject({
    venue: 'coinbase',
    n: 100,
    gaps: [],
    first_open: { value: '100' },
    last_close: { value: '94.5', unit: 'USD' },
    highest: { value: '189' },
    lowest: { value: '94.5' },
    // From 189 to 94.5, and not back.
    drawdowns: [{ until: null, depth_pct: '50' }],
  });
  // While the mean of 20 is still above that of 50, the rule says sideways.
  expect(answer.data?.regimes?.map(({ regime }) => regime)).toEqual(['up', 'sideways', 'down']);
  const names = answer.data?.patterns?.map(({ name }) => name) ?? [];
  expect(names).toEqual(expect.arrayContaining(['breakout_up', 'breakout_down', 'overbought']));
  expect(charged).toBe(30_000n);
});

test('missing candles are named, and only the studies that were asked are made', async () => {
  const missing = (at: number) => at === FROM + 7 * HOUR;
  const { answer } = await bought({ studies: ['returns'] }, { market: { missing } });
  expect(answer.data?.gaps).toEqual([
    { from: '2026-10-01T07:00:00.000Z', to: '2026-10-01T08:00:00.000Z', missing: 1 },
  ]);
  expect([answer.data?.returns?.n, answer.data?.patterns]).toEqual([97, null]);
});

test.each(FAULTS)(
  'a venue with the fault %s: its code, its retry, and no charge',
  async (fault) => {
    const { answer, charged } = await bought({}, { fault });
    const found = answer.faults.map(({ code, retryable }) => [code, retryable]);
    if (fault === 'stale' || fault === 'skewed_clock') {
      // What is past has its own times: a clock that is off changes nothing.
      expect([found, charged]).toEqual([[], 30_000n]);
      return;
    }
    expect(found[0]).toEqual(FAULT_ANSWERS[fault]);
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test('a stretch of too few or too many candles is refused', async () => {
  const { markets, close } = await marketRig({ venue: 'coinbase' });
  onTestFinished(close);
  const sold = await sellTool((trust) => historyTool({ trust, clock: realClock, markets }));
  for (const wrong of [{ interval: '1d' }, { interval: '1m' }, { to: hundred.from }]) {
    const args = { pair: 'BTC/USD', interval: '1h', ...hundred, ...wrong };
    expect(contentOf(await sold.ask(args))['error']).toBe('INPUT_INVALID');
  }
});
