import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { PlayReport } from '../../../src/domain/market/report/play-report.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { investmentPlaysTool } from '../../../src/tools/market/crypto_investment-plays.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { ccxtThread } from '../../support/upstreams/ccxt-thread.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { type MadeCandle, madeMarkets } from '../../support/upstreams/made-markets.ts';
import { quickReader } from '../../support/upstreams/quick-reader.ts';
import { type UpstreamServer, upstreamServer } from '../../support/upstreams/upstream-server.ts';

interface Answer {
  readonly completeness: string;
  readonly data: PlayReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

const HOUR_MS = 3_600_000;
const VENUES = ['coinbase', 'kraken', 'bitstamp'] as const;

/** Nearly flat, and in the last finished candle a close above all highs before. */
function rising(at: number, length: number): MadeCandle {
  const newest = Math.floor(Date.now() / length) * length - length;
  const open = 100 + ((at / length) % 2) * 0.1;
  const close = at >= newest ? 102 : open;
  return { at, open, close, high: close + 0.2, low: open - 0.2, volume: 10 };
}

const flat = (at: number, length: number) => ({
  ...rising(0, length),
  at,
  close: 100,
  high: 100.2,
});

let server: UpstreamServer;
let egress: Egress;
async function open(candle: (at: number, length: number) => MadeCandle) {
  const markets = Object.fromEntries(VENUES.map((id) => [id, { candle }]));
  server = await upstreamServer(Date.now, madeMarkets(markets));
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [server.host] });
}
beforeEach(() => open(rising));
afterEach(async () => {
  await egress.close();
  await server.close();
});

async function sold(fault?: UpstreamFault) {
  const reader = quickReader({ egress, baseUrls: server.baseUrls, fault, haste: 50 });
  const deps = {
    clock: realClock,
    ...createExchanges({ reader, clock: realClock, thread: ccxtThread }),
  };
  return sellTool((trust) => investmentPlaysTool({ trust, ...deps }));
}

async function bought(args: object, fault?: UpstreamFault) {
  const tool = await sold(fault);
  const outcome = await tool.buy({ universe: ['BTC'], ...args });
  const answer = answerOf<Answer>(tool, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, charged: tool.charged() };
}

test('a play has entry, exit, size and risk, and every figure of it cites its source', async () => {
  proves('C4.3.t7');
  const { answer, charged } = await bought({ risk: 'high' });
  const [play] = answer.data?.plays ?? [];
  expect(play).toMatchObject({ instrument: 'BTC/USD', rule: 'breakout' });
  expect(play?.entry).toMatchObject({ type: 'stop', level: { value: '102.2', unit: 'USD' } });
  const [first, second] = play?.exit.take_profit.map(({ value }) => Number(value)) ?? [];
  expect(Number(play?.exit.stop_loss.value)).toBeLessThan(102.2);
  expect([(first ?? 0) > 102.2, (second ?? 0) > (first ?? 0)]).toEqual([true, true]);
  expect(play?.inputs.map(({ name }) => name)).toEqual(['close', 'channel_top_20', 'atr_14']);
  expect(play?.inputs.every(({ value }) => value.sources.length > 0)).toBe(true);
  const heavy = play?.risk_components.reduce((sum, one) => sum + one.score * one.weight, 0) ?? 0;
  expect(play?.risk_score).toBe(Math.round(heavy));
  expect(play?.risk_components.every(({ known }) => known)).toBe(true);
  const hour = Date.parse(play?.entry.until ?? '') - Date.parse(play?.backtest.to ?? '');
  expect([hour, play?.backtest.hit_rate_pct]).toEqual([HOUR_MS, null]);
  expect([answer.completeness, charged]).toEqual(['full', 100_000n]);
});

test('where no rule applies that is the answer, and it has been bought', async () => {
  await egress.close();
  await server.close();
  await open(flat);
  const { answer, charged } = await bought({ risk: 'high' });
  expect(answer.data?.plays).toEqual([]);
  expect(answer.data?.without_play).toEqual([
    { instrument: 'BTC/USD', why: 'no_rule_applies', risk_score: null },
  ]);
  expect(charged).toBe(100_000n);
});

test('a volume that nobody tells counts as full risk', async () => {
  for (const path of ['/products/BTC-USD/ticker']) server.answer('coinbase', path, {});
  server.answer('kraken', '/0/public/Ticker?pair=XBTUSD', {});
  server.answer('bitstamp', '/api/v2/ticker/btcusd/', {});
  const { answer } = await bought({ risk: 'high' });
  const [play] = answer.data?.plays ?? [];
  const unknown = play?.risk_components.filter(({ known }) => !known);
  expect(unknown?.map(({ name, score }) => [name, score])).toEqual([
    ['liquidity', 100],
    ['concentration', 100],
  ]);
  expect(play?.risk_score).toBeGreaterThan(30);
});

test('a play above the limit of the level is named with its score, and not given', async () => {
  const wild = (at: number, length: number) => {
    const close = rising(at, length).close + ((at / length) % 2) * 12;
    return { ...rising(at, length), close, high: close + 0.2 };
  };
  await egress.close();
  await server.close();
  await open((at, length) => {
    const made = wild(at, length);
    const isNew = rising(at, length).close > 101;
    return isNew ? { ...made, close: 140, high: 141 } : made;
  });
  const { answer, charged } = await bought({ risk: 'low' });
  expect(answer.data?.plays).toEqual([]);
  const [without] = answer.data?.without_play ?? [];
  expect(without).toMatchObject({ instrument: 'BTC/USD', why: 'risk_above_limit' });
  expect(without?.risk_score).toBeGreaterThan(answer.data?.risk_score_max ?? 0);
  expect(charged).toBe(100_000n);
});

test('candles come from the next venue where one fails, and the failure is named', async () => {
  server.dial('coinbase', 'forbidden_page');
  const { answer } = await bought({ risk: 'high' });
  expect(answer.data?.plays).toHaveLength(1);
  expect(answer.faults[0]).toMatchObject({ upstream: 'coinbase', code: 'blocked_by_upstream' });
});

/** Old candles are a test of their own; ones are asked for by their time, whatever clock a venue has. */
const ASKED = FAULTS.filter((fault) => fault !== 'stale' && fault !== 'skewed_clock');

test.each(ASKED)('all venues with the fault %s: code, retry, and no charge', async (fault) => {
  for (const id of VENUES) server.dial(id, fault);
  const { answer, charged } = await bought({ risk: 'high' }, fault);
  const found = answer.faults.map(({ code, retryable }) => [code, retryable]);
  expect(found).toEqual(VENUES.map(() => FAULT_ANSWERS[fault]));
  expect([answer.data, charged]).toEqual([null, 0n]);
});

test('venues whose candles end an hour ago give nothing that can be acted on', async () => {
  for (const id of VENUES) server.dial(id, 'stale');
  const { answer, charged } = await bought({ risk: 'high', horizon: 'hours' });
  expect(answer.faults.map(({ code }) => code)).toEqual(VENUES.map(() => 'stale_data'));
  expect([answer.data, charged]).toEqual([null, 0n]);
});

test('an order that contradicts itself is refused before any payment', async () => {
  const tool = await sold();
  const wrong = [
    {},
    { risk: 'extreme' },
    { risk: 'low', universe: [] },
    { risk: 'low', universe: ['BTC', 'BTC'] },
    { risk: 'low', universe: ['btc'] },
    { risk: 'low', horizon: 'years' },
  ];
  for (const args of wrong) expect(contentOf(await tool.ask(args))['error']).toBe('INPUT_INVALID');
  expect(server.hits).toEqual([]);
});
