import { type Feed, FeedCategory } from '../../domain/news/feed.ts';

/**
 * Curated domains with their published feeds: category, domain, language, country, paywall (`pay`
 * or `open`), URL. They are not verified: `npm run feeds:check` requests them all and prints which
 * ones answer.
 */
const FEED_ROWS = `
world bbc.co.uk en GB open https://feeds.bbci.co.uk/news/world/rss.xml
world theguardian.com en GB open https://www.theguardian.com/world/rss
world npr.org en US open https://feeds.npr.org/1001/rss.xml
world aljazeera.com en QA open https://www.aljazeera.com/xml/rss/all.xml
world dw.com en DE open https://rss.dw.com/rdf/rss-en-all
world france24.com en FR open https://www.france24.com/en/rss
world nytimes.com en US pay https://rss.nytimes.com/services/xml/rss/nyt/World.xml
world washingtonpost.com en US pay https://feeds.washingtonpost.com/rss/world
world news.sky.com en GB open https://feeds.skynews.com/feeds/rss/world.xml
world abc.net.au en AU open https://www.abc.net.au/news/feed/51120/rss.xml
world cbc.ca en CA open https://www.cbc.ca/webfeed/rss/rss-world
world scmp.com en HK pay https://www.scmp.com/rss/91/feed
world japantimes.co.jp en JP pay https://www.japantimes.co.jp/feed/
world independent.co.uk en GB open https://www.independent.co.uk/news/world/rss
world politico.eu en BE open https://www.politico.eu/feed/
world lemonde.fr fr FR pay https://www.lemonde.fr/rss/une.xml
world tagesschau.de de DE open https://www.tagesschau.de/index~rss2.xml
world elpais.com es ES pay https://feeds.elpais.com/mrss-s/pages/ep/site/elpais.com/portada
business cnbc.com en US open https://www.cnbc.com/id/100003114/device/rss/rss.html
business ft.com en GB pay https://www.ft.com/rss/home
business marketwatch.com en US pay https://feeds.content.dowjones.io/public/rss/mw_topstories
business finance.yahoo.com en US open https://finance.yahoo.com/news/rssindex
business economist.com en GB pay https://www.economist.com/finance-and-economics/rss.xml
business fortune.com en US pay https://fortune.com/feed/
business businessinsider.com en US pay https://feeds.businessinsider.com/custom/all
business prnewswire.com en US open https://www.prnewswire.com/rss/news-releases-list.rss
business globenewswire.com en US open https://www.globenewswire.com/RssFeed/orgclass/1/feedTitle/All
business news.crunchbase.com en US open https://news.crunchbase.com/feed/
business investing.com en CY open https://www.investing.com/rss/news.rss
business handelsblatt.com de DE pay https://www.handelsblatt.com/contentexport/feed/schlagzeilen
crypto coindesk.com en US open https://www.coindesk.com/arc/outboundfeeds/rss/
crypto cointelegraph.com en US open https://cointelegraph.com/rss
crypto decrypt.co en US open https://decrypt.co/feed
crypto theblock.co en US open https://www.theblock.co/rss.xml
crypto bitcoinmagazine.com en US open https://bitcoinmagazine.com/feed
crypto cryptoslate.com en US open https://cryptoslate.com/feed/
crypto blog.ethereum.org en CH open https://blog.ethereum.org/en/feed.xml
crypto bitcoinist.com en US open https://bitcoinist.com/feed/
technology techcrunch.com en US open https://techcrunch.com/feed/
technology theverge.com en US pay https://www.theverge.com/rss/index.xml
technology wired.com en US pay https://www.wired.com/feed/rss
technology arstechnica.com en US open https://feeds.arstechnica.com/arstechnica/index
technology engadget.com en US open https://www.engadget.com/rss.xml
technology theregister.com en GB open https://www.theregister.com/headlines.atom
technology news.ycombinator.com en US open https://news.ycombinator.com/rss
technology lobste.rs en US open https://lobste.rs/rss
technology github.blog en US open https://github.blog/feed/
technology technologyreview.com en US pay https://www.technologyreview.com/feed/
technology spectrum.ieee.org en US open https://spectrum.ieee.org/feeds/feed.rss
technology heise.de de DE open https://www.heise.de/rss/heise-atom.xml
technology lwn.net en US open https://lwn.net/headlines/rss
security krebsonsecurity.com en US open https://krebsonsecurity.com/feed/
security thehackernews.com en IN open https://feeds.feedburner.com/TheHackersNews
security bleepingcomputer.com en US open https://www.bleepingcomputer.com/feed/
security schneier.com en US open https://www.schneier.com/feed/atom/
security darkreading.com en US open https://www.darkreading.com/rss.xml
security cisa.gov en US open https://www.cisa.gov/cybersecurity-advisories/all.xml
science nature.com en GB pay https://www.nature.com/nature.rss
science science.org en US pay https://www.science.org/rss/news_current.xml
science news.mit.edu en US open https://news.mit.edu/rss/feed
science phys.org en GB open https://phys.org/rss-feed/
science sciencedaily.com en US open https://www.sciencedaily.com/rss/all.xml
science quantamagazine.org en US open https://www.quantamagazine.org/feed/
science nasa.gov en US open https://www.nasa.gov/feed/
science arxiv.org en US open https://rss.arxiv.org/rss/cs.AI
official news.un.org en INT open https://news.un.org/feed/subscribe/en/news/all/rss.xml
official federalreserve.gov en US open https://www.federalreserve.gov/feeds/press_all.xml
official ecb.europa.eu en INT open https://www.ecb.europa.eu/rss/press.html
official sec.gov en US open https://www.sec.gov/news/pressreleases.rss
official who.int en INT open https://www.who.int/rss-feeds/news-english.xml
official bankofengland.co.uk en GB open https://www.bankofengland.co.uk/rss/news
official ftc.gov en US open https://www.ftc.gov/feeds/press-release.xml
`;

/** The curated feeds. Each domain appears once. */
export const FEEDS: readonly Feed[] = FEED_ROWS.trim().split('\n').map(parseFeedRow);

function parseFeedRow(row: string): Feed {
  const [category, domain = '', lang = '', country = '', access, feedUrl = ''] = row.split(' ');
  return {
    domain,
    feedUrl,
    lang,
    country,
    category: FeedCategory.parse(category),
    paywall: access === 'pay',
    lastVerified: null,
  };
}
