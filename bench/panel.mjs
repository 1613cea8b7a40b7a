// A debate with seats that answer at once: what the runtime itself costs per turn.
//   node bench/panel.mjs [--peers a,b] [--rounds 5] [--runs 60] [--warm 300]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SEATS, TURNS } from './lib/debate.mjs';
import { openRows, say } from './lib/output.mjs';
import { runScript } from './lib/proc.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const langgraph = script('./peers/langgraph/panel.mjs');
const stoa = script('./panel/stoa.mjs');
const PEERS = {
  'langgraph-sqlite': { script: langgraph, env: { SAVER: 'sqlite' } },
  'langgraph-memory': { script: langgraph, env: { SAVER: 'memory' } },
  'langgraph-none': { script: langgraph, env: { SAVER: 'none' } },
  'stoa-lmdb': { script: stoa, env: { EFFECTS: 'instant' } },
  'stoa-lmdb-whole': { script: stoa, env: { EFFECTS: 'whole' } },
  'xstate-live': { script: script('./panel/xstate.mjs'), env: {} },
};
const TITLES = {
  'langgraph-sqlite': 'LangGraph, SqliteSaver (WAL, synchronous FULL)',
  'langgraph-memory': 'LangGraph, MemorySaver',
  'langgraph-none': 'LangGraph, nothing kept',
  'stoa-lmdb': 'stoa, engine on LMDB, every event flushed',
  'stoa-lmdb-whole': 'the same with prompts, parsing, texts and sealing as in production',
  'xstate-live': 'the same machine in a live XState actor, nothing kept',
};

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: Object.keys(PEERS).join() },
    rounds: { type: 'string', default: '5' },
    runs: { type: 'string', default: '60' },
    warm: { type: 'string', default: '300' },
  },
});

const { rows, add } = openRows('panel');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const peer of values.peers.split(',')) await measure(round, peer);
}
report();

async function measure(round, peer) {
  const env = { ...PEERS[peer].env, RUNS: values.runs, WARM: values.warm };
  const result = await runScript({ name: peer, ...PEERS[peer], env, msMax: 120_000 });
  const row = { round, peer, turnUs: result.cpuUs / TURNS, ...result };
  add(row);
  say(
    `${round} ${peer}: ${fixed(row.turnUs, 1)} us/turn, ${fixed(row.wallUs / 1000, 1)} ms/debate`,
  );
}

function report() {
  const byPeer = groupBy(rows, (row) => row.peer);
  say(`\n### debate of ${SEATS} seats, ${TURNS} turns\n`);
  const bases = ['langgraph-sqlite', 'langgraph-memory'];
  const lines = [...byPeer].map(([peer, of]) => {
    const all = (key) => of.map((row) => row[key]);
    const ratios = bases.map((base) => fixed(roundRatio(of, byPeer.get(base) ?? [], 'cpuUs'), 2));
    return [
      TITLES[peer],
      fixed(median(all('turnUs')), 0),
      `${spreadPercent(all('turnUs'))} %`,
      fixed(median(all('userUs')) / TURNS, 0),
      fixed(median(all('wallUs')) / 1000, 1),
      ...ratios,
    ];
  });
  const head = ['runtime', 'CPU µs/turn', 'spread', 'of it user', 'wall ms/debate'];
  say(table([...head, 'CPU to LangGraph on SQLite', 'CPU to LangGraph in memory'], lines));
}
