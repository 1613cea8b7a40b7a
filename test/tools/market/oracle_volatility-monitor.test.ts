import { expect, onTestFinished, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { VolatilityReport } from '../../../src/domain/market/report/volatility-report.ts';
import { volatilityTool } from '../../../src/tools/market/oracle_volatility-monitor.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import type { MadeMarket } from '../../support/upstreams/made-markets.ts';
import { marketRig } from '../../support/upstreams/market-rig.ts';

interface Answer {
  readonly completeness: string;
  readonly data: VolatilityReport | null;
  readonly faults: readonly DataFailure[];
  readonly sources: readonly { readonly upstream: string }[];
}

const HOUR = 3_600_000;

async function bought(
  args: object,
  set: { fault?: UpstreamFault; markets?: Readonly<Record<string, MadeMarket>> } = {},
) {
  const opened = await marketRig({ ...set, venue: 'coinbase' });
  onTestFinished(() => opened.close());
  const { markets } = opened;
  const sold = await sellTool((trust) => volatilityTool({ trust, clock: realClock, markets }));
  const outcome = await sold.buy({ pair: 'BTC/USD', ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged(), hits: opened.server.hits };
}

/** Every candle swings by the same factor around one price. */
const steady: MadeMarket = {
  candle: (at) => ({ at, open: 100, close: 100, high: 101, low: 99, volume: 1 }),
};

test('volatility comes with formula, sources and thresholds', async () => {
  proves('C4.3.t23');
  const thresholds = [
    { level: '1', direction: 'above' },
    { level: '1', direction: 'below' },
  ];
  const { answer, charged } = await bought(
    { estimator: 'parkinson', window: '7d', thresholds },
    { markets: { coinbase: steady } },
  );
  // Parkinson (1980): ln(101/99) / (2 sqrt(ln 2)) of an interval, 8760 hours a year.
  const wanted = (Math.log(101 / 99) / (2 * Math.sqrt(Math.LN2))) * Math.sqrt(8_760) * 100;
  expect(Number(answer.data?.realized_vol_annualized.value)).toBeCloseTo(wanted, 3);
  expect(answer.data).toMatchObject({
    venue: 'coinbase',
    n: 168,
    gaps: [],
    periods_per_year: 8_760,
    atr: { value: '2', unit: 'USD' },
    max_drawdown_pct: '0',
    by_estimator: { close_to_close: '0', ewma: '0' },
    thresholds: [{ breached: true }, { breached: false }],
  });
  expect(answer.sources[0]?.upstream).toBe('coinbase');
  expect([answer.completeness, charged]).toEqual(['full', 20_000n]);
});

test('missing candles are named, and no return is taken over them', async () => {
  const isGone = (at: number) => (at / HOUR) % 24 === 5;
  const { answer } = await bought({ window: '7d' }, { markets: { coinbase: { missing: isGone } } });
  expect(answer.data?.n).toBe(161);
  expect(answer.data?.gaps).toHaveLength(7);
  expect(answer.data?.gaps[0]).toMatchObject({ missing: 1 });
});

test('fewer than 20 candles give no figure, and nothing is charged', async () => {
  const isGone = (at: number) => at < Math.floor(Date.now() / HOUR) * HOUR - 19 * HOUR;
  const asked = { window: '7d', venue: 'coinbase' };
  const { answer, charged } = await bought(asked, { markets: { coinbase: { missing: isGone } } });
  expect([answer.data, answer.faults[0]?.code, charged]).toEqual([null, 'not_found', 0n]);
});

test('without a named venue the next one answers for one that fails', async () => {
  const { answer, charged } = await bought({}, { fault: 'forbidden_page' });
  expect([answer.data?.venue, charged]).toEqual(['kraken', 20_000n]);
  expect(answer.faults[0]).toMatchObject({ upstream: 'coinbase', code: 'blocked_by_upstream' });
});

const EXPECTED: Readonly<Record<UpstreamFault, readonly [string, boolean]>> = {
  ...FAULT_ANSWERS,
  // Candles that are not finished by our clock are left out: what is left is sound.
  skewed_clock: ['', false],
};

test.each(FAULTS)(
  'a venue with the fault %s: its code, its retry, and no charge',
  async (fault) => {
    const asked = { venue: 'coinbase', window: '1h', interval: '1m' };
    const { answer, outcome, charged } = await bought(asked, { fault });
    if (fault === 'skewed_clock') {
      expect([answer.completeness, charged]).toEqual(['full', 20_000n]);
      return;
    }
    const [found] = answer.faults;
    expect([found?.code, found?.retryable]).toEqual(EXPECTED[fault]);
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test('a window of too few or too many candles, or a currency of no venue, is refused', async () => {
  const { markets, close } = await marketRig({ venue: 'coinbase' });
  onTestFinished(close);
  const sold = await sellTool((trust) => volatilityTool({ trust, clock: realClock, markets }));
  for (const wrong of [
    { window: '24h', interval: '1d' },
    { window: '30d', interval: '1m' },
    { pair: 'BTC/YEN' },
    { pair: 'BTC/USD', venue: 'binance' },
    { venue: 'nowhere' },
  ]) {
    const content = contentOf(await sold.ask({ pair: 'BTC/USD', ...wrong }));
    expect(content['error']).toBe('INPUT_INVALID');
  }
});
