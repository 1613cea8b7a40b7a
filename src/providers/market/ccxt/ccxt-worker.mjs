// @ts-check
import '../../data/silence-output.mjs';

/**
 * @typedef {object} CcxtTask
 * @property {string} folder - URL of the folder of exchanges, with a trailing slash.
 * @property {string} venue
 * @property {Readonly<Record<string, string | boolean>>} market
 * @property {'fetchTicker' | 'fetchOrderBook' | 'fetchOHLCV'} method
 * @property {readonly unknown[]} args
 * @property {number} now - The time that the exchange code sees, in milliseconds.
 * @property {{ status: number, text: string }} [answer]
 *
 * @typedef {object} CcxtRequest
 * @property {string} method
 * @property {unknown} [body]
 *
 * @typedef {object} Exchange - The part of an exchange that is used here.
 * @property {(value: unknown) => unknown} number
 * @property {(row: object, key: string, otherwise?: unknown) => unknown} safeNumber
 * @property {(row: object, key: string, otherwise?: unknown) => unknown} safeFloat
 * @property {Promise<void>} proxiesModulesLoading
 * @property {() => number} milliseconds
 * @property {() => number} seconds
 * @property {() => number} microseconds
 * @property {(markets: readonly object[]) => void} setMarkets
 * @property {(url: string, request: CcxtRequest) => Promise<object>} fetchImplementation
 * @property {(...args: readonly unknown[]) => Promise<Ticker>} fetchTicker
 * @property {(...args: readonly unknown[]) => Promise<Book>} fetchOrderBook
 * @property {(...args: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>} fetchOHLCV
 *
 * @typedef {'symbol' | 'last' | 'bid' | 'ask' | 'baseVolume' | 'timestamp'} TickerKey
 * @typedef {Partial<Record<TickerKey, unknown>>} Ticker
 *
 * @typedef {object} Book
 * @property {readonly (readonly unknown[])[]} bids
 * @property {readonly (readonly unknown[])[]} asks
 * @property {unknown} timestamp
 */

/** @type {Map<string, Promise<Exchange>>} */
const exchanges = new Map();

/** A request of the exchange code that is not made. */
class Refused extends Error {}

/**
 * Calls the code of an exchange. It sends no requests. Each call runs twice: first without an
 * answer, to learn the URL, then with the answer that the main thread got from it. Clock and market
 * are part of the call, so that both runs request the same URL.
 *
 * @param {CcxtTask} task
 * @returns The URL with the value, or with the name and message of the error.
 */
export async function callExchange(task) {
  /** @type {{ url?: string }} */
  const asked = {};
  try {
    const value = await runCall(task, asked);
    return { url: asked.url, value };
  } catch (thrown) {
    const { name, message } = /** @type {Partial<Error>} */ (thrown ?? {});
    return {
      url: asked.url,
      name: String(name).slice(0, 50),
      why: String(message).slice(0, 500),
    };
  }
}

/**
 * @param {CcxtTask} task
 * @param {{ url?: string }} asked - Gets the URL of the request.
 */
async function runCall({ folder, venue, market, method, args, now, answer }, asked) {
  const exchange = await findExchange(folder, venue);
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
  switch (method) {
    case 'fetchTicker':
      return toTickerRow(await exchange.fetchTicker(...args));
    case 'fetchOrderBook':
      return toBookRow(await exchange.fetchOrderBook(...args));
    case 'fetchOHLCV':
      return (await exchange.fetchOHLCV(...args)).map((row) => row.slice(0, 6));
  }
}

/**
 * @param {string} folder
 * @param {string} venue
 */
function findExchange(folder, venue) {
  const known = exchanges.get(venue) ?? loadExchange(folder, venue);
  exchanges.set(venue, known);
  return known;
}

/**
 * @param {string} folder
 * @param {string} venue
 * @returns {Promise<Exchange>}
 */
async function loadExchange(folder, venue) {
  const { default: Exchange } = await import(new URL(`${venue}.js`, folder).href);
  /** @type {Exchange} */
  const exchange = new Exchange({ enableRateLimit: false });
  // Numbers stay strings with all received digits.
  exchange.number = String;
  exchange.safeFloat = (row, key, otherwise) => exchange.safeNumber(row, key, otherwise);
  // Prevents a search for proxy packages.
  exchange.proxiesModulesLoading = Promise.resolve();
  return exchange;
}

/** @param {Ticker} ticker */
function toTickerRow({ symbol, last, bid, ask, baseVolume, timestamp }) {
  return { symbol, last, bid, ask, volume: baseVolume, at: timestamp ?? null };
}

/** @param {Book} book */
function toBookRow({ bids, asks, timestamp }) {
  return {
    bids: bids.map(([price, size]) => [price, size]),
    asks: asks.map(([price, size]) => [price, size]),
    at: timestamp ?? null,
  };
}
