// The whole server, from the start of its process to its first MCP answer, and its memory at rest.
// Once without its chain, once with a chain that runs already, once with the start of its own.
//   node bench/start.mjs [--peers a,b] [--rounds 9]
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { cpuMs, memoryKib, sleep, startServer, stopChild } from './lib/proc.mjs';
import { realServer, startReal, withoutChain } from './lib/real.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const sdk = script('./peers/sdk/server.mjs');
/** How long a server rests before its memory is read. */
const REST_MS = 2_000;
const PEERS = {
  'sdk-express': () => ({ script: sdk, env: { FRAME: 'express' } }),
  'sdk-node': () => ({ script: sdk, env: { FRAME: 'http' } }),
  'stoa-no-chain': () => withoutChain(),
  stoa: (chain) => realServer('stoa', { env: chainEnv(chain) }),
  'stoa-own-chain': () => realServer('own'),
};
const TITLES = {
  'sdk-express': 'official SDK on Express, the catalog',
  'sdk-node': 'official SDK on node:http, the catalog',
  'stoa-no-chain': 'stoa serve, all but the chain',
  stoa: 'stoa serve, whole, the chain running already',
  'stoa-own-chain': 'stoa serve with the start of its own chain',
};

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: Object.keys(PEERS).join() },
    rounds: { type: 'string', default: '9' },
  },
});

const { rows, add } = openRows('start');
const chainHolder = await startReal('chain');
try {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const peer of values.peers.split(',')) await measure(peer, round);
  }
} finally {
  await stopChild(chainHolder.child);
}
report();

async function measure(peer, round) {
  const setup = await PEERS[peer](chainHolder.ready.chain);
  const { child, coldMs } = await startServer({ name: peer, ...setup });
  const startCpuMs = cpuMs(child.pid);
  try {
    await sleep(REST_MS);
    const { resident, anonymous } = memoryKib(child.pid);
    add({ round, peer, coldMs, cpuMs: startCpuMs, resident, anonymous });
    say(
      `${round} ${peer}: ${fixed(coldMs, 0)} ms, ${startCpuMs} of CPU, ${fixed(resident / 1024, 0)} MiB`,
    );
  } finally {
    await stopChild(child);
    setup.folder?.clear();
  }
}

function chainEnv({ rpc_url, token }) {
  return {
    STOA_RPC_URL: rpc_url,
    STOA_TOKEN_ADDRESS: token,
    STOA_OPERATOR_KEY: `0x${randomBytes(32).toString('hex')}`,
  };
}

function report() {
  const byPeer = groupBy(rows, (row) => row.peer);
  say('\n### start to first answer, and memory at rest\n');
  const bases = ['sdk-express', 'sdk-node'];
  const lines = [...byPeer].map(([peer, of]) => {
    const all = (key) => of.map((row) => row[key]);
    const to = (key) => bases.map((base) => fixed(roundRatio(of, byPeer.get(base) ?? [], key), 2));
    return [
      TITLES[peer],
      fixed(median(all('coldMs')), 0),
      `${spreadPercent(all('coldMs'))} %`,
      ...to('coldMs'),
      fixed(median(all('cpuMs')), 0),
      ...to('cpuMs'),
      fixed(median(all('resident')) / 1024, 0),
      fixed(median(all('anonymous')) / 1024, 0),
      ...to('resident'),
    ];
  });
  const time = ['server', 'ms', 'spread', 'to Express', 'to node:http'];
  const cpu = ['CPU ms', 'to Express', 'to node:http'];
  const memory = ['resident MiB', 'of it anonymous', 'to Express', 'to node:http'];
  say(table([...time, ...cpu, ...memory], lines));
}
