import { expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import { INDICATOR_NAMES } from '../../../src/domain/market/indicators.ts';
import type { AnalysisReport } from '../../../src/domain/market/report/analysis-report.ts';
import { marketAnalyzerTool } from '../../../src/tools/market/crypto_market-analyzer.ts';
import { proves } from '../../support/proves.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS } from '../../support/upstreams/fault-dial.ts';
import {
  DOLLAR_VENUES,
  OPINION_CHANNELS,
  type TickerSetting,
  tickerRig,
} from '../../support/upstreams/ticker-rig.ts';

interface Answer {
  readonly completeness: string;
  readonly data: AnalysisReport | null;
  readonly coverage: { readonly asked: number; readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

async function bought(args: object = {}, set: TickerSetting = {}) {
  const { parts, server } = await tickerRig(set);
  const sold = await sellTool((trust) => marketAnalyzerTool({ trust, ...parts }));
  const outcome = await sold.buy({ ticker: 'BTC', ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, server, charged: sold.charged() };
}

/** Closes that rise by one in each candle, more slowly towards the end. */
const RISING = {
  candle: (at: number, length: number) => {
    const open = 1_000 + Math.floor((at - Date.now()) / length);
    return { at, open, close: open + 1, high: open + 1.5, low: open - 0.5, volume: 10 };
  },
};
const rising = Object.fromEntries(DOLLAR_VENUES.map((id) => [id, RISING]));

test('a ticker is seen from three sides, and every figure cites its source', async () => {
  proves('C4.3.t8');
  const { answer, charged } = await bought({}, { markets: rising });
  const { market, technicals, sentiment } = answer.data ?? {};
  expect(market?.price.sources).toHaveLength(market?.venues.length ?? 0);
  expect(market?.venues).toEqual(expect.arrayContaining([...DOLLAR_VENUES]));
  expect(technicals?.indicators.map(({ name }) => name)).toEqual(INDICATOR_NAMES);
  expect(technicals).toMatchObject({ candles: 280, candles_missing: 0, interval: '1h' });
  expect(sentiment?.topic).toBe('Bitcoin');
  expect(sentiment?.overall?.score.sources.length).toBeGreaterThan(0);
  // Nobody of the paper writes of it, and in one channel two authors write all.
  expect(answer.coverage.missing).toEqual(['sentiment:news', 'sentiment:lemmy']);
  expect([answer.completeness, charged]).toEqual(['partial', 80_000n]);
});

test('signals follow their rules, and are counted and not weighed', async () => {
  const { answer } = await bought({}, { markets: rising });
  const { indicators = [], signals } = answer.data?.technicals ?? {};
  const said = Object.fromEntries(indicators.map(({ name, signal }) => [name, signal]));
  // A straight rise: bought too far by RSI, above its means, on rising volume, in a trend.
  expect(said).toMatchObject({
    RSI: 'bearish',
    'EMA 20': 'bullish',
    'EMA 200': 'bullish',
    ATR: 'neutral',
    'OBV change': 'bullish',
    ADX: 'bullish',
    'Bollinger upper': 'neutral',
  });
  const value = (wanted: string) => indicators.find(({ name }) => name === wanted)?.value;
  expect(value('RSI')).toMatchObject({ value: '100', unit: 'index' });
  expect(value('ATR')).toMatchObject({ value: '2', unit: 'USD' });
  expect(value('OBV change')).toMatchObject({ value: '200', unit: 'BTC' });
  const sum = (signals?.bullish ?? 0) + (signals?.bearish ?? 0) + (signals?.neutral ?? 0);
  expect(sum).toBe(INDICATOR_NAMES.length);
  expect(indicators.every(({ rule }) => rule.length > 10)).toBe(true);
});

test('an indicator with too few candles is named, and never zero', async () => {
  const begin = Date.now() - 100 * 3_600_000;
  const young = { ...RISING, missing: (at: number) => at < begin };
  const markets = Object.fromEntries(DOLLAR_VENUES.map((id) => [id, young]));
  const { answer } = await bought({}, { markets });
  expect(answer.data?.technicals?.too_few_candles_for).toEqual(['EMA 200']);
  expect(answer.coverage.missing).toContain('indicator:EMA 200');
});

test('words of the caller stand in place of the name of the ticker', async () => {
  const { answer } = await bought({ topic: 'zeppelin airship' });
  expect(answer.data?.sentiment).toBeNull();
  expect(answer.coverage.missing).toEqual(
    expect.arrayContaining(OPINION_CHANNELS.map((name) => `sentiment:${name}`)),
  );
});

test.each(FAULTS.filter((fault) => fault !== 'skewed_clock'))(
  'all exchanges with the fault %s: code, retry, and no charge for sentiment alone',
  async (fault) => {
    const { answer, outcome, charged } = await bought(
      { horizon: 'hours' },
      { fault, at: DOLLAR_VENUES },
    );
    for (const venue of DOLLAR_VENUES) {
      const found = answer.faults.find(({ upstream }) => upstream === venue);
      expect([found?.code, found?.retryable]).toEqual(FAULT_ANSWERS[fault]);
    }
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test('quotes dated ahead are not used; candles have times of their own', async () => {
  const set = { fault: 'skewed_clock', at: DOLLAR_VENUES } as const;
  const { answer, charged } = await bought({}, set);
  expect(answer.data?.market).toBeNull();
  expect(answer.data?.technicals).not.toBeNull();
  expect(answer.faults[0]).toMatchObject({ code: 'stale_data' });
  expect([answer.completeness, charged]).toEqual(['partial', 80_000n]);
});

test.each(FAULTS)(
  'a channel with the fault %s: its code, and the rest is answered',
  async (fault) => {
    const { answer, charged } = await bought({}, { fault, at: ['mastodon'] });
    // An hour back is within the window; what is dated ahead does not count.
    const expected = fault === 'skewed_clock' ? ['not_found', false] : FAULT_ANSWERS[fault];
    const isMissing = answer.coverage.missing.includes('sentiment:mastodon');
    expect(isMissing).toBe(fault !== 'stale');
    const found = answer.faults.find(({ upstream }) => upstream === 'mastodon');
    expect(isMissing ? [found?.code, found?.retryable] : expected).toEqual(expected);
    expect(answer.data?.technicals).not.toBeNull();
    expect(charged).toBe(80_000n);
  },
);

test('an order that cannot be answered is refused before any payment', async () => {
  const { parts, server } = await tickerRig();
  const sold = await sellTool((trust) => marketAnalyzerTool({ trust, ...parts }));
  const wrong = [{}, { ticker: 'btc' }, { vs: 'XYZ' }, { horizon: 'years' }, { topic: '?!' }];
  for (const args of wrong) {
    const asked = args === wrong[0] ? {} : { ticker: 'BTC', ...args };
    expect(contentOf(await sold.ask(asked))['error']).toBe('INPUT_INVALID');
  }
  expect(server.hits).toEqual([]);
});
