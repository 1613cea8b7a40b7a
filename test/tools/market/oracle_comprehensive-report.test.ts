import { expect, test } from 'vitest';
import { hashJson } from '../../../src/domain/common/hash.ts';
import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { ComprehensiveReport } from '../../../src/domain/market/report/comprehensive-report.ts';
import { comprehensiveTool } from '../../../src/tools/market/oracle_comprehensive-report.ts';
import { proves } from '../../support/proves.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import {
  BOOK_VENUES,
  DOLLAR_VENUES,
  OPINION_CHANNELS,
  type TickerSetting,
  tickerRig,
} from '../../support/upstreams/ticker-rig.ts';

interface Answer {
  readonly completeness: string;
  readonly data: ComprehensiveReport | null;
  readonly sources: readonly { readonly id: string }[];
  readonly coverage: { readonly asked: number; readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

async function bought(args: object = {}, set: TickerSetting = {}) {
  const { parts } = await tickerRig(set);
  const sold = await sellTool((trust) => comprehensiveTool({ trust, ...parts }));
  const outcome = await sold.buy({ ticker: 'BTC', ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged() };
}

function statesOf({ data }: Answer) {
  return Object.fromEntries(
    Object.entries(data?.sections ?? {}).map(([name, { status }]) => [name, status]),
  );
}

test('a report has five sections, each with its status, its sources and its hash', async () => {
  proves('C4.3.t17');
  const { answer, charged } = await bought();
  const { price, volatility, history, arbitrage, sentiment } = answer.data?.sections ?? {};
  const states = { price: 'full', volatility: 'full', history: 'full', arbitrage: 'full' };
  expect(statesOf(answer)).toEqual({ ...states, sentiment: 'partial' });
  const known = new Set(answer.sources.map(({ id }) => id));
  for (const section of [price, volatility, history, arbitrage, sentiment]) {
    expect(section?.sources.length).toBeGreaterThan(0);
    expect(section?.sources.every((id) => known.has(id))).toBe(true);
    expect(section?.sha256).toBe(hashJson(section?.report as unknown as JsonObject));
  }
  expect(volatility?.report).toMatchObject({ window: '7d', interval: '1h', n: 168 });
  expect(history?.report).toMatchObject({ interval: '1d', n: 90, gaps: [] });
  expect(arbitrage?.report?.size_quote).toBe('10000');
  // Nobody of the paper writes of it, and in one channel two authors write all.
  expect(answer.coverage.missing).toEqual(['sentiment:news', 'sentiment:lemmy']);
  expect([answer.completeness, charged]).toEqual(['partial', 120_000n]);
});

test('window, days and size of the sections are those that were asked', async () => {
  const args = { volatility_window: '24h', history_days: 30, size_quote: '202' };
  const { answer } = await bought(args);
  const { volatility, history, arbitrage } = answer.data?.sections ?? {};
  expect(volatility?.report).toMatchObject({ window: '24h', n: 96 });
  expect([history?.report?.n, arbitrage?.report?.size_quote]).toEqual([30, '202']);
});

const DATED: readonly UpstreamFault[] = ['stale', 'skewed_clock'];

test.each(FAULTS.filter((fault) => !DATED.includes(fault)))(
  'all exchanges with the fault %s: code, retry, and no charge for sentiment alone',
  async (fault) => {
    const { answer, outcome, charged } = await bought({}, { fault, at: BOOK_VENUES });
    for (const venue of DOLLAR_VENUES) {
      const found = answer.faults.filter(({ upstream }) => upstream === venue);
      const codes = found.map((one) => [one.code, one.retryable]);
      // Four sections ask the same exchange: while they wait to ask again, its circuit may open.
      const isOpened = fault === 'rate_limit';
      const allowed = isOpened
        ? [FAULT_ANSWERS[fault], FAULT_ANSWERS.server_error]
        : [FAULT_ANSWERS[fault]];
      expect(allowed).toContainEqual(codes[0]);
      // Four sections share the turns at one host: on a slow machine the last may get none in time.
      const inTurn = found.filter(({ code }) => code !== 'deadline_exceeded');
      expect(inTurn.every(({ retryable }) => retryable === FAULT_ANSWERS[fault][1])).toBe(true);
    }
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test.each(DATED)(
  'exchanges with the fault %s: no price and no spreads, the past is told',
  async (fault) => {
    const { answer, charged } = await bought({}, { fault, at: BOOK_VENUES });
    const states = { price: 'none', arbitrage: 'none', history: 'full', volatility: 'full' };
    expect(statesOf(answer)).toMatchObject(states);
    const { price } = answer.data?.sections ?? {};
    expect(price).toMatchObject({ report: null, sha256: null, sources: [] });
    expect(price?.faults[0]?.code).toBe(FAULT_ANSWERS[fault][0]);
    expect([answer.completeness, charged]).toEqual(['partial', 120_000n]);
  },
);

test.each(FAULTS)('all channels with the fault %s: four sections are left', async (fault) => {
  const { answer, charged } = await bought({}, { fault, at: OPINION_CHANNELS });
  const isRead = fault === 'stale';
  expect(statesOf(answer)['sentiment']).toBe(isRead ? 'partial' : 'none');
  const { sentiment } = answer.data?.sections ?? {};
  const found = sentiment?.faults.find(({ upstream }) => upstream === 'mastodon');
  // What is dated ahead does not count, and too little is left.
  const expected = fault === 'skewed_clock' ? ['not_found', false] : FAULT_ANSWERS[fault];
  expect(isRead ? expected : [found?.code, found?.retryable]).toEqual(expected);
  expect([answer.completeness, charged]).toEqual(['partial', 120_000n]);
});

test('an order that cannot be answered is refused before any payment', async () => {
  const { parts, server } = await tickerRig();
  const sold = await sellTool((trust) => comprehensiveTool({ trust, ...parts }));
  const known = { ticker: 'BTC' };
  const wrong = [
    {},
    { ticker: 'btc' },
    { ...known, vs: 'XYZ' },
    { ...known, history_days: 5 },
    { ...known, size_quote: '0' },
    { ...known, size_quote: '1e400' },
    { ...known, topic: '?!' },
  ];
  for (const args of wrong) expect(contentOf(await sold.ask(args))['error']).toBe('INPUT_INVALID');
  expect(server.hits).toEqual([]);
});
