import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { CrossChainReport } from '../../../src/domain/market/report/cross-chain-report.ts';
import { createDexPools } from '../../../src/providers/market/dex/dex-pools.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { crossChainTool } from '../../../src/tools/market/oracle_cross-chain-prices.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { ccxtThread } from '../../support/upstreams/ccxt-thread.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { quickReader } from '../../support/upstreams/quick-reader.ts';
import { type UpstreamServer, upstreamServer } from '../../support/upstreams/upstream-server.ts';

interface Answer {
  readonly completeness: string;
  readonly data: CrossChainReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
  readonly sources: readonly { readonly id: string; readonly upstream: string }[];
}

const WETH = { chain: 'ethereum', address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2' };
const BASE_WETH = { chain: 'base', address: '0x4200000000000000000000000000000000000006' };
const PEPE = { chain: 'ethereum', address: '0x6982508145454Ce325dDbE47a25d4ec3d2311933' };
const PEPE_PAIRS = `/token-pairs/v1/ethereum/${PEPE.address}`;

let server: UpstreamServer;
let egress: Egress;
beforeEach(async () => {
  server = await upstreamServer();
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [server.host] });
});
afterEach(async () => {
  await egress.close();
  await server.close();
});

async function sold(fault?: UpstreamFault) {
  const reader = quickReader({ egress, baseUrls: server.baseUrls, fault, haste: 50 });
  const deps = {
    clock: realClock,
    quotes: createExchanges({ reader, clock: realClock, thread: ccxtThread }).quotes,
    dex: createDexPools(reader),
  };
  return sellTool((trust) => crossChainTool({ trust, ...deps }));
}

async function bought(args: object, fault?: UpstreamFault) {
  const tool = await sold(fault);
  const outcome = await tool.buy(args);
  const answer = answerOf<Answer>(tool, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, charged: tool.charged() };
}

test('a token has the price of its pools, by liquidity, and the quote side is inverted', async () => {
  proves('C4.3.t18');
  const { answer, charged } = await bought({ token: WETH });
  const { data } = answer;
  // 3011.05 and 3010.957… of one pool are one price; it holds more than half of the liquidity.
  expect(data?.price).toMatchObject({ value: '3011.003856172839450617', unit: 'USD' });
  const [deep, other] = data?.quotes ?? [];
  expect(deep).toMatchObject({ venue: 'uniswap', side: 'base', confirmed_by: ['geckoterminal'] });
  const names = Object.fromEntries(answer.sources.map(({ id, upstream }) => [id, upstream]));
  expect(deep?.price.sources.map((id) => names[id])).toEqual(['dexscreener', 'geckoterminal']);
  // WBTC/WETH at 64125.9 USD and 21.30 WETH: 3010.6056… for one WETH, and 3010.6 by the other.
  expect(other).toMatchObject({ side: 'quote', price: { value: '3010.602816901408450704' } });
  expect(data?.dropped).toEqual([
    expect.objectContaining({
      pool: expect.stringMatching(/aa$/),
      reason: 'below_liquidity_floor',
    }),
  ]);
  expect([answer.completeness, charged]).toEqual(['full', 20_000n]);
});

test('a second source is held against each chain, and exchanges against the chains', async () => {
  const asked = { token: WETH, also: [BASE_WETH], exchange_symbol: 'ETH' };
  const { answer } = await bought({ ...asked, max_age_s: 300 });
  const { data } = answer;
  expect(data?.chains.map(({ chain }) => chain)).toEqual(['ethereum', 'base']);
  expect(data?.chains[0]?.second_source).toMatchObject({
    upstream: 'dexpaprika',
    price: { value: '3010.8812345' },
    agrees: true,
    deviation_bps: '-0.4',
  });
  const central = data?.quotes.filter(({ kind }) => kind === 'cex').map(({ venue }) => venue);
  expect(central).toEqual(['kraken', 'coinbase', 'bitstamp']);
  expect(data?.deviations.map(({ place }) => place)).toEqual(['ethereum', 'base', 'exchanges']);
  expect(data?.deviations.every(({ diverges }) => !diverges)).toBe(true);
  expect(Number(data?.spread_bps)).toBeGreaterThan(0);
});

test('a symbol that two tokens bear on a chain is refused with both, and not charged', async () => {
  const { answer, charged } = await bought({ token: { symbol: 'WETH' } });
  expect(answer.faults[0]).toMatchObject({ code: 'ambiguous_entity', retryable: false });
  expect(answer.faults[0]?.candidates).toEqual([
    `ethereum:${WETH.address.toLowerCase()}`,
    `base:${BASE_WETH.address}`,
    'ethereum:0x00000000000000000000000000000000000fa4e0',
  ]);
  expect([answer.data, charged]).toEqual([null, 0n]);
});

test('a symbol that one token bears is that token; what it stands on is among the sources', async () => {
  server.answer('dexscreener', '/latest/dex/search?q=NOPE', { pairs: [] });
  const { answer } = await bought({ token: { symbol: 'NOPE' }, chains: ['ethereum'] });
  expect(answer.faults[0]?.code).toBe('unknown_symbol');
  const found = await bought({ token: { symbol: 'PEPE' }, chains: ['ethereum'] });
  const { data, completeness, coverage } = found.answer;
  expect(data).toMatchObject({ identity_from: 'symbol_search', price: { value: '0.00001204' } });
  expect(data?.identity).toEqual([{ ...PEPE, symbol: 'PEPE' }]);
  expect(found.answer.sources.map(({ upstream }) => upstream)).toContain('dexscreener');
  expect(completeness).toBe('partial');
  const others = ['kraken', 'coinbase', 'bitstamp'];
  expect(coverage.missing).toEqual(['geckoterminal:ethereum', 'dexpaprika:ethereum', ...others]);
});

function pepePair(over: object) {
  return {
    chainId: 'ethereum',
    dexId: 'uniswap',
    pairAddress: '0xcc',
    baseToken: { address: PEPE.address, name: 'PEPE', symbol: 'PEPE' },
    quoteToken: { address: WETH.address, name: 'WETH', symbol: 'WETH' },
    priceNative: '0.000000004',
    priceUsd: '0.00001204',
    liquidity: { usd: 9e6 },
    ...over,
  };
}

test('a pool without a figure, or with one that is no price, is not used', async () => {
  const wrong = [
    { priceUsd: null },
    { priceUsd: '0' },
    { priceUsd: 'NaN' },
    { priceUsd: '-1' },
    { liquidity: null },
    { liquidity: { usd: 0 } },
    { chainId: 'base' },
    { baseToken: { address: WETH.address, name: 'Pepe', symbol: 'PEPE' } },
  ];
  for (const over of wrong) {
    server.answer('dexscreener', PEPE_PAIRS, [pepePair(over)]);
    const { answer, charged } = await bought({ token: PEPE });
    expect([answer.data, charged], JSON.stringify(over)).toEqual([null, 0n]);
    expect(answer.faults.map(({ code }) => code)).toContain('not_found');
  }
});

test('aggregators that differ on a pool are both not believed', async () => {
  const path = `/api/v2/networks/eth/tokens/${PEPE.address}/pools`;
  const place = (address: string) => ({ data: { id: `eth_${address.toLowerCase()}` } });
  server.answer('dexscreener', PEPE_PAIRS, [
    pepePair({}),
    pepePair({ pairAddress: '0xdd', priceUsd: '0.00001205' }),
  ]);
  server.answer('geckoterminal', path, {
    data: [
      {
        attributes: {
          address: '0xCC',
          base_token_price_usd: '0.0000130',
          quote_token_price_usd: '3010',
          reserve_in_usd: '9000000',
        },
        relationships: {
          base_token: place(PEPE.address),
          quote_token: place(WETH.address),
          dex: { data: { id: 'uniswap_v3' } },
        },
      },
    ],
  });
  const { answer } = await bought({ token: PEPE });
  expect(answer.data?.dropped).toMatchObject([{ pool: '0xcc', reason: 'sources_disagree' }]);
  expect(answer.data?.price.value).toBe('0.00001205');
});

test.each(FAULTS)('aggregators with the fault %s: code, retry, and no charge', async (fault) => {
  for (const id of ['dexscreener', 'geckoterminal', 'dexpaprika'] as const) server.dial(id, fault);
  const { answer, charged } = await bought({ token: BASE_WETH }, fault);
  const found = answer.faults.map(({ code, retryable }) => [code, retryable]);
  if (fault === 'stale' || fault === 'skewed_clock') {
    // Only the second source names a time; the pools are as old as their answers.
    expect(found).toEqual([FAULT_ANSWERS[fault]]);
    expect(answer.data?.chains[0]?.second_source).toBeNull();
    expect([answer.completeness, charged]).toEqual(['partial', 20_000n]);
    return;
  }
  expect(found).toEqual([FAULT_ANSWERS[fault], FAULT_ANSWERS[fault], FAULT_ANSWERS[fault]]);
  expect([answer.data, charged]).toEqual([null, 0n]);
});

test('one aggregator that fails is named, and the other answers', async () => {
  server.dial('dexscreener', 'server_error');
  const { answer, charged } = await bought({ token: BASE_WETH });
  expect(answer.data?.price.value).toBe('3010.31');
  expect(answer.coverage.missing).toEqual(['dexscreener:base']);
  expect(charged).toBe(20_000n);
});

test('an order that contradicts itself is refused before any payment', async () => {
  const tool = await sold();
  const wrong = [
    { token: { chain: 'ethereum', address: 'So11111111111111111111111111111111111111112' } },
    { token: { chain: 'solana', address: WETH.address } },
    { token: { symbol: 'WETH' }, also: [BASE_WETH] },
    { token: WETH, chains: ['base'] },
    { token: WETH, also: [PEPE] },
    { token: { chain: 'moon', address: WETH.address } },
    { token: WETH, min_liquidity_usd: 0 },
    {},
  ];
  for (const args of wrong) expect(contentOf(await tool.ask(args))['error']).toBe('INPUT_INVALID');
  expect(server.hits).toEqual([]);
});
