// MCP over HTTP: our front on both engines, raw uWebSockets.js, the official SDK.
//   node bench/front.mjs [--peers a,b] [--works echo,list,progress] [--rounds 5] [--seconds 4]
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import {
  cpuMs,
  openSession,
  post,
  residentKib,
  sessionHeaders,
  sleep,
  startServer,
  stopChild,
} from './lib/proc.mjs';
import { benchService } from './lib/service.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';
import { load, requireWrk } from './lib/wrk.mjs';

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const LIST_FILE = script('./out/list.bytes');
const QUIET_MS = 500;
const PEERS = {
  'raw-uws': {
    script: script('./peers/raw-uws/server.mjs'),
    env: { LIST_FILE },
    hasSession: false,
  },
  'stoa-uws': { script: script('./stoa-server.mjs'), env: { HTTP: 'uws' } },
  'stoa-node': { script: script('./stoa-server.mjs'), env: { HTTP: 'node' } },
  'sdk-express': { script: script('./peers/sdk/server.mjs'), env: { FRAME: 'express' } },
  'sdk-node': { script: script('./peers/sdk/server.mjs'), env: { FRAME: 'http' } },
};
const BASES = ['raw-uws', 'sdk-express', 'sdk-node'];
const TITLES = {
  echo: 'inline tool call (`echo`)',
  list: '`tools/list`, the catalog',
  progress: 'call with 20 progress notifications',
};

const call = (name, input, rest = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input, ...rest },
});
const REQUESTS = {
  echo: call('echo', { message: 'hello world', n: 1 }),
  list: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  progress: call('progress20', { count: 20 }, { _meta: { progressToken: 'p' } }),
};
const EXPECTED = {
  echo: '"structuredContent":{"answer":"hello world"}',
  list: '"name":"translation_zh-en"',
  progress: '"progress":20',
};

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: Object.keys(PEERS).join() },
    works: { type: 'string', default: 'echo,list,progress' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '16' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);

requireWrk();
const { rows, add } = openRows('front');
say(`listing: ${await saveListing()} bytes`);
for (let round = 0; round < rounds; round += 1) {
  for (const work of values.works.split(',')) {
    for (const peer of values.peers.split(',')) await measure(peer, work, round);
  }
}
report();

/** Keeps our own listing for the raw peer, so that equal bytes are compared. */
async function saveListing() {
  const { listJson } = await benchService();
  writeFileSync(LIST_FILE, listJson);
  return listJson.length;
}

async function measure(peer, work, round) {
  // The SDK's transport answers either with JSON or with streams; progress needs streams.
  const env = { ...PEERS[peer].env, ANSWER: work === 'progress' ? 'sse' : 'json' };
  const server = await startServer({ name: peer, ...PEERS[peer], env });
  try {
    const row = { round, peer, work, ...(await measureWork(server, peer, work)) };
    add(row);
    const { rate, cpuUs, p99Us, bad } = row;
    const figures = `${fixed(rate, 0)}/s, ${fixed(cpuUs, 1)} us, p99 ${p99Us} us, bad ${bad}`;
    say(`${round} ${work} ${peer}: ${figures}`);
  } finally {
    await stopChild(server.child);
  }
}

async function measureWork({ child, url, coldMs }, peer, work) {
  await sleep(QUIET_MS);
  const idleKib = residentKib(child.pid);
  const sessionId = PEERS[peer].hasSession === false ? '' : await openSession(url);
  const leg = { url, work, sessionId, connections };
  const expected = await checkAnswer(leg);
  await load({ ...leg, seconds: 1 });
  const before = cpuMs(child.pid);
  const { requests, us, bad, errors, p50, p99, bytes } = await load({ ...leg, seconds });
  await checkAnswer(leg);
  if (bytes / requests < expected)
    throw new Error(`${peer}: answers are shorter than they should be`);
  return {
    rate: requests / (us / 1e6),
    cpuUs: ((cpuMs(child.pid) - before) * 1000) / requests,
    p50Us: p50,
    p99Us: p99,
    bad,
    errors,
    bytes: bytes / requests,
    coldMs,
    idleKib,
  };
}

/** Asks once and looks at the whole answer. @returns its length in bytes. */
async function checkAnswer({ url, work, sessionId }) {
  const { status, body } = await post(url, REQUESTS[work], sessionHeaders(sessionId));
  const isFine =
    status === 200 && body.includes(EXPECTED[work]) && !body.includes('"isError":true');
  if (!isFine) throw new Error(`${work} answered ${status} ${body.slice(0, 200)}`);
  return Buffer.byteLength(body);
}

function report() {
  for (const [work, ofWork] of groupBy(rows, (row) => row.work)) {
    const byPeer = groupBy(ofWork, (row) => row.peer);
    say(`\n### ${TITLES[work]}\n`);
    const head = ['server', 'requests/s', 'spread', 'CPU µs/request', 'spread', 'p50 ms', 'p99 ms'];
    const ratios = ['rate to raw', ...BASES.map((base) => `per CPU second to ${base}`)];
    const lines = [...byPeer].map(([peer, of]) => line(peer, of, byPeer));
    say(table([...head, ...ratios, 'bytes', 'bad'], lines));
  }
  const head = ['server', 'start to first answer, ms', 'resident when idle, MiB'];
  const lines = [...groupBy(rows, (row) => row.peer)].map(([peer, of]) => [
    peer,
    fixed(median(of.map((row) => row.coldMs)), 0),
    fixed(median(of.map((row) => row.idleKib)) / 1024, 0),
  ]);
  say(table(head, lines));
}

function line(peer, of, byPeer) {
  const all = (key) => of.map((row) => row[key]);
  return [
    peer,
    fixed(median(all('rate')), 0),
    `${spreadPercent(all('rate'))} %`,
    fixed(median(all('cpuUs')), 1),
    `${spreadPercent(all('cpuUs'))} %`,
    fixed(median(all('p50Us')) / 1000, 2),
    fixed(median(all('p99Us')) / 1000, 2),
    fixed(roundRatio(of, byPeer.get('raw-uws') ?? [], 'rate'), 3),
    ...BASES.map((base) => fixed(roundRatio(byPeer.get(base) ?? [], of, 'cpuUs'), 2)),
    fixed(median(all('bytes')), 0),
    all('bad')
      .concat(all('errors'))
      .reduce((sum, count) => sum + count, 0),
  ];
}
