/**
 * The program of the thread that runs `ccxt`. It is a string because it runs isolated from all
 * other modules. It sends no requests. Each call runs twice: first without an answer, to learn the
 * URL, then with the answer that the main thread got from it. Clock and market are part of the
 * call, so that both runs request the same URL.
 */
export const CCXT_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const exchanges = new Map();
class Refused extends Error {}
async function load(venue) {
  const { default: Exchange } = await import(new URL(venue + '.js', workerData.folder).href);
  const exchange = new Exchange({ enableRateLimit: false });
  // Numbers stay strings with all received digits.
  exchange.number = String;
  exchange.safeFloat = (row, key, otherwise) => exchange.safeNumber(row, key, otherwise);
  // Prevents a search for proxy packages.
  exchange.proxiesModulesLoading = Promise.resolve();
  return exchange;
}
function exchangeOf(venue) {
  const known = exchanges.get(venue) ?? load(venue);
  exchanges.set(venue, known);
  return known;
}
const ROWS = {
  fetchTicker: (ticker) => ({
    symbol: ticker.symbol,
    last: ticker.last,
    bid: ticker.bid,
    ask: ticker.ask,
    volume: ticker.baseVolume,
    at: ticker.timestamp ?? null,
  }),
  fetchOrderBook: ({ bids, asks, timestamp }) => ({
    bids: bids.map(([price, size]) => [price, size]),
    asks: asks.map(([price, size]) => [price, size]),
    at: timestamp ?? null,
  }),
  fetchOHLCV: (rows) => rows.map((row) => row.slice(0, 6)),
};
async function run({ venue, market, method, args, now, answer }, asked) {
  const exchange = await exchangeOf(venue);
  exchange.milliseconds = () => now;
  exchange.seconds = () => Math.floor(now / 1000);
  exchange.microseconds = () => now * 1000;
  exchange.setMarkets([market]);
  exchange.fetchImplementation = async (url, request) => {
    if (request.method !== 'GET' || request.body !== undefined) throw new Refused('Not a GET.');
    if (asked.url !== undefined) throw new Refused('Only one request is allowed.');
    asked.url = url;
    if (answer === undefined) throw new Refused('No answer yet.');
    return { status: answer.status, statusText: '', headers: {}, text: async () => answer.text };
  };
  return ROWS[method](await exchange[method](...args));
}
parentPort.on('message', async (call) => {
  const asked = {};
  try {
    parentPort.postMessage({ url: asked.url, value: await run(call, asked) });
  } catch (thrown) {
    const name = String(thrown?.name).slice(0, 50);
    parentPort.postMessage({ url: asked.url, name, why: String(thrown?.message).slice(0, 500) });
  }
});
`;
