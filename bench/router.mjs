// Requests through the router of hosted services, against the service itself and against nginx.
//   node bench/router.mjs [--rounds 5] [--seconds 4] [--connections 16]
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { cpuMs, residentKib, startScript, stopChild } from './lib/proc.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';
import { loadReads, requireWrk } from './lib/wrk.mjs';
import { hasNginx, startNginx } from './router/nginx.mjs';
import { startRouter } from './router/ours.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '16' },
  },
});
requireWrk();
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const pathsFile = join(tmpdir(), `stoa-router-paths-${process.pid}`);
writeFileSync(pathsFile, '/\n');

const service = await startScript(
  'service',
  fileURLToPath(new URL('./router/service.mjs', import.meta.url)),
);
const { port } = service.ready;
const legs = [{ peer: 'direct', port, pid: service.child.pid }];
const ours = await startRouter(port);
legs.push({ peer: 'stoa', port: ours.port, pid: ours.child.pid });
const nginx = hasNginx() ? await startNginx(port) : undefined;
if (nginx === undefined) say('nginx is not here; its rows are missing. apt-get install -y nginx');
else legs.push({ peer: 'nginx', port: nginx.port });

const { rows, add } = openRows('router');
try {
  for (const leg of legs) await once(leg, 1);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Another order each round, so that no leg always follows the same one.
    for (let at = 0; at < legs.length; at += 1) {
      const leg = legs[(at + round) % legs.length];
      add({ round, peer: leg.peer, ...(await once(leg, seconds)) });
    }
  }
} finally {
  for (const { child, remove } of [ours, nginx].filter(Boolean)) {
    await stopChild(child);
    remove();
  }
  await stopChild(service.child);
}
report();

async function once({ port: at, pid }, duration) {
  const before = pid === undefined ? 0 : cpuMs(pid);
  const url = `http://127.0.0.1:${at}/`;
  const done = await loadReads({ url, seconds: duration, connections, pathsFile });
  if (done.bad > 0) throw new Error(`${done.bad} wrong answers`);
  const rate = done.requests / (done.us / 1e6);
  const cpuUs = pid === undefined ? undefined : ((cpuMs(pid) - before) * 1000) / done.requests;
  return { rate, p99Ms: done.p99 / 1000, cpuUs, mib: pid && residentKib(pid) / 1024 };
}

function report() {
  const byPeer = groupBy(rows, ({ peer }) => peer);
  const lines = [...byPeer].map(([peer, own]) => [
    peer,
    fixed(median(own.map(({ rate }) => rate)), 0),
    `${fixed(spreadPercent(own.map(({ rate }) => rate)), 0)} %`,
    fixed(median(own.map(({ p99Ms }) => p99Ms)), 2),
    own[0].cpuUs === undefined ? '' : fixed(median(own.map(({ cpuUs }) => cpuUs)), 1),
    fixed(roundRatio(own, byPeer.get('direct'), 'rate'), 2),
    fixed(roundRatio(own, byPeer.get('nginx') ?? [], 'rate'), 2),
  ]);
  say(
    table(
      ['router', 'requests/s', 'spread', 'p99 ms', 'CPU µs/request', 'to direct', 'to nginx'],
      lines,
    ),
  );
}
