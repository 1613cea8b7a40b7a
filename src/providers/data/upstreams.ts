import { MARKET_UPSTREAM, type Upstream } from '../../domain/data/upstreams.ts';
import { VENUE_UPSTREAMS } from '../../domain/market/venue/venues.ts';

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
  ...VENUE_UPSTREAMS,
  secdata: {
    ...FILINGS,
    baseUrl: 'https://data.sec.gov',
    probe: '/submissions/CIK0000320193.json',
    intervalMs: 300,
    bytesMax: 24_000_000,
  },
  secfiles: {
    ...FILINGS,
    baseUrl: 'https://www.sec.gov',
    probe: '/files/company_tickers.json',
    intervalMs: 300,
    bytesMax: 16_000_000,
  },
  sanctions: {
    ...REGISTRY,
    baseUrl: 'https://api.trade.gov',
    probe: '/static/consolidated_screening_list/consolidated.json',
    bytesMax: 96_000_000,
    answerMs: 60_000,
    license: 'International Trade Administration, public domain',
  },
  ofac: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://sanctionslistservice.ofac.treas.gov',
    probe: '/api/download/SDN.XML',
    license: 'Office of Foreign Assets Control, public domain',
  },
  unsanctions: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://scsanctions.un.org',
    probe: '/resources/xml/en/consolidated.xml',
    license: 'United Nations, terms of use',
  },
  eusanctions: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://webgate.ec.europa.eu',
    probe: '/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
    license: 'European Commission, reuse with attribution',
  },
  uksanctions: {
    ...SANCTIONS_LISTS,
    baseUrl: 'https://sanctionslist.fcdo.gov.uk',
    probe: '/docs/UK-Sanctions-List.xml',
    license: 'Foreign, Commonwealth & Development Office, Open Government Licence 3.0',
  },
  gleif: {
    ...REGISTRY,
    baseUrl: 'https://api.gleif.org',
    probe: '/api/v1/lei-records/HWUPKR0MPOU8FGXBT394',
    intervalMs: 1_100,
    license: 'GLEIF, CC0 1.0',
  },
  brreg: {
    ...REGISTRY,
    baseUrl: 'https://data.brreg.no',
    probe: '/enhetsregisteret/api/enheter/923609016',
    license: 'Brønnøysund, NLOD 2.0',
  },
  recherche: {
    ...REGISTRY,
    baseUrl: 'https://recherche-entreprises.api.gouv.fr',
    probe: '/search?q=552032534&per_page=20',
    license: 'INSEE and INPI, Licence Ouverte 2.0',
  },
  companieshouse: {
    ...REGISTRY,
    baseUrl: 'https://api.company-information.service.gov.uk',
    probe: '/company/00102498',
    license: 'Companies House, Open Government Licence 3.0',
  },
  colorado: {
    ...REGISTRY,
    baseUrl: 'https://data.colorado.gov',
    probe: '/resource/4ykn-tg5h.json?%24where=entityid%3D%2719871234567%27&%24limit=20',
    license: 'State of Colorado, public domain',
  },
  newyork: {
    ...REGISTRY,
    baseUrl: 'https://data.ny.gov',
    probe: '/resource/n9v6-gdp6.json?%24where=dos_id%3D%271234567%27&%24limit=20',
    license: 'State of New York, terms of open data',
  },
  secsearch: {
    ...FILINGS,
    baseUrl: 'https://efts.sec.gov',
    probe:
      '/LATEST/search-index?q=%22supply+chain%22&forms=10-K&ciks=0000320193&dateRange=custom' +
      '&startdt=2001-01-01&enddt=2023-12-31',
    intervalMs: 700,
  },
  dexscreener: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://api.dexscreener.com',
    probe: '/token-pairs/v1/ethereum/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    intervalMs: 250,
    license: 'DexScreener API terms',
  },
  geckoterminal: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://api.geckoterminal.com',
    probe: '/api/v2/networks/eth/tokens/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2/pools',
    intervalMs: 2_100,
    keptMs: 10_000,
    license: 'GeckoTerminal API terms',
  },
  dexpaprika: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://api.dexpaprika.com',
    probe: '/networks/ethereum/tokens/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    intervalMs: 500,
    license: 'DexPaprika API terms',
  },
  hackernews: {
    ...OPINIONS,
    baseUrl: 'https://hn.algolia.com',
    probe: '/api/v1/search_by_date?query=bitcoin&tags=%28story%2Ccomment%29&hitsPerPage=100',
    bytesMax: 4_000_000,
    license: 'Hacker News; comments © their authors',
  },
  mastodon: {
    ...OPINIONS,
    baseUrl: 'https://mastodon.social',
    probe: '/api/v1/timelines/tag/bitcoin?limit=40',
    license: 'mastodon.social; posts © their authors',
  },
  lemmy: {
    ...OPINIONS,
    baseUrl: 'https://lemmy.world',
    probe: '/api/v3/search?q=bitcoin&type_=All&sort=New&limit=50',
    license: 'lemmy.world; posts © their authors',
  },
  wikipedia: {
    ...DOCUMENTS,
    intervalMs: 250,
    needsContact: true,
    baseUrl: 'https://en.wikipedia.org',
    probe: '/w/rest.php/v1/search/page?q=proof+of+stake&limit=5',
    license: 'Wikipedia, CC BY-SA 4.0',
  },
  crossref: {
    ...DOCUMENTS,
    intervalMs: 500,
    baseUrl: 'https://api.crossref.org',
    probe:
      '/works?query=proof+of+stake&filter=has-abstract%3Atrue' +
      '&select=DOI%2Ctitle%2Cabstract%2Cissued&rows=5',
    license: 'Crossref; abstracts © their publishers',
    answerMs: 20_000,
  },
  arxiv: {
    ...DOCUMENTS,
    intervalMs: 3_100,
    baseUrl: 'https://export.arxiv.org',
    probe:
      '/api/query?search_query=all%3Aproof+AND+all%3Astake&start=0&max_results=5&sortBy=relevance' +
      '&sortOrder=descending',
    license: 'arXiv; abstracts © their authors',
    answerMs: 20_000,
  },
  youtube: {
    ...OPINIONS,
    intervalMs: 500,
    keptMs: 3_600_000,
    baseUrl: 'https://www.youtube.com',
    probe: '/oembed?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DdQw4w9WgXcQ&format=json',
    license: 'YouTube terms of service',
    bytesMax: 4_000_000,
  },
} as const satisfies Record<string, Upstream>;

/** The name of an upstream. */
export type UpstreamId = keyof typeof UPSTREAMS;
