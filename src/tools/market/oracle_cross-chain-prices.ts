import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { parseDecimal } from '../../domain/common/decimal.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { quoteText } from '../../domain/common/readable.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { type Coverage, dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import type { DataValue } from '../../domain/data/value.ts';
import { formatTokenAddress, type TokenAddress } from '../../domain/market/chains.ts';
import { computeOffsetBps } from '../../domain/market/plain-decimal.ts';
import { computeDistanceBps, computeSpreadBps } from '../../domain/market/pools.ts';
import {
  CrossChainReport,
  type DroppedQuote,
} from '../../domain/market/report/cross-chain-report.ts';
import { VENUES } from '../../domain/market/venue/venues.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { type DexView, formatPlaces, readDex } from './read-dex.ts';
import { type ExchangeView, exchangePrice, readExchanges } from './read-exchanges.ts';
import { selectVenues } from './select-venues.ts';
import { AskedToken, identifyToken, statedPlaces, type TokenIdentity } from './token-identity.ts';

/** Time limit for all upstreams, in milliseconds; the slowest allows one request per 2 s. */
export const CHAINS_MS = 25 * SECOND_MS;
const DIVERGENCE_BPS = 100n;
const NAME = 'oracle_cross-chain-prices';

const Input = z.strictObject({
  ...AskedToken.shape,
  exchange_symbol: z
    .string()
    .regex(/^[A-Z0-9]{2,10}$/)
    .optional()
    .describe('Ticker at exchanges, such as ETH, quoted in USD. If omitted, none is asked.')
    .meta(ADVANCED),
  max_age_s: z
    .int()
    .min(5)
    .max(300)
    .default(60)
    .describe('Maximum age of a price, in seconds.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.02';
const DESCRIPTION = [
  'Get the price of a token across chains, decentralized exchanges and centralized exchanges. A',
  'token is a chain and an address; a symbol that several tokens share on one chain is refused',
  'with the candidates. The price is the median weighted by liquidity. Pools with little liquidity',
  'do not count, and prices of the token as quote currency are inverted. Prices are cross-checked',
  'between two aggregators pool by pool, and with a third source chain by chain. Every number has',
  'its source, unit and time; excluded data is listed with the reason. For a pair at exchanges use',
  `oracle_price-feed. $${PRICE_USD} per call. You are not charged if no pool is reliable.`,
].join(' ');

type Ports = Pick<Services, 'clock' | 'dex' | 'quotes' | 'trust'>;

/** Creates the tool `oracle_cross-chain-prices`. */
export function crossChainTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Token price across chains and exchanges',
    description: DESCRIPTION,
    summary:
      'Get a token’s liquidity-weighted price across chains and exchanges, ' +
      'cross-checked. For a pair at exchanges use oracle_price-feed. No charge without ' +
      'a reliable pool.',
    example: {
      token: { chain: 'ethereum', address: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' },
    },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(CrossChainReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => ({ places: statedPlaces(input).length }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: Ports): Promise<ToolResult> {
  const sources = new SourceList();
  const deadline = deps.clock.now() + CHAINS_MS;
  const order = { deadline, maxAgeMs: input.max_age_s * SECOND_MS };
  const identity = await identifyToken(input, { dex: deps.dex, sources, deadline });
  if ('fault' in identity) return ambiguousAnswer(input, context, { deps, fault: identity.fault });
  const { places } = identity;
  const floor = String(input.min_liquidity_usd);
  const [dex, exchanges] = await Promise.all([
    readDex({ ...order, places, floor }, deps, sources),
    readExchangeQuotes(input, deps, { ...order, sources }),
  ]);
  const report = reportOf(identity, dex, exchanges);
  const faults = [...dex.faults, ...(exchanges?.view.faults ?? [])];
  return createDataResult(deps, context, {
    tool: NAME,
    headline:
      report === null
        ? `No reliable price for ${formatPlaces(places)}.`
        : `${report.price.value} USD, ${report.spread_bps} bps apart, on ${report.chains
            .map(({ chain }) => chain)
            .join(', ')}.`,
    data: toJson(report),
    sources: sources.records(),
    coverage: coverageOf({ dex, exchanges, isAnswered: report !== null }),
    faults: report === null ? [...faults, ...noPoolFaults(dex, floor)] : faults,
    method: METHOD,
    disclaimer: 'Past prices at the stated times, for an infinitesimal swap. No offer, no advice.',
  });
}

const METHOD = {
  price: 'median of pools weighted by liquidity; per pool the median of its upstreams',
  pools: 'excluded: too little liquidity at any upstream, 200 bps apart, beyond 5 deviations',
  inversion: 'if the token is the quote side: base price in USD divided by its price in the token',
  time: 'aggregators give no time, so arrival counts; GeckoTerminal caches for one minute',
  identity: 'chain and address; a symbol at exchanges is assumed to be the same token',
};

interface Exchanges {
  readonly pair: string;
  readonly asked: readonly string[];
  readonly view: ExchangeView;
}

async function readExchangeQuotes(
  { token, exchange_symbol: named }: Input,
  deps: Ports,
  order: { deadline: number; maxAgeMs: number; sources: SourceList },
): Promise<Exchanges | undefined> {
  const symbol = named ?? ('symbol' in token ? token.symbol.toUpperCase() : undefined);
  if (symbol === undefined) return undefined;
  const pair = `${symbol}/USD`;
  const asked = selectVenues(pair, VENUES, []);
  const view = await readExchanges({ ...order, pair, venues: asked }, deps, order.sources);
  return { pair, asked, view };
}

function reportOf(
  { places, from }: TokenIdentity,
  dex: DexView,
  exchanges: Exchanges | undefined,
): CrossChainReport | null {
  const { price } = dex;
  if (price === null) return null;
  const central = exchanges === undefined ? [] : centralQuotes(exchanges);
  const prices: readonly (readonly [string, DataValue])[] = [
    ...dex.chains.map((one) => [one.chain, one.price] as const),
    ...(exchanges === undefined || exchanges.view.used.length === 0
      ? []
      : [['exchanges', exchangePrice(exchanges.view, 'USD')] as const]),
  ];
  const symbolOf = ({ chain }: TokenAddress) =>
    dex.chains.find((one) => one.chain === chain)?.symbol ?? null;
  return {
    identity: places.map(({ chain, address }) => ({
      chain,
      address,
      symbol: symbolOf({ chain, address }),
    })),
    identity_from: from,
    price,
    chains: [...dex.chains],
    spread_bps: computeSpreadBps(prices.map(([, { value }]) => value)),
    deviations: prices.map(([place, { value }]) => ({
      place,
      deviation_bps: computeOffsetBps(value, price.value),
      diverges: parseDecimal(computeDistanceBps(value, price.value)) > DIVERGENCE_BPS * 10n ** 18n,
    })),
    quotes: [...dex.quotes, ...central],
    dropped: [...dex.dropped, ...(exchanges === undefined ? [] : centralDropped(exchanges))],
  };
}

function centralQuotes({ pair, view }: Exchanges): CrossChainReport['quotes'] {
  const [base = ''] = pair.split('/');
  return view.used.map((quote) => ({
    kind: 'cex',
    venue: quote.venue,
    pair,
    price: view.value(quote.last, 'USD', [quote]),
    volume_24h: view.value(quote.volume, base, [quote]),
  }));
}

function centralDropped({ view }: Exchanges): readonly DroppedQuote[] {
  return view.dropped.map(({ venue, reason }) => ({
    kind: 'cex',
    chain: null,
    venue,
    pool: null,
    reason,
  }));
}

interface CoverageInput {
  readonly dex: DexView;
  readonly exchanges: Exchanges | undefined;
  readonly isAnswered: boolean;
}

function coverageOf({ dex, exchanges, isAnswered }: CoverageInput): Coverage {
  const used = new Set(exchanges?.view.used.map(({ venue }) => venue));
  const central = exchanges?.asked ?? [];
  const asked = [...dex.asked, ...central];
  const late = [...dex.missing, ...central.filter((venue) => !used.has(venue))];
  const missing = isAnswered ? late : asked;
  return { asked: asked.length, answered: asked.length - missing.length, missing };
}

/** Returns why there is no price although pools are listed. */
function noPoolFaults({ asked, missing }: DexView, floor: string): readonly DataFailure[] {
  if (asked.length === missing.length) return [];
  const detail = `No pool with at least ${floor} USD is reliable.`;
  return [createDataFailure('not_found', { upstream: 'pools', detail })];
}

function ambiguousAnswer(
  { token }: Input,
  context: ToolContext,
  { deps, fault }: { readonly deps: Ports; readonly fault: DataFailure },
): ToolResult {
  const words = 'symbol' in token ? token.symbol : formatTokenAddress(token);
  return createDataResult(deps, context, {
    tool: NAME,
    headline: `${quoteText(words)} does not identify one token.`,
    lines: (fault.candidates ?? []).map((one) => `Candidate: ${quoteText(one)}`),
    data: null,
    sources: [],
    coverage: { asked: 1, answered: 0, missing: [deps.dex.symbolSearch] },
    faults: [fault],
    method: METHOD,
  });
}
