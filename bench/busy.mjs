// The delay of an inline call while panels run in the same process, against the same server quiet.
//   node bench/busy.mjs [--panels 100] [--rounds 5] [--seconds 6] [--http uws,node]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import {
  cpuMs,
  openSession,
  post,
  sessionHeaders,
  sleep,
  startServer,
  stopChild,
} from './lib/proc.mjs';
import {
  fixed,
  groupBy,
  median,
  percentile,
  roundRatio,
  spreadPercent,
  table,
} from './lib/stats.mjs';

const script = fileURLToPath(new URL('./busy-server.mjs', import.meta.url));
const SECONDS_MAX = 10;
/** Until all panels run, and calls are compiled. */
const WARM_MS = 6_000;
const CALLERS = 8;
/** A caller waits up to this long between two calls, so that the server is not at its limit. */
const PAUSE_MS_MAX = 10;
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { message: 'hello world', n: 1 } },
};

const { values } = parseArgs({
  options: {
    panels: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    http: { type: 'string', default: 'uws,node' },
  },
});
const seconds = Math.min(SECONDS_MAX, Number(values.seconds));

const { rows, add } = openRows('busy');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const http of values.http.split(',')) {
    for (const panels of ['0', values.panels]) await measure({ round, http, panels });
  }
}
report();

async function measure({ round, http, panels }) {
  const env = { HTTP: http, PANELS: panels };
  const { child, url } = await startServer({ name: `busy-${http}`, script, env });
  try {
    const headers = sessionHeaders(await openSession(url));
    await callFor(WARM_MS, url, headers);
    const cpu = cpuMs(child.pid);
    const delays = await callFor(seconds * 1000, url, headers);
    const load = (cpuMs(child.pid) - cpu) / (seconds * 10);
    const row = {
      round,
      http,
      panels: Number(panels),
      calls: delays.length,
      load,
      p50Ms: percentile(delays, 0.5),
      p99Ms: percentile(delays, 0.99),
    };
    add(row);
    say(
      `${round} ${http} ${panels} panels: p50 ${fixed(row.p50Ms, 2)} p99 ${fixed(row.p99Ms, 2)} ms`,
    );
  } finally {
    await stopChild(child);
  }
}

async function callFor(ms, url, headers) {
  const until = performance.now() + ms;
  const delays = [];
  const caller = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      const { status, body } = await post(url, CALL, headers);
      delays.push(performance.now() - began);
      if (status !== 200 || !body.includes('hello world')) throw new Error(`${status} ${body}`);
      await sleep(Math.random() * PAUSE_MS_MAX);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return delays;
}

function report() {
  say(`\n### inline calls while ${values.panels} panels run\n`);
  const quiet = groupBy(
    rows.filter(({ panels }) => panels === 0),
    (row) => row.http,
  );
  const lines = [...groupBy(rows, ({ http, panels }) => `${http}, ${panels} panels`)].map(
    ([name, of]) => {
      const all = (key) => of.map((row) => row[key]);
      const base = quiet.get(of[0].http) ?? [];
      return [
        name,
        fixed(median(all('calls')) / seconds, 0),
        `${fixed(median(all('load')), 0)} %`,
        fixed(median(all('p50Ms')), 2),
        fixed(median(all('p99Ms')), 2),
        `${spreadPercent(all('p99Ms'))} %`,
        fixed(roundRatio(of, base, 'p99Ms'), 2),
      ];
    },
  );
  const head = ['engine', 'calls/s', 'of one core', 'p50 ms', 'p99 ms', 'spread', 'p99 to quiet'];
  say(table(head, lines));
}
