import { expect, onTestFinished, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { ArbitrageReport } from '../../../src/domain/market/report/arbitrage-report.ts';
import { marketArbitrageTool } from '../../../src/tools/market/oracle_market-arbitrage.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import type { MadeMarket } from '../../support/upstreams/made-markets.ts';
import { marketRig } from '../../support/upstreams/market-rig.ts';

interface Answer {
  readonly completeness: string;
  readonly data: ArbitrageReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

async function bought(
  args: object,
  set: { fault?: UpstreamFault; markets?: Readonly<Record<string, MadeMarket>> } = {},
) {
  const { markets, close } = await marketRig({ ...set, venue: 'bitstamp' });
  onTestFinished(close);
  const sold = await sellTool((trust) => marketArbitrageTool({ trust, clock: realClock, markets }));
  const outcome = await sold.buy({ pair: 'BTC/USD', max_skew_ms: 10_000, ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged() };
}

const two = ['kraken', 'bitstamp'];
/** Kraken asks 100.5, 101.5, …; Bitstamp bids 109.5, 108.5, …: one unit at each level. */
const apart = { kraken: { middle: 100 }, bitstamp: { middle: 110 } };

test('a spread is what a size gets in both books, with entry, exit, fees and caveats', async () => {
  proves('C4.3.t20');
  const { answer, charged } = await bought(
    { venues: two, size_quote: '202', fee_bps: { kraken: '10', bitstamp: '20' } },
    { markets: apart },
  );
  const [best, worst] = answer.data?.opportunities ?? [];
  // 1 at 100.5 and 1 at 101.5 cost 202; they bring 109.5 + 108.5 = 218: 16 of 202 is 792.0792 bps.
  expect(best).toMatchObject({
    buy_venue: 'kraken',
    sell_venue: 'bitstamp',
    gross_spread_bps: '792.0792',
    entry_ask: { value: '101', unit: 'USD', as_of_kind: 'received' },
    exit_bid: { value: '109', unit: 'USD', as_of_kind: 'upstream_event' },
    fillable_size: { value: '2', unit: 'BTC' },
    is_whole_size: true,
    book_depth_used: { asks: 2, bids: 2 },
    withdrawal: 'unknown',
    // 218 less 0.436, less 202.202: 15.362 of 202.
    net_spread_bps: '760.495',
    is_profitable: true,
  });
  expect(worst).toMatchObject({ buy_venue: 'bitstamp', is_profitable: false });
  expect(best?.entry_ask.sources).not.toEqual(best?.exit_bid.sources);
  expect([answer.completeness, charged]).toEqual(['full', 30_000n]);
});

test('a size that the books do not hold is cut to what they hold, and said so', async () => {
  const { answer } = await bought({ venues: two, size_quote: '1000000' }, { markets: apart });
  expect(answer.data?.opportunities[0]).toMatchObject({
    is_whole_size: false,
    fillable_size: { value: '10' },
    book_depth_used: { asks: 10, bids: 10 },
  });
});

test('books that are too far apart in time are not compared', async () => {
  const set = { markets: apart };
  const { answer } = await bought({ venues: two, max_skew_ms: 100 }, set);
  const { opportunities = [], rejected = [] } = answer.data ?? {};
  expect(opportunities.length + rejected.length).toBe(2);
  for (const { skew_ms: skewMs } of opportunities) expect(skewMs).toBeLessThanOrEqual(100);
});

test('fees are the caller’s, else those of a table that is named', async () => {
  const { answer } = await bought({ venues: two, fee_bps: { kraken: '1.5' } });
  expect(answer.data?.venues.map(({ taker_fee: fee }) => fee)).toEqual([
    { bps: '1.5', from: 'caller' },
    { bps: '40', from: 'ccxt@4.5.84' },
  ]);
});

test.each(FAULTS)(
  'a venue with the fault %s: one book is no spread, its code, and no charge',
  async (fault) => {
    const { answer, outcome, charged } = await bought({ venues: two }, { fault });
    const [found] = answer.faults;
    expect([found?.code, found?.retryable]).toEqual(FAULT_ANSWERS[fault]);
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test('with a venue less the others are compared, and the answer is partial', async () => {
  const { answer, charged } = await bought({}, { fault: 'server_error' });
  expect([answer.completeness, answer.coverage.missing]).toEqual(['partial', ['bitstamp']]);
  expect(charged).toBe(30_000n);
});

test('one venue, an unknown one, no size or a fee below zero is refused', async () => {
  const { markets, close } = await marketRig({ venue: 'bitstamp' });
  onTestFinished(close);
  const sold = await sellTool((trust) => marketArbitrageTool({ trust, clock: realClock, markets }));
  for (const wrong of [
    { venues: ['kraken', 'binance'] },
    { venues: ['kraken', 'nowhere'] },
    { size_quote: '0' },
    { size_quote: 'much' },
    { fee_bps: { kraken: '-1' } },
  ]) {
    const content = contentOf(await sold.ask({ pair: 'BTC/USD', ...wrong }));
    expect(content['error']).toBe('INPUT_INVALID');
  }
});
