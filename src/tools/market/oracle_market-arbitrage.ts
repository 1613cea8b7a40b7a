import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { parseDecimal } from '../../domain/common/decimal.ts';
import { AppError } from '../../domain/common/error.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import { DecimalText } from '../../domain/data/value.ts';
import { ArbitrageReport } from '../../domain/market/report/arbitrage-report.ts';
import { FEE_TABLE_SOURCE, MARKET_VENUES } from '../../domain/market/venue/venues.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { compareBooks } from './compare-books.ts';
import { PairName, selectVenues } from './select-venues.ts';

/** Time limit for all venues together, in milliseconds. */
export const BOOKS_MS = 12 * SECOND_MS;

const NAME = 'oracle_market-arbitrage';

const Amount = DecimalText.refine((text) => parseDecimal(text) > 0n, 'above zero');
const Fee = DecimalText.refine((text) => {
  const fee = parseDecimal(text);
  return fee >= 0n && fee <= parseDecimal('1000');
}, 'zero to 1000');
const Input = z.strictObject({
  pair: PairName,
  venues: z
    .array(z.string().max(20))
    .min(2)
    .max(10)
    .optional()
    .describe('Exchanges. Default: the four large ones.'),
  size_quote: Amount.default('10000').describe('Amount to spend, in the quote currency.'),
  fee_bps: z
    .record(z.string().max(20), Fee)
    .default({})
    .describe('Your taker fees by exchange, in bps. Default: lowest-tier fees.')
    .meta(ADVANCED),
  max_skew_ms: z
    .int()
    .min(100)
    .max(10_000)
    .default(2_000)
    .describe('Maximum time between two compared order books, in ms.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.03';
const DESCRIPTION = [
  'Find arbitrage between exchanges. For your order size, walks both order books level by level',
  'and returns entry price, exit price, taker fees, gross and net spread per direction. It never',
  'uses the last trade. Also returns how much both books hold and how far apart in time they were',
  'read; books too far apart are not compared. USD and stablecoins are never mixed. It does not',
  'check whether coins can be moved between the two exchanges. For one price use',
  `oracle_price-feed, for tokens on chains oracle_cross-chain-prices. $${PRICE_USD} per call. You`,
  'are not charged if fewer than two books are available.',
].join(' ');

/** Creates the tool `oracle_market-arbitrage`. */
export function marketArbitrageTool(
  deps: Pick<Services, 'clock' | 'markets' | 'trust'>,
): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Arbitrage between exchanges',
    description: DESCRIPTION,
    summary:
      'Find arbitrage between exchanges for your order size, after fees, from their ' +
      'order books. For one price use oracle_price-feed. No charge with fewer than two ' +
      'books.',
    example: { pair: 'BTC/USD', size_quote: '10000' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(ArbitrageReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => ({ venues: venuesOf(input).length }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(
  input: Input,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'markets' | 'trust'>,
): Promise<ToolResult> {
  const { clock } = deps;
  const { pair } = input;
  const asked = venuesOf(input);
  const deadline = clock.now() + BOOKS_MS;
  const sources = new SourceList();
  const { report, faults } = await compareBooks(
    { ...input, venues: asked, deadline },
    deps,
    sources,
  );
  const used = new Set(report?.venues.map(({ venue }) => venue) ?? []);
  const [best] = report?.opportunities ?? [];
  return createDataResult(deps, context, {
    tool: NAME,
    headline:
      best === undefined
        ? `No two order books of ${pair} can be compared.`
        : formatBest(pair, best),
    data: toJson(report),
    sources: report === null ? [] : sources.records(),
    coverage: {
      asked: asked.length,
      answered: used.size,
      missing: asked.filter((venue) => !used.has(venue)),
    },
    faults,
    method: METHOD,
    disclaimer: 'Past order books at the stated times. No offer and no advice.',
  });
}

const METHOD = {
  prices: 'average over the levels of the size; entry rounded up, exit rounded down',
  fees: `taker fees of the caller, else of the lowest tier in ${FEE_TABLE_SOURCE}; unknown is null`,
  not_counted: 'withdrawal, deposit, transfer time, later slippage, taxes',
};

function formatBest(pair: string, best: ArbitrageReport['opportunities'][number]): string {
  const { buy_venue: buy, sell_venue: sell, gross_spread_bps: gross, net_spread_bps: net } = best;
  const after = net === null ? 'fees unknown' : `${net} bps after fees`;
  return `${pair}, best direction: buy at ${buy}, sell at ${sell}: ${gross} bps, ${after}.`;
}

/** Returns the venues to ask; throws if there are fewer than two. */
function venuesOf({ pair, venues: named = [] }: Input): readonly string[] {
  const able = selectVenues(pair, MARKET_VENUES, named);
  if (able.length >= 2) return able;
  throw new AppError('INPUT_INVALID', {
    message: 'A spread needs two exchanges that quote in this currency.',
    data: { path: 'venues', received: named, allowed: 'two or more that quote in this currency' },
  });
}
