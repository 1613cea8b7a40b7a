import { toTitle } from './names.mjs';
import { probeFixture } from './upstream.mjs';

const FOLDER = 'src/domain/market/venue';

/** An exchange with an adapter of its own. */
export const venue = {
  what: 'venue',
  about: 'an exchange: pairs, fees, ticker, book and candles',
  form: 'letters in lower case',
  example: 'bitfinex',
  pattern: /^[a-z]{2,20}$/,
  plan: (plan, name) => {
    const list = `${FOLDER}/venues.ts`;
    const rank = (plan.read(list).text.match(/ADAPTER_VENUES = \[([^\]]*)\]/)?.[1] ?? '')
      .split(',')
      .filter((word) => word.trim() !== '').length;
    plan.create(`${FOLDER}/${name}.ts`, venueFile(name, rank + 1));
    plan.addLine(list, {
      list: 'ADAPTER_VENUES',
      entry: name.toUpperCase(),
      line: `import { ${name.toUpperCase()} } from './${name}.ts';`,
    });
    plan.create(`test/fixtures/upstreams/${name}/probe.json`, probeFixture());
    plan.createTest(`test/domain/market/venue/${name}.test.ts`, {
      name: `the venue ${name}`,
      imports: [`import { ${name.toUpperCase()} } from '../../../../${FOLDER}/${name}.ts';`],
      lines: [`expect(${name.toUpperCase()}.id).toBe('${name}');`],
    });
    plan.left.push(`${FOLDER}/${name}.ts: addresses, limits, fee and answers`);
    plan.left.push(`npm run record ${name}: its fixtures from the exchange itself`);
  },
};

function venueFile(name, rank) {
  return `import { z } from 'zod';
import { MARKET_UPSTREAM } from '../../data/upstreams.ts';
import type { Candle } from '../candles.ts';
import {
  type AdapterVenue,
  DecimalNumber,
  Level,
  type MarketPair,
  TickerPrice,
  TickerVolume,
} from './venue.ts';

const Ticker = z.object({
  last: TickerPrice,
  bid: TickerPrice,
  ask: TickerPrice,
  volume: TickerVolume,
});
const Book = z.object({ bids: z.array(Level), asks: z.array(Level) });
const Row = z
  .tuple([z.int(), DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber])
  .transform(([at, open, high, low, close, volume]): Candle => {
    return { at, open, high, low, close, volume };
  });

/** ${toTitle(name)}, for callers who name it. Say which times it reports. */
export const ${name.toUpperCase()}: AdapterVenue<'${name}'> = {
  id: '${name}',
  quotes: ['USDT'],
  isNamedOnly: true,
  upstream: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://api.${name}.example',
    probe: '/',
    intervalMs: 1_000,
    license: '${toTitle(name)} API terms',
  },
  marketRank: ${rank},
  bookUpstream: '${name}',
  tickerPath: (pair) => \`/ticker/\${toMarketName(pair)}\`,
  ticker: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    const row = Ticker.safeParse(body).data;
    return row === undefined ? undefined : { ...row, asOf: null };
  },
  bookPath: (pair) => \`/book/\${toMarketName(pair)}\`,
  book: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    const sides = Book.safeParse(body).data;
    return sides === undefined ? undefined : { ...sides, asOf: null };
  },
  candlePaths: ({ interval, from, to, ...pair }) => [
    \`/candles/\${toMarketName(pair)}?interval=\${interval}&from=\${from}&to=\${to}\`,
  ],
  candles: ({ status, body }) => {
    return status === 404 ? 'unknown_symbol' : z.array(Row).safeParse(body).data;
  },
};

function toMarketName({ base, quote }: MarketPair): string {
  return \`\${base}\${quote}\`;
}
`;
}
