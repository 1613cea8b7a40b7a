// The log of proofs: records appended a second, against raw LMDB, and reads a second, against raw
// uWebSockets.js that sends the same bytes. Reads need wrk.
//   node bench/proofs.mjs [--parts append,read] [--rounds 5] [--seconds 2] [--callers 1,16,64]
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say, scratch } from './lib/output.mjs';
import { cpuMs, runScript, startScript, stopChild } from './lib/proc.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';
import { loadReads, requireWrk } from './lib/wrk.mjs';

const LEG_MS_MAX = 60_000;
const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const APPEND = { raw: 'raw LMDB, the same rows', stoa: 'stoa, the log of proofs' };
const READ = { raw: 'raw uWebSockets.js, kept bytes', stoa: 'stoa, `/v1/proofs/`' };
const READS = {
  record: ({ seq }) => `/v1/proofs/${seq}.json`,
  inclusion: ({ seq }, size) => `/v1/proofs/inclusion?seq=${seq}&size=${size}`,
  checkpoint: () => '/v1/proofs/checkpoint',
  settlement: ({ digits }) => `/v1/proofs/settlement/set_${digits}`,
};

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'append,read' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    callers: { type: 'string', default: '1,16,64' },
    connections: { type: 'string', default: '16' },
  },
});
const seconds = Number(values.seconds);
const parts = values.parts.split(',');
if (parts.includes('read')) requireWrk();

const folder = scratch('proofs-paths');
const { rows, add } = openRows('proofs');
for (let round = 0; round < Number(values.rounds); round += 1) {
  if (parts.includes('append')) {
    for (const callers of values.callers.split(',')) {
      for (const peer of Object.keys(APPEND)) await measureAppend({ round, peer, callers });
    }
  }
  if (parts.includes('read')) await measureReads(round);
}
report('append', APPEND, ({ callers }) => `records appended, ${callers} at once`);
report('read', READ, ({ read }) => `reads, ${read}`);

async function measureAppend({ round, peer, callers }) {
  const env = { CALLERS: callers, SECONDS: values.seconds };
  const file = script(`./proofs/append-${peer}.mjs`);
  const result = await runScript({ name: peer, script: file, env, msMax: LEG_MS_MAX });
  told({ part: 'append', round, peer, callers: Number(callers), ...result });
}

/** Ours first: what it answers is what the raw server sends, byte for byte. */
async function measureReads(round) {
  const ours = await startScript('stoa', script('./proofs/read-stoa.mjs'));
  const { size, samples } = ours.ready;
  const works = Object.entries(READS).map(([read, pathOf]) => {
    const paths = [...new Set(samples.map((sample) => pathOf(sample, size)))];
    const pathsFile = `${folder.path}/${read}`;
    writeFileSync(pathsFile, paths.join('\n'));
    return { read, paths, pathsFile };
  });
  const kept = new Map();
  await measureServer({ round, peer: 'stoa', server: ours, works, kept });
  const ANSWERS = `${folder.path}/answers.json`;
  writeFileSync(ANSWERS, JSON.stringify([...kept.values()]));
  const raw = await startScript('raw', script('./proofs/read-raw.mjs'), { ANSWERS });
  await measureServer({ round, peer: 'raw', server: raw, works, kept });
}

async function measureServer({ round, peer, server: { child, ready }, works, kept }) {
  try {
    for (const { read, paths, pathsFile } of works) {
      const leg = { url: ready.url, pathsFile, connections: Number(values.connections) };
      const bodyBytes = await check(ready.url, paths, kept);
      await loadReads({ ...leg, seconds: 1 });
      const before = cpuMs(child.pid);
      const { requests, us, p50, p99, bytes, ...faults } = await loadReads({ ...leg, seconds });
      const cpuUs = ((cpuMs(child.pid) - before) * 1000) / requests;
      await check(ready.url, paths, kept);
      if (bytes / requests < bodyBytes) throw new Error(`${peer}: answers are too short`);
      const figures = { rate: requests / (us / 1e6), cpuUs, p50Ms: p50 / 1e3, p99Ms: p99 / 1e3 };
      const bad = faults.bad + faults.errors;
      told({ part: 'read', round, peer, read, bytes: bytes / requests, bad, ...figures });
    }
  } finally {
    await stopChild(child);
  }
}

/** Reads every address once: an answer stays the one that was first seen. @returns mean bytes. */
async function check(url, paths, kept) {
  let sum = 0;
  for (const path of paths) {
    const answer = await fetch(`${url}${path}`);
    const body = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${body}`);
    const known = kept.get(path);
    if (known !== undefined && known.body !== body) throw new Error(`${path} is another answer`);
    if (known === undefined) kept.set(path, { path, headers: ownHeaders(answer.headers), body });
    sum += Buffer.byteLength(body);
  }
  return sum / paths.length;
}

/** The headers that the engine does not write by itself. */
function ownHeaders(headers) {
  const engine = new Set(['content-length', 'connection', 'keep-alive', 'date', 'uwebsockets']);
  return Object.fromEntries([...headers].filter(([name]) => !engine.has(name)));
}

function told(row) {
  add(row);
  const { round, peer, part, callers, read, rate, cpuUs } = row;
  say(`${round} ${part} ${callers ?? read} ${peer}: ${fixed(rate, 0)}/s, ${fixed(cpuUs, 1)} us`);
}

function report(part, titles, nameOf) {
  const head = ['peer', 'a second', 'spread', 'CPU µs each', 'p50 ms', 'p99 ms'];
  const ratios = ['rate to raw', 'per CPU second to raw', 'bytes', 'bad'];
  const ofPart = rows.filter((row) => row.part === part);
  for (const [name, of] of groupBy(ofPart, nameOf)) {
    const byPeer = groupBy(of, (row) => row.peer);
    const lines = Object.entries(titles).map(([peer, title]) => {
      const legs = byPeer.get(peer);
      const all = (key) => legs.map((row) => row[key]);
      return [
        title,
        fixed(median(all('rate')), 0),
        `${spreadPercent(all('rate'))} %`,
        fixed(median(all('cpuUs')), 1),
        fixed(median(all('p50Ms')), 2),
        fixed(median(all('p99Ms')), 2),
        fixed(roundRatio(legs, byPeer.get('raw'), 'rate'), 2),
        fixed(roundRatio(byPeer.get('raw'), legs, 'cpuUs'), 2),
        ...(part === 'read' ? [fixed(median(all('bytes')), 0)] : ['-']),
        all('bad').reduce((sum, count) => sum + (count ?? 0), 0),
      ];
    });
    say(`\n### ${name}\n\n${table([...head, ...ratios], lines)}`);
  }
}
