/** An upstream: its address and its limits. */
export interface Upstream {
  readonly baseUrl: string;
  /** Minimum interval between two requests, in milliseconds. */
  readonly intervalMs: number;
  /** Most concurrent requests. */
  readonly concurrency: number;
  /** How long an answer is cached, in milliseconds. */
  readonly keptMs: number;
  /** Whether it requires a contact address. */
  readonly needsContact: boolean;
  readonly license: string;
  /** Most bytes of one answer, if it differs from the default. */
  readonly bytesMax?: number;
  /** Most redirects to follow, each checked again. Default: 0. */
  readonly redirectsMax?: number;
  /** Timeout of one request in milliseconds, if it differs from the default. */
  readonly answerMs?: number;
}

/** The regulator allows 10 requests per second across its hosts. These make at most 8. */
const FILINGS = {
  concurrency: 2,
  keptMs: 600_000,
  needsContact: true,
  license: 'SEC EDGAR, public domain',
  answerMs: 20_000,
} as const;

/** Registries without a fee. The rates are far below what each allows. */
const REGISTRY = { concurrency: 2, keptMs: 600_000, needsContact: false, intervalMs: 600 } as const;

/** Sanctions lists: large files that are read a few times per day. */
const SANCTIONS_LISTS = {
  ...REGISTRY,
  bytesMax: 96_000_000,
  answerMs: 60_000,
  redirectsMax: 2,
} as const;

const MARKET = { concurrency: 2, keptMs: 2_000, needsContact: false } as const;

const OPINIONS = {
  intervalMs: 1_000,
  concurrency: 1,
  keptMs: 60_000,
  needsContact: false,
} as const;

/** Document sources. One request at a time, as arXiv requires. */
const DOCUMENTS = { concurrency: 1, keptMs: 600_000, needsContact: false } as const;

/**
 * Every upstream of the data tools. Only `companieshouse` needs a key. Rates are below what each
 * allows.
 */
export const UPSTREAMS = {
  kraken: {
    ...MARKET,
    baseUrl: 'https://api.kraken.com',
    intervalMs: 1_000,
    license: 'Kraken terms of service',
  },
  coinbase: {
    ...MARKET,
    baseUrl: 'https://api.exchange.coinbase.com',
    intervalMs: 120,
    license: 'Coinbase market data terms',
  },
  binance: {
    ...MARKET,
    baseUrl: 'https://data-api.binance.vision',
    intervalMs: 120,
    license: 'Binance market data terms',
  },
  bitstamp: {
    ...MARKET,
    baseUrl: 'https://www.bitstamp.net',
    intervalMs: 200,
    license: 'Bitstamp terms of use',
  },
  coinbasebooks: {
    ...MARKET,
    baseUrl: 'https://api.coinbase.com',
    intervalMs: 150,
    license: 'Coinbase market data terms',
  },
  okx: {
    ...MARKET,
    baseUrl: 'https://www.okx.com',
    intervalMs: 150,
    license: 'OKX API agreement',
  },
  bybit: {
    ...MARKET,
    baseUrl: 'https://api.bybit.com',
    intervalMs: 120,
    license: 'Bybit API terms',
  },
  kucoin: {
    ...MARKET,
    baseUrl: 'https://api.kucoin.com',
    intervalMs: 200,
    license: 'KuCoin API terms',
  },
  gate: {
    ...MARKET,
    baseUrl: 'https://api.gateio.ws',
    intervalMs: 120,
    license: 'Gate API terms',
  },
  mexc: {
    ...MARKET,
    baseUrl: 'https://api.mexc.com',
    intervalMs: 150,
    license: 'MEXC API terms',
  },
  cryptocom: {
    ...MARKET,
    baseUrl: 'https://api.crypto.com',
    intervalMs: 120,
    license: 'Crypto.com Exchange API terms',
  },
  gemini: {
    ...MARKET,
    baseUrl: 'https://api.gemini.com',
    intervalMs: 1_000,
    license: 'Gemini API agreement',
  },
  secdata: {
    ...FILINGS,
    baseUrl: 'https://data.sec.gov',
    intervalMs: 300,
    bytesMax: 24_000_000,
  },
  secfiles: {
    ...FILINGS,
    baseUrl: 'https://www.sec.gov',
    intervalMs: 300,
    bytesMax: 16_000_000,
  },
  sanctions: {
    ...REGISTRY,
    baseUrl: 'https://api.trade.gov',
    bytesMax: 96_000_000,
    answerMs: 60_000,
    license: 'International Trade Administration, public domain',
  },
  ofac: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://sanctionslistservice.ofac.treas.gov',
    license: 'Office of Foreign Assets Control, public domain',
  },
  unsanctions: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://scsanctions.un.org',
    license: 'United Nations, terms of use',
  },
  eusanctions: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://webgate.ec.europa.eu',
    license: 'European Commission, reuse with attribution',
  },
  uksanctions: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://sanctionslist.fcdo.gov.uk',
    license: 'Foreign, Commonwealth & Development Office, Open Government Licence 3.0',
  },
  gleif: {
    ...REGISTRY,
    baseUrl: 'https://api.gleif.org',
    intervalMs: 1_100,
    license: 'GLEIF, CC0 1.0',
  },
  brreg: { ...REGISTRY, baseUrl: 'https://data.brreg.no', license: 'Brønnøysund, NLOD 2.0' },
  recherche: {
    ...REGISTRY,
    baseUrl: 'https://recherche-entreprises.api.gouv.fr',
    license: 'INSEE and INPI, Licence Ouverte 2.0',
  },
  companieshouse: {
    ...REGISTRY,
    baseUrl: 'https://api.company-information.service.gov.uk',
    license: 'Companies House, Open Government Licence 3.0',
  },
  colorado: {
    ...REGISTRY,
    baseUrl: 'https://data.colorado.gov',
    license: 'State of Colorado, public domain',
  },
  newyork: {
    ...REGISTRY,
    baseUrl: 'https://data.ny.gov',
    license: 'State of New York, terms of open data',
  },
  secsearch: { ...FILINGS, baseUrl: 'https://efts.sec.gov', intervalMs: 700 },
  dexscreener: {
    ...MARKET,
    baseUrl: 'https://api.dexscreener.com',
    intervalMs: 250,
    license: 'DexScreener API terms',
  },
  geckoterminal: {
    ...MARKET,
    baseUrl: 'https://api.geckoterminal.com',
    intervalMs: 2_100,
    keptMs: 10_000,
    license: 'GeckoTerminal API terms',
  },
  dexpaprika: {
    ...MARKET,
    baseUrl: 'https://api.dexpaprika.com',
    intervalMs: 500,
    license: 'DexPaprika API terms',
  },
  hackernews: {
    ...OPINIONS,
    baseUrl: 'https://hn.algolia.com',
    bytesMax: 4_000_000,
    license: 'Hacker News; comments © their authors',
  },
  mastodon: {
    ...OPINIONS,
    baseUrl: 'https://mastodon.social',
    license: 'mastodon.social; posts © their authors',
  },
  lemmy: {
    ...OPINIONS,
    baseUrl: 'https://lemmy.world',
    license: 'lemmy.world; posts © their authors',
  },
  wikipedia: {
    ...DOCUMENTS,
    intervalMs: 250,
    needsContact: true,
    baseUrl: 'https://en.wikipedia.org',
    license: 'Wikipedia, CC BY-SA 4.0',
  },
  crossref: {
    ...DOCUMENTS,
    intervalMs: 500,
    baseUrl: 'https://api.crossref.org',
    license: 'Crossref; abstracts © their publishers',
    answerMs: 20_000,
  },
  arxiv: {
    ...DOCUMENTS,
    intervalMs: 3_100,
    baseUrl: 'https://export.arxiv.org',
    license: 'arXiv; abstracts © their authors',
    answerMs: 20_000,
  },
  youtube: {
    ...OPINIONS,
    intervalMs: 500,
    keptMs: 3_600_000,
    baseUrl: 'https://www.youtube.com',
    license: 'YouTube terms of service',
    bytesMax: 4_000_000,
  },
} as const satisfies Record<string, Upstream>;

/** The name of an upstream. */
export type UpstreamId = keyof typeof UPSTREAMS;
