// Upstreams for pictures of reports: one company that does not exist, its papers, and markets whose
// prices are a made wave. They are those of the tests, under another name; nothing of them is real.
import { importTypeScript } from './typescript-module.mjs';

const UPSTREAMS = 'test/support/upstreams';
/** Where prices of the made markets end, in dollars. */
const PRICE = 64_120;
const DAY_MS = 86_400_000;
/** Years by which filings of the fixtures are moved, so that they are of this year. */
const YEARS_ON = 3;
const HOUR_MS = 3_600_000;

/** The company of the pictures, and the ticker of its shares. */
export const COMPANY = { name: 'Fjordglass', jurisdiction: 'no', ticker: 'FJGL' };

/** Starts them. `others` is what a server is told; `dial` makes one of them fail. */
export async function startMadeUpstreams() {
  const [{ upstreamServer, fixturesOf }, { madeMarkets }, { feedServer }] = await Promise.all(
    ['upstream-server', 'made-markets', 'feed-server'].map((name) =>
      importTypeScript(`${UPSTREAMS}/${name}.ts`),
    ),
  );
  const { UPSTREAMS: all } = await importTypeScript('src/providers/data/upstreams.ts');
  const fixtures = Object.keys(all).flatMap((id) =>
    id in FIXED ? fixturesOf(id).map((one) => renamed(id, one)) : [],
  );
  const answers = new Map(fixtures.map(({ id, path, ...answer }) => [`${id} ${path}`, answer]));
  const markets = madeMarkets(marketsOf(Date.now()));
  const made = (id, path, now) => {
    if (id === 'secsearch') return { status: 200, body: NO_FILINGS };
    return markets(id, path, now) ?? answers.get(`${id} ${path}`);
  };
  const server = await upstreamServer(Date.now, made);
  const papers = await feedServer();
  for (const [domain, items] of Object.entries(NEWS)) papers.hold(domain, items);
  return {
    dial: server.dial,
    others: {
      baseUrls: server.baseUrls,
      hosts: [server.host, papers.host],
      feeds: Object.keys(NEWS).map((domain) => papers.feed(domain)),
    },
    close: async () => {
      await server.close();
      await papers.close();
    },
  };
}

/** Upstreams whose fixtures tell of a company, and whether their days are moved. */
const FIXED = { gleif: false, brreg: false, secdata: true, secfiles: true };
const NO_FILINGS = { hits: { total: { value: 0, relation: 'eq' }, hits: [] } };

function renamed(id, { path, status, body }) {
  const text = nameOf(JSON.stringify(body));
  const moved = FIXED[id] ? text.replace(/\b20[12]\d(?=-\d\d)/g, (year) => later(year)) : text;
  return { id, path: nameOf(path), status, body: JSON.parse(moved) };
}

function later(year) {
  return String(Number(year) + YEARS_ON);
}

function nameOf(text) {
  return text
    .replaceAll('EQUINOR', 'FJORDGLASS')
    .replaceAll('Equinor', 'Fjordglass')
    .replaceAll('Apple Inc', 'Fjordglass Inc')
    .replaceAll('APPLE COMPUTER INC', 'FJORDGLASS WORKS INC')
    .replaceAll('AAPL', 'FJGL');
}

const NEWS = {
  'harbour-paper.example': [
    item('Fjordglass opens a furnace that runs on hydrogen', 5),
    item('Fjordglass wins a great order for train windows', 30),
    item('Fjordglass sued over a patent on coatings', 50),
  ],
  'north-daily.example': [
    item('Strong year for Fjordglass as orders grow', 9),
    item('Fjordglass praised for safe work', 77),
    item('Town happy with Fjordglass plan for a better quay', 120),
  ],
  'glass-weekly.example': [
    item('Fjordglass delays its second furnace', 15),
    item('Best glass award goes to Fjordglass', 90),
    item('Fjordglass and a partner agree on recycling', 140),
    item('Good results at Fjordglass', 200),
  ],
};

function item(title, hours) {
  const url = `https://paper.example/${title.toLowerCase().replaceAll(' ', '-')}`;
  return { title, url, ageMs: hours * HOUR_MS };
}

function marketsOf(now) {
  const candle = (at, length) => candleOf(at, length, now);
  const missing = (at) => Math.floor(at / DAY_MS) % 47 === 11;
  const book = (middle, half) => ({ candle, missing, middle, half, size: 0.4 });
  return {
    coinbase: book(PRICE + 9, 6),
    kraken: book(PRICE - 3, 4),
    bitstamp: book(PRICE - 14, 11),
  };
}

function candleOf(at, length, now) {
  const price = (time) => round((PRICE * waveAt(time, length)) / waveAt(now, length));
  const [open, close] = [price(at), price(at + length)];
  const swing = PRICE * (0.004 + 0.003 * Math.abs(Math.sin(at / length)));
  return {
    at,
    open,
    close,
    volume: round(900 + 300 * Math.sin(at / length)),
    high: round(Math.max(open, close) + swing),
    low: round(Math.min(open, close) - swing),
  };
}

/** Slow and quick waves: no two stretches look alike. */
function waveAt(time, length) {
  const step = time / length;
  const slow = 0.14 * Math.sin(step / 29) + 0.05 * Math.sin(step / 7 + 1);
  return 1 + slow + 0.018 * Math.sin(step * 1.7) + 0.011 * Math.sin(step * 4.3);
}

function round(figure) {
  return Math.round(figure * 100) / 100;
}
