import type { Feed } from '../../../src/domain/news/feed.ts';
import { parseTopic } from '../../../src/domain/news/topic.ts';
import { planQueries } from '../../../src/domain/research/plan.ts';
import { createRegistries } from '../../../src/providers/company/company-registries.ts';
import { createUpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import type { UpstreamId } from '../../../src/providers/data/upstreams.ts';
import { createEdgarFilings } from '../../../src/providers/filing/edgar.ts';
import { createDexPools } from '../../../src/providers/market/dex/dex-pools.ts';
import { createExchangePrices } from '../../../src/providers/market/exchange-prices.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import type { Egress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { createPageReader } from '../../../src/providers/page/page-reader.ts';
import {
  createDocumentSearches,
  type DocumentSearchDeps,
} from '../../../src/providers/research/document-searches.ts';
import { createScreenings } from '../../../src/providers/screening/lists.ts';
import { createPublicChannels } from '../../../src/providers/sentiment/public-channels.ts';
import { createYoutubeCaptions } from '../../../src/providers/video/video-captions.ts';
import { createYoutubeFacts } from '../../../src/providers/video/video-facts.ts';
import { checkLink } from '../../../src/tools/link/check-link.ts';
import { realClock } from '../real-clock.ts';
import { ccxtThread } from '../upstreams/ccxt-thread.ts';
import { hasty } from '../upstreams/quick-reader.ts';

/** Where everything is read from. */
export interface DocumentPlace {
  readonly egress: Egress;
  readonly baseUrls: Readonly<Record<UpstreamId, string>>;
  /** Address of a page and of a feed. */
  readonly url: string;
}

/** Reads one document. */
export type DocumentReader = () => Promise<unknown>;

const HOUR = 3_600_000;
const VENUES = [
  ['kraken', 'BTC/USD'],
  ['coinbase', 'BTC/USD'],
  ['bitstamp', 'BTC/USD'],
  ['binance', 'BTC/USDT'],
  ['okx', 'BTC/USDT'],
  ['gemini', 'BTC/USD'],
] as const;
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const NUMBERS: Readonly<Record<string, string>> = {
  gleif: 'HWUPKR0MPOU8FGXBT394',
  brreg: '923609016',
  recherche: '552032534',
  companieshouse: '00102498',
  colorado: '19871234567',
};
const FILING = {
  accession: '0000320193-23-000106',
  form: '10-K',
  filingDate: '2023-11-03',
  reportDate: '2023-09-30',
  acceptedAt: 1_698_975_000_000,
  items: [],
  primaryDocument: 'aapl-20230930.htm',
};

/** Every reader of strangers' documents, ready to read once. Waits between tries are shortened. */
export function documentReaders(place: DocumentPlace): Readonly<Record<string, DocumentReader>> {
  const { egress, baseUrls } = place;
  const clock = hasty(20);
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const contact = 'operator@example.org';
  const reader = createUpstreamReader({ egress, clock, random, baseUrls, contact });
  const filings = createEdgarFilings({ reader, clock, contact });
  const deadline = Date.now() + 120_000;
  const limits = { deadline };
  return {
    ...marketReaders(reader, deadline),
    ...dexReaders(reader, deadline),
    ...registryReaders(createRegistries({ reader, filings, companiesHouseKey: 'key' }), limits),
    'filings cik': () => filings.findCik('AAPL', limits),
    'filings list': () => filings.list('320193', limits),
    'filings older': () => filings.listOlder('CIK0000320193-submissions-001.json', limits),
    'filings facts': () => filings.readFacts('320193', [FILING.accession], limits),
    'filings document': () =>
      filings.readDocument({ cik: '320193', filing: FILING, hasText: true }, limits),
    'filings mentions': () =>
      filings.searchMentions({ phrase: 'x', forms: ['10-K'], until: '2024-01-01' }, limits),
    ...Object.fromEntries(
      createScreenings({ reader, clock }).map((screening, at) => [
        `screening ${at + 1}`,
        () => screening.screen(['Nobody']),
      ]),
    ),
    video: () => createYoutubeFacts(reader).facts('dQw4w9WgXcQ', deadline),
    captions: () => createYoutubeCaptions(reader).captions('dQw4w9WgXcQ', limits),
    ...Object.fromEntries(
      createPublicChannels(reader).channels.map((channel) => [
        `opinions ${channel}`,
        () =>
          createPublicChannels(reader).read({ channel, topic: parseTopic('bitcoin'), deadline }),
      ]),
    ),
    ...searchReaders(place, { reader, filings, contact }, limits),
    ...webReaders(place, deadline),
  };
}

type Upstreams = Parameters<typeof createDexPools>[0];

function marketReaders(reader: Upstreams, deadline: number) {
  const { markets, quotes } = createExchanges({ reader, clock: realClock, thread: ccxtThread });
  const to = Math.floor(Date.now() / HOUR) * HOUR;
  const stretch = { interval: '1h', from: to - 30 * HOUR, to, deadline } as const;
  const prices = createExchangePrices({ quotes, clock: realClock });
  return Object.fromEntries(
    VENUES.flatMap(([venue, pair]): [string, DocumentReader][] => [
      [`quote ${venue}`, () => quotes.quote({ venue, pair, deadline })],
      [`book ${venue}`, () => markets.book({ venue, pair, deadline })],
      [`candles ${venue}`, () => markets.candles({ venue, pair, ...stretch })],
      [`price ${venue}`, () => prices.price({ venue, pair })],
    ]),
  );
}

function dexReaders(reader: Upstreams, deadline: number) {
  const dex = createDexPools(reader);
  const order = { chain: 'ethereum', address: WETH, deadline } as const;
  const pools = dex.poolSources.map((lister): [string, DocumentReader] => [
    `pools ${lister}`,
    () => dex.pools(lister, order),
  ]);
  return {
    ...Object.fromEntries(pools),
    'dex token': () => dex.token(order),
    'dex search': () => dex.findTokens({ symbol: 'WETH', chains: ['ethereum'], deadline }),
  };
}

function registryReaders(
  registries: ReturnType<typeof createRegistries>,
  limits: { readonly deadline: number },
) {
  return Object.fromEntries(
    registries.flatMap((registry): [string, DocumentReader][] => [
      [`${registry.id} by name`, () => registry.findByName('Equinor', limits)],
      [
        `${registry.id} by number`,
        () => registry.findByNumber(NUMBERS[registry.id] ?? '1234567', limits),
      ],
    ]),
  );
}

const TOPIC = { topic: 'proof of stake', questions: [], urls: [], depth: 'brief' as const };
/** Documents that a search may have named, by its id. */
const FOUND: Readonly<Record<string, { readonly url: string; readonly title: string }>> = {
  wikipedia: { url: 'https://en.wikipedia.org/wiki/Proof_of_stake', title: 'Proof of stake' },
  filings: {
    url: 'https://www.sec.gov/Archives/edgar/data/9999901/000999990124000001/made-20231231.htm',
    title: 'Made Staking Inc.',
  },
  hackernews: { url: 'https://news.ycombinator.com/item?id=90000001', title: 'Proof of stake' },
};

function searchReaders(
  { egress, url }: DocumentPlace,
  parts: Omit<DocumentSearchDeps, 'feeds'>,
  limits: { readonly deadline: number },
) {
  const feeds = createFeedReader({ egress, clock: realClock, feeds: [feedAt(url)] });
  const order = { queries: planQueries(TOPIC), most: 3 };
  return Object.fromEntries(
    createDocumentSearches({ ...parts, feeds }).flatMap((search): [string, DocumentReader][] => {
      const found = FOUND[search.id];
      const named = { publishedAt: null, body: null, about: 'proof stake' };
      const reading = (): Promise<unknown> => search.read({ ...found, ...named } as never, limits);
      const searching: DocumentReader = () => search.search(order, limits);
      return [
        [`search ${search.id}`, searching],
        ...(found === undefined
          ? []
          : [[`found ${search.id}`, reading] as [string, DocumentReader]]),
      ];
    }),
  );
}

function feedAt(url: string): Feed {
  return {
    domain: 'a.example',
    feedUrl: `${url}/feed`,
    category: 'world',
    lang: 'en',
    country: 'INT',
    paywall: false,
    lastVerified: null,
  };
}

function webReaders({ egress, url }: DocumentPlace, deadline: number) {
  const clock = realClock;
  const feed = feedAt(url);
  const checker = {
    egress,
    clock,
    accepted: [{ from: 200, to: 299 }],
    timeoutMs: 10_000,
    redirectsMax: 5,
    hasAnchors: true,
    signal: AbortSignal.timeout(60_000),
  };
  const link = { url: `${url}/link#a`, address: new URL(`${url}/link`), fragments: ['a'] };
  return {
    page: () => createPageReader({ egress, clock }).read(`${url}/page`, deadline),
    feed: () => createFeedReader({ egress, clock, feeds: [feed] }).read(feed, deadline),
    // The answer itself is the caller's to judge; what was made of it is not.
    link: async () => {
      const { response: _response, ...checked } = await checkLink(link, checker);
      return checked;
    },
  };
}
