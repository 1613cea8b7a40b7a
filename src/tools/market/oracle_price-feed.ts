import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { envelopeOf } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import { EXCHANGES, FURTHER_EXCHANGES } from '../../domain/market/exchanges.ts';
import type { MarketQuotes } from '../../domain/market/market-quotes.ts';
import { REFERENCE_VENUES_MIN } from '../../domain/market/reference.ts';
import { PriceReport } from '../../domain/market/report/report.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { type DataToolDeps, dataAnswer } from '../data/data-answer.ts';
import { READS_OUTSIDE } from '../service/annotations.ts';
import { type ExchangeView, exchangePrice, readExchanges, venueQuotes } from './exchange-view.ts';

/** Milliseconds for all venues together. */
export const PRICES_MS = 12 * SECOND_MS;
const NAME = 'oracle_price-feed';
const REFERENCE = 'reference';

const Input = z.strictObject({
  pair: z
    .string()
    .regex(/^[A-Z0-9]{2,10}\/[A-Z0-9]{2,10}$/)
    .describe('Base and quote, such as BTC/USD. A stablecoin is not a dollar.'),
  venue: z
    .enum([REFERENCE, ...EXCHANGES, ...FURTHER_EXCHANGES])
    .default(REFERENCE)
    .describe(
      `An exchange, or reference: the weighted median of ${EXCHANGES.join(', ')}, as they answer.`,
    ),
  max_age_s: z.int().min(5).max(300).default(30).describe('Older prices are not used.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Answers the price of a pair at a named exchange, or the reference over all that quote it: the',
  'median weighted by volume, without prices that are stale, dated ahead or far off (each is',
  'listed with its reason). Every figure carries unit, time of validity and the SHA-256 of the',
  'answer that it was read from; bid, ask, spread and volume of each exchange come with it. Stale',
  'prices are never given, a missing one is never zero, and a reference needs two exchanges. When',
  'there is no price, the reasons are told and nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface PriceToolDeps extends DataToolDeps {
  readonly quotes: MarketQuotes;
}

/** The tool that answers the price of a pair, with its sources. */
export function priceFeedTool(deps: PriceToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Price of a pair',
    description: DESCRIPTION,
    annotations: READS_OUTSIDE,
    input: Input,
    output: envelopeOf(PriceReport),
    price: { amount: toText(microUsd('0.01')), flow: 'authorization' },
    ready: (input) => ({ venues: venuesFor(input, deps.quotes).length }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: PriceToolDeps): Promise<ToolResult> {
  const { clock, quotes } = deps;
  const { pair, venue, max_age_s: maxAgeS } = input;
  const venues = venuesFor(input, quotes);
  const sources = new SourceList();
  const order = { pair, venues, maxAgeMs: maxAgeS * SECOND_MS, deadline: clock.now() + PRICES_MS };
  const view = await readExchanges(order, deps, sources);
  const isEnough = view.used.length >= (venue === REFERENCE ? REFERENCE_VENUES_MIN : 1);
  const used = new Set(isEnough ? view.used.map((quote) => quote.venue) : []);
  const report = isEnough ? reportOf(input, view) : null;
  const price = report?.price;
  return dataAnswer(deps, context, {
    tool: NAME,
    headline:
      price === undefined
        ? `There is no price of ${pair} that can be relied on.`
        : `${pair} ${price.value} ${price.unit} as of ${price.as_of} (${[...used].join(', ')}).`,
    data: report as unknown as JsonObject | null,
    sources: sources.records(),
    coverage: {
      asked: venues.length,
      answered: used.size,
      missing: venues.filter((id) => !used.has(id)),
    },
    faults: view.faults,
    method: METHOD,
    disclaimer: 'Prices of the past moments named. No offer, and no advice.',
  });
}

const METHOD = {
  reference: 'median of last trades weighted by volume of a day; at least two venues',
  dropped: 'older than max_age_s, dated more than 5 s ahead, or beyond 5 median deviations',
  currencies:
    'only venues that quote in the currency that was asked; stablecoins are not converted',
};

function reportOf({ pair, venue }: Input, view: ExchangeView): PriceReport {
  const [, unit = ''] = pair.split('/');
  const { used, dropped } = view;
  return {
    pair,
    venue,
    price: exchangePrice(view, unit),
    quotes: [...venueQuotes(view, pair)],
    reference:
      venue === REFERENCE
        ? {
            method: 'weighted_median',
            venues: used.map((quote) => quote.venue),
            dropped: [...dropped],
          }
        : null,
  };
}

/** The venues to ask, or a refusal where none quotes in that currency. */
function venuesFor({ pair, venue }: Input, { venues }: MarketQuotes): readonly string[] {
  const [, currency = ''] = pair.split('/');
  const able = venues.filter(({ quotes }) => quotes.includes(currency));
  const found = able.filter(({ id, isNamedOnly = false }) =>
    venue === REFERENCE ? !isNamedOnly : id === venue,
  );
  if (found.length > 0) return found.map(({ id }) => id);
  const allowed =
    venues.find(({ id }) => id === venue)?.quotes ?? venues.flatMap((one) => one.quotes);
  throw new AppError('INPUT_INVALID', {
    message: `No price in ${currency} is to be had there.`,
    data: { path: 'pair', received: pair, allowed: [...new Set(allowed)] },
  });
}
