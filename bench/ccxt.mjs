// What the exchanges that `ccxt` reads cost this process. Needs `npm run build`; loopback only.
//   node --expose-gc bench/ccxt.mjs [--rounds 100]
// memory    of the process: before, with the thread and one exchange, with seven, and after the
//           thread was let go (it waits for that, a minute)
// tickers   the first one, which starts the thread, the first one of each other exchange, and later
//           ones beside those of an exchange with an adapter of our own
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fromDist } from './lib/dist.mjs';
import { openRows, say } from './lib/output.mjs';
import { fixed, median, percentile, table } from './lib/stats.mjs';

const { createExchanges } = await fromDist('providers/market/exchanges.js');
const { CCXT_IDLE_MS, CcxtThread } = await fromDist('providers/market/ccxt/ccxt-thread.js');
const { createUpstreamReader } = await fromDist('providers/data/upstream-reader.js');
const { createEgress } = await fromDist('providers/net/egress.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const ROUNDS = Number(values.rounds);
/** A little over the pace of both, so that no read waits for its turn. */
const APART_MS = 160;
const FIXTURES = new URL('../test/fixtures/upstreams/', import.meta.url);
const FURTHER = ['okx', 'bybit', 'kucoin', 'gate', 'mexc', 'cryptocom', 'gemini'];
const OWN = 'binance';

const { add } = openRows('ccxt');
const answers = new Map([OWN, ...FURTHER].flatMap(answersOf));
const server = createServer((request, response) => {
  const body = answers.get(request.url);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(body ?? '{}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const host = `127.0.0.1:${server.address().port}`;
const clock = systemClock();
const egress = createEgress({ clock, userAgent: 'stoa/bench', allowHosts: [host] });
const reader = createUpstreamReader({
  egress,
  clock,
  random: { bytes: (length) => new Uint8Array(length) },
  baseUrls: Object.fromEntries([OWN, ...FURTHER].map((id) => [id, `http://${host}/${id}`])),
});
const thread = new CcxtThread(clock);
const { quotes } = createExchanges({ reader, clock, thread });
try {
  await run();
} finally {
  await egress.close();
  server.closeAllConnections();
  server.close();
}

async function run() {
  // What every reading needs is there before anything is measured.
  await ticker(OWN);
  const memory = [['before', memoryMb()]];
  const firsts = [];
  for (const id of FURTHER) {
    firsts.push([id, await timed(() => ticker(id))]);
    if (id === FURTHER[0]) memory.push(['thread with one exchange', memoryMb()]);
  }
  memory.push(['thread with seven', memoryMb()]);
  const later = { [OWN]: [], okx: [] };
  for (let at = 0; at < ROUNDS; at += 1) {
    await sleep(APART_MS);
    for (const id of Object.keys(later)) later[id].push(await timed(() => ticker(id, baseOf(at))));
  }
  memory.push([`after ${ROUNDS} more`, memoryMb()]);
  await sleep(CCXT_IDLE_MS + 2_000);
  if (thread.isLoaded) throw new Error('the thread is still there');
  memory.push(['let go', memoryMb()]);
  const again = await timed(() => ticker('okx'));
  add({ memory, firsts, again, later });
  const mb = memory.map(([name, size]) => [name, fixed(size, 1), fixed(size - memory[0][1], 1)]);
  say(table(['memory of the process', 'MB', 'more than before'], mb));
  const rows = [...firsts.map(([id, ms]) => [`first of ${id}`, fixed(ms, 1), '']), ...laterRows()];
  say(
    table(
      ['ticker', 'ms (median)', 'p99 ms'],
      [...rows, ['okx, after it was let go', fixed(again, 1), '']],
    ),
  );

  function laterRows() {
    const row = ([id, all]) => [
      `later of ${id}`,
      fixed(median(all), 1),
      fixed(percentile(all, 0.99), 1),
    ];
    return Object.entries(later).map(row);
  }
}

async function ticker(venue, base = 'BTC') {
  const pair = `${base}/${venue === 'gemini' ? 'USD' : 'USDT'}`;
  const reading = await quotes.quote({ venue, pair, deadline: clock.now() + 60_000 });
  if (!reading.ok) throw new Error(`${venue} ${pair}: ${JSON.stringify(reading.fault)}`);
}

/** The fixture of a ticker, and the same for as many other pairs. */
function answersOf(id) {
  const name = readdirSync(new URL(`${id}/`, FIXTURES)).find((each) => /BTC|btc/.test(each));
  const { path, body } = JSON.parse(readFileSync(new URL(`${id}/${name}`, FIXTURES), 'utf8'));
  const text = JSON.stringify(body)
    .replaceAll('"{{#ms}}"', String(Date.now()))
    .replaceAll('{{ms}}', String(Date.now()));
  const others = path.includes('BTC') ? Array.from({ length: ROUNDS }, (_, at) => baseOf(at)) : [];
  return ['BTC', ...others].map((base) => [
    `/${id}${path.replace('BTC', base)}`,
    text.replaceAll('BTC', base),
  ]);
}

function baseOf(at) {
  return `C${at}`;
}

function memoryMb() {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1e6;
}

async function timed(run) {
  const from = performance.now();
  await run();
  return performance.now() - from;
}
