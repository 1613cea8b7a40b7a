import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import { REFERENCE_VENUES_MIN } from '../../domain/market/reference.ts';
import { PriceReport } from '../../domain/market/report/report.ts';
import { filterByQuote } from '../../domain/market/venue/venue.ts';
import {
  DEFAULT_VENUE_IDS,
  findVenue,
  NAMED_VENUE_IDS,
  VENUES,
} from '../../domain/market/venue/venues.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { type ExchangeView, exchangePrice, readExchanges, venueQuotes } from './read-exchanges.ts';
import { PairName } from './select-venues.ts';

/** Time limit for all venues together, in milliseconds. */
export const PRICES_MS = 12 * SECOND_MS;
const NAME = 'oracle_price-feed';
const REFERENCE = 'reference';

const Input = z.strictObject({
  pair: PairName,
  venue: z
    .enum([REFERENCE, ...DEFAULT_VENUE_IDS, ...NAMED_VENUE_IDS])
    .default(REFERENCE)
    .describe('An exchange. Default: reference.'),
  max_age_s: z
    .int()
    .min(5)
    .max(300)
    .default(30)
    .describe('Maximum age of a price, in seconds.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.01';
const DESCRIPTION = [
  'Get the price of a pair at one exchange, or a reference price over all exchanges that quote',
  'it. The reference is the median weighted by volume and needs at least two exchanges. It leaves',
  'out stale, future-dated and outlying prices, and lists each with its reason. Returns bid, ask,',
  'spread and volume per exchange. Every number has its unit, its time and the SHA-256 of the',
  'response that it came from. Stale prices are never returned, and a missing price is never',
  'zero. For tokens on chains use oracle_cross-chain-prices, for spreads oracle_market-arbitrage.',
  `$${PRICE_USD} per call. You are not charged if there is no price; the answer gives the`,
  'reasons.',
].join(' ');

/** Creates the tool `oracle_price-feed`. */
export function priceFeedTool(deps: Pick<Services, 'clock' | 'quotes' | 'trust'>): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Price of a trading pair',
    description: DESCRIPTION,
    summary:
      'Get the price of a pair at one exchange, or the reference price of several, ' +
      'never stale. For tokens on chains use oracle_cross-chain-prices. No charge ' +
      'without a price.',
    example: { pair: 'BTC/USD' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(PriceReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => ({ venues: venuesFor(input).length }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(
  input: Input,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'quotes' | 'trust'>,
): Promise<ToolResult> {
  const { clock } = deps;
  const { pair, venue, max_age_s: maxAgeS } = input;
  const venues = venuesFor(input);
  const sources = new SourceList();
  const order = { pair, venues, maxAgeMs: maxAgeS * SECOND_MS, deadline: clock.now() + PRICES_MS };
  const view = await readExchanges(order, deps, sources);
  const isEnough = view.used.length >= (venue === REFERENCE ? REFERENCE_VENUES_MIN : 1);
  const used = new Set(isEnough ? view.used.map((quote) => quote.venue) : []);
  const report = isEnough ? reportOf(input, view) : null;
  const price = report?.price;
  return createDataResult(deps, context, {
    tool: NAME,
    headline:
      price === undefined
        ? `No reliable price for ${pair}.`
        : `${pair} ${price.value} ${price.unit} as of ${price.as_of} (${[...used].join(', ')}).`,
    data: toJson(report),
    sources: sources.records(),
    coverage: {
      asked: venues.length,
      answered: used.size,
      missing: venues.filter((id) => !used.has(id)),
    },
    faults: view.faults,
    method: METHOD,
    disclaimer: 'Past prices at the stated times. No offer and no advice.',
  });
}

const METHOD = {
  reference: 'median of last trades weighted by 24 h volume; at least two venues',
  dropped: 'older than max_age_s, dated more than 5 s ahead, or beyond 5 median deviations',
  currencies: 'only venues that quote in the requested currency; stablecoins are not converted',
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

/** Returns the venues to ask; throws if none quotes in the currency. */
function venuesFor({ pair, venue }: Input): readonly string[] {
  const found = filterByQuote(VENUES, pair).filter(({ id, isNamedOnly }) =>
    venue === REFERENCE ? !isNamedOnly : id === venue,
  );
  if (found.length > 0) return found.map(({ id }) => id);
  const [, currency = ''] = pair.split('/');
  const allowed = findVenue(venue)?.quotes ?? VENUES.flatMap(({ quotes }) => quotes);
  throw new AppError('INPUT_INVALID', {
    message: `No selected exchange quotes prices in ${currency}.`,
    data: { path: 'pair', received: pair, allowed: [...new Set(allowed)] },
  });
}
