// A durable call: our engine's `tell` on its LMDB store, against raw LMDB put-and-flush loops and
// against Restate.
//   node bench/durable.mjs [--peers a,b] [--callers 1,16,256] [--rounds 7] [--seconds 1]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { runScript } from './lib/proc.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const PEERS = {
  'raw-rows': { script: script('./durable/raw.mjs'), env: { MODE: 'rows' } },
  'raw-one': { script: script('./durable/raw.mjs'), env: { MODE: 'one' } },
  'raw-visible': { script: script('./durable/raw.mjs'), env: { MODE: 'visible' } },
  stoa: { script: script('./durable/stoa.mjs'), env: {} },
  restate: { script: script('./peers/restate/durable.mjs'), env: {} },
};
const TITLES = {
  'raw-rows': 'raw LMDB, the same rows, flushed',
  'raw-one': 'raw LMDB, the journal row only, flushed',
  'raw-visible': 'raw LMDB, the same rows, committed but not flushed',
  stoa: 'stoa, `tell` on the LMDB store',
  restate: 'Restate, one call of a virtual object',
};

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: Object.keys(PEERS).join() },
    callers: { type: 'string', default: '1,16,256' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
  },
});

const { rows, add } = openRows('durable');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const callers of values.callers.split(',')) {
    for (const peer of values.peers.split(',')) await measure({ round, callers, peer });
  }
}
report();

async function measure({ round, callers, peer }) {
  const env = { ...PEERS[peer].env, CALLERS: callers, SECONDS: values.seconds };
  const result = await runScript({ name: peer, ...PEERS[peer], env, msMax: 60_000 });
  add({ round, callers: Number(callers), peer, ...result });
  say(`${round} ${peer} ${callers}: ${fixed(result.rate, 0)}/s, ${fixed(result.cpuUs, 1)} us`);
}

function report() {
  for (const [callers, of] of groupBy(rows, (row) => row.callers)) {
    const byPeer = groupBy(of, (row) => row.peer);
    say(`\n### durable call, ${callers} callers\n`);
    const head = ['peer', 'calls/s', 'spread', 'CPU µs/call', 'p50 ms', 'p99 ms'];
    const bases = ['raw-rows', 'raw-one', 'restate'];
    const lines = [...byPeer].map(([peer, legs]) => {
      const all = (key) => legs.map((row) => row[key]);
      const ratios = bases.map((base) =>
        fixed(roundRatio(legs, byPeer.get(base) ?? [], 'rate'), 2),
      );
      return [
        TITLES[peer],
        fixed(median(all('rate')), 0),
        `${spreadPercent(all('rate'))} %`,
        fixed(median(all('cpuUs')), 1),
        fixed(median(all('p50Ms')), 2),
        fixed(median(all('p99Ms')), 2),
        ...ratios,
        fixed(roundRatio(legs, byPeer.get('raw-rows') ?? [], 'cpuUs'), 2),
        fixed(roundRatio(byPeer.get('restate') ?? [], legs, 'cpuUs'), 1),
      ];
    });
    const rates = ['rate to same rows', 'rate to one row', 'rate to Restate'];
    say(table([...head, ...rates, 'CPU to same rows', 'per CPU second to Restate'], lines));
  }
}
