// Many sessions with a standing stream each: memory, and the delay of one event a second on all.
//   node bench/streams.mjs [--peers a,b] [--streams 5000] [--rounds 3] [--seconds 8]
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import {
  cpuMs,
  memoryKib,
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

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const hand = script('./peers/raw-uws/streams.mjs');
const PEERS = {
  'hand-uws': { script: hand, env: { ENGINE: 'uws' } },
  'hand-node': { script: hand, env: { ENGINE: 'node' } },
  'stoa-uws': { script: script('./stoa-server.mjs'), env: { HTTP: 'uws' } },
  'stoa-node': { script: script('./stoa-server.mjs'), env: { HTTP: 'node' } },
  'sdk-node': { script: script('./peers/sdk/server.mjs'), env: { FRAME: 'http', ANSWER: 'sse' } },
};
const STREAMS_MAX = 8_000;
const SECONDS_MAX = 10;
const OPENED_AT_ONCE = 50;
const SETTLE_MS = 1_500;
/** Calls on one session before memory is read, so that the young heap has grown to its size. */
const WARM_CALLS = 10_000;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: Object.keys(PEERS).join() },
    streams: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
  },
});
const count = Math.min(STREAMS_MAX, Number(values.streams));
const seconds = Math.min(SECONDS_MAX, Number(values.seconds));

const { rows, add } = openRows('streams');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const peer of values.peers.split(',')) await measure(peer, round);
}
report();

async function measure(peer, round) {
  const env = { ...PEERS[peer].env, TICK: '1' };
  const server = await startServer({ name: peer, ...PEERS[peer], env });
  const sockets = [];
  try {
    const row = { round, peer, streams: count, ...(await measureStreams(server, sockets)) };
    add(row);
    say(
      `${round} ${peer}: ${fixed(row.kib, 1)} KiB a stream, ${fixed(row.kibAfter, 1)} after events, ` +
        `p50 ${fixed(row.p50Ms, 2)} p99 ${fixed(row.p99Ms, 2)} ms, ${fixed(row.cpuUs, 1)} us`,
    );
  } finally {
    for (const socket of sockets) socket.destroy();
    await stopChild(server.child);
  }
}

async function measureStreams({ child, url }, sockets) {
  const warmHeaders = sessionHeaders(await openSession(url));
  await inParallel(WARM_CALLS, () => post(url, PING, warmHeaders));
  await sleep(SETTLE_MS);
  const before = memoryKib(child.pid);
  const sessionIds = [];
  await inParallel(count, async () => sessionIds.push(await openSession(url)));
  await sleep(SETTLE_MS);
  const withSessions = memoryKib(child.pid);
  const delays = { isTaken: false, ms: [], refused: 0 };
  await inParallel(count, (at) => openStream(url, sessionIds[at], { sockets, delays }));
  await sleep(SETTLE_MS);
  const withStreams = memoryKib(child.pid);
  const cpu = cpuMs(child.pid);
  delays.isTaken = true;
  await sleep(seconds * 1000);
  delays.isTaken = false;
  const cpuUsed = cpuMs(child.pid) - cpu;
  const after = memoryKib(child.pid);
  const events = delays.ms.length;
  if (delays.refused > 0 || events < count * seconds * 0.9) {
    throw new Error(`${delays.refused} streams refused, ${events} events came`);
  }
  const each = (memory, key = 'resident') => (memory[key] - before[key]) / count;
  return {
    kibSession: each(withSessions),
    kib: each(withStreams),
    kibAnonymous: each(withStreams, 'anonymous'),
    kibAfter: each(after),
    kibAfterAnonymous: each(after, 'anonymous'),
    cpuUs: (cpuUsed * 1000) / events,
    events,
    p50Ms: percentile(delays.ms, 0.5),
    p99Ms: percentile(delays.ms, 0.99),
  };
}

/** Opens a standing stream by hand and keeps the delays of what comes on it. */
function openStream(url, sessionId, { sockets, delays }) {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.setEncoding('latin1');
    let isFirst = true;
    socket.on('error', () => {
      delays.refused += 1;
      resolve();
    });
    socket.on('data', (text) => {
      if (isFirst && !text.startsWith('HTTP/1.1 200')) delays.refused += 1;
      isFirst = false;
      resolve();
      if (!delays.isTaken) return;
      const now = performance.timeOrigin + performance.now();
      for (const [, sentAt] of text.matchAll(/"t":([\d.]+)/g)) delays.ms.push(now - Number(sentAt));
    });
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept: text/event-stream\r\n` +
        `mcp-protocol-version: 2025-11-25\r\nmcp-session-id: ${sessionId}\r\n\r\n`,
    );
    sockets.push(socket);
  });
}

async function inParallel(times, once) {
  let next = 0;
  const worker = async () => {
    while (next < times) {
      const at = next;
      next += 1;
      await once(at);
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, worker));
}

function report() {
  const byPeer = groupBy(rows, (row) => row.peer);
  say(`\n### ${count} sessions with a standing stream, one event a second on each\n`);
  const head = ['server', 'KiB a session', 'KiB with stream', 'spread', 'of it anonymous'];
  const then = [`KiB after ${seconds} s`, 'of it anonymous', 'CPU µs/event', 'p50 ms', 'p99 ms'];
  const ratios = ['p99 to hand-uws', 'p99 to hand-node'];
  const lines = [...byPeer].map(([peer, of]) => {
    const all = (key) => of.map((row) => row[key]);
    const toHand = (base) => fixed(roundRatio(of, byPeer.get(base) ?? [], 'p99Ms'), 2);
    return [
      peer,
      fixed(median(all('kibSession')), 1),
      fixed(median(all('kib')), 1),
      `${spreadPercent(all('kib'))} %`,
      fixed(median(all('kibAnonymous')), 1),
      fixed(median(all('kibAfter')), 1),
      fixed(median(all('kibAfterAnonymous')), 1),
      fixed(median(all('cpuUs')), 1),
      fixed(median(all('p50Ms')), 2),
      fixed(median(all('p99Ms')), 2),
      toHand('hand-uws'),
      toHand('hand-node'),
    ];
  });
  say(table([...head, ...then, ...ratios], lines));
}
