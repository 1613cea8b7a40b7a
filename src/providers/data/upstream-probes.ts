import type { UpstreamId } from './upstreams.ts';

/** Path of a small public answer for each upstream, which shows whether it is available. */
export const UPSTREAM_PROBES: Readonly<Record<UpstreamId, string>> = {
  kraken: '/0/public/Ticker?pair=XBTUSD',
  coinbase: '/products/BTC-USD/ticker',
  binance: '/api/v3/ticker/24hr?symbol=BTCUSDT',
  bitstamp: '/api/v2/ticker/btcusd/',
  coinbasebooks: '/api/v3/brokerage/market/product_book?product_id=BTC-USD&limit=100',
  okx: '/api/v5/market/ticker?instId=BTC-USDT',
  bybit: '/v5/market/tickers?symbol=BTCUSDT&category=spot',
  kucoin: '/api/v1/market/stats?symbol=BTC-USDT',
  gate: '/api/v4/spot/tickers?currency_pair=BTC_USDT',
  mexc: '/api/v3/ticker/24hr?symbol=BTCUSDT',
  cryptocom: '/exchange/v1/public/get-tickers?instrument_name=BTC_USDT',
  gemini: '/v1/pubticker/btcusd',
  sanctions: '/static/consolidated_screening_list/consolidated.json',
  ofac: '/api/download/SDN.XML',
  unsanctions: '/resources/xml/en/consolidated.xml',
  eusanctions: '/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
  uksanctions: '/docs/UK-Sanctions-List.xml',
  gleif: '/api/v1/lei-records/HWUPKR0MPOU8FGXBT394',
  brreg: '/enhetsregisteret/api/enheter/923609016',
  recherche: '/search?q=552032534&per_page=20',
  companieshouse: '/company/00102498',
  colorado: '/resource/4ykn-tg5h.json?%24where=entityid%3D%2719871234567%27&%24limit=20',
  newyork: '/resource/n9v6-gdp6.json?%24where=dos_id%3D%271234567%27&%24limit=20',
  secdata: '/submissions/CIK0000320193.json',
  secfiles: '/files/company_tickers.json',
  secsearch:
    '/LATEST/search-index?q=%22supply+chain%22&forms=10-K&ciks=0000320193&dateRange=custom' +
    '&startdt=2001-01-01&enddt=2023-12-31',
  dexscreener: '/token-pairs/v1/ethereum/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  geckoterminal: '/api/v2/networks/eth/tokens/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2/pools',
  dexpaprika: '/networks/ethereum/tokens/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  hackernews: '/api/v1/search_by_date?query=bitcoin&tags=%28story%2Ccomment%29&hitsPerPage=100',
  mastodon: '/api/v1/timelines/tag/bitcoin?limit=40',
  lemmy: '/api/v3/search?q=bitcoin&type_=All&sort=New&limit=50',
  wikipedia: '/w/rest.php/v1/search/page?q=proof+of+stake&limit=5',
  crossref:
    '/works?query=proof+of+stake&filter=has-abstract%3Atrue' +
    '&select=DOI%2Ctitle%2Cabstract%2Cissued&rows=5',
  arxiv:
    '/api/query?search_query=all%3Aproof+AND+all%3Astake&start=0&max_results=5&sortBy=relevance' +
    '&sortOrder=descending',
  youtube: '/oembed?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DdQw4w9WgXcQ&format=json',
};
