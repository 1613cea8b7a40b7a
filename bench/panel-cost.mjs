// What a council of 11 seats and an audit of 13 cost the runtime: processor time of a turn and of a
// probe, wall time, memory. Models answer at once; the target is a process of its own on loopback.
//   node bench/panel-cost.mjs [--rounds 3] [--runs 40] [--warm 100] [--audits 3] [--parts council,audit]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildTarget } from './cost/target.mjs';
import { TURNS } from './lib/debate.mjs';
import { openRows, say } from './lib/output.mjs';
import { runScript } from './lib/proc.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';

const LEG_MS_MAX = 600_000;
const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const RECORD = script('./out/audit-calls.json');
const COUNCIL_PEERS = {
  langgraph: { script: script('./peers/langgraph/panel.mjs'), env: { SAVER: 'sqlite' } },
  debate: { script: script('./panel/stoa.mjs'), env: { EFFECTS: 'whole' } },
  council: { script: script('./cost/council.mjs'), env: {} },
};
const AUDIT_PEERS = {
  bare: { script: script('./cost/bare.mjs'), env: { RECORD } },
  audit: { script: script('./cost/audit.mjs'), env: {} },
};
const TITLES = {
  langgraph: 'LangGraph, SqliteSaver: turns as records, no prompts',
  debate: 'stoa, debate of 11 seats, everything of production but the model call',
  council: 'stoa, council of 11 roles, the same',
  bare: 'bare MCP SDK client, the same calls one after the other',
  audit: 'stoa, enterprise audit, 13 seats, all ten categories',
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '40' },
    warm: { type: 'string', default: '100' },
    audits: { type: 'string', default: '3' },
    parts: { type: 'string', default: 'council,audit' },
  },
});
const { rows, add } = openRows('panel-cost');
const PARTS = { council, audit };
for (const part of values.parts.split(',')) await PARTS[part]();

/** Turns of a council beside those of a debate, and of LangGraph, which words no prompts. */
async function council() {
  const env = { RUNS: values.runs, WARM: values.warm };
  await interleaved('council', COUNCIL_PEERS, env);
  const lines = linesOf('council', 'langgraph', ({ of, all }) => [
    fixed(median(all('cpuUs')) / TURNS, 0),
    `${spreadPercent(all('cpuUs'))} %`,
    fixed(median(all('wallUs')) / 1000, 1),
    of.every(({ peakMib }) => peakMib !== undefined) ? median(all('peakMib')) : '-',
  ]);
  say('\n### a council of 11 seats, 44 turns\n');
  const head = ['runtime', 'CPU µs/turn', 'spread', 'wall ms', 'most MiB', 'CPU to LangGraph'];
  say(table(head, lines));
}

/** Probes of an audit beside the same calls without an audit. */
async function audit() {
  await buildTarget();
  const { probes, requests } = await runScript({
    name: 'recording',
    script: AUDIT_PEERS.audit.script,
    env: { RUNS: '1', WARM: '0', RECORD },
    msMax: LEG_MS_MAX,
  });
  await interleaved('audit', AUDIT_PEERS, { RUNS: values.audits, WARM: '2' });
  const lines = linesOf('audit', 'bare', ({ all }) => [
    fixed(median(all('cpuUs')) / 1000, 0),
    `${spreadPercent(all('cpuUs'))} %`,
    fixed(median(all('cpuUs')) / 1000 / probes, 1),
    fixed(median(all('cpuUs')) / 1000 / requests, 2),
    fixed(median(all('wallUs')) / 1e6, 1),
    median(all('peakMib')),
  ]);
  say(`\n### an audit of 13 seats, ${probes} probes, ${requests} requests\n`);
  const head = ['client', 'CPU ms', 'spread', 'ms/probe', 'ms/request', 'wall s', 'most MiB'];
  say(table([...head, 'CPU to the bare client'], lines));
}

async function interleaved(part, peers, env) {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [peer, { script: path, env: own }] of Object.entries(peers)) {
      const leg = { name: peer, script: path, env: { ...env, ...own }, msMax: LEG_MS_MAX };
      const row = { part, round, peer, ...(await runScript(leg)) };
      add(row);
      say(
        `${round} ${peer}: ${fixed(row.cpuUs / 1000, 1)} ms CPU, ${fixed(row.wallUs / 1000, 0)} ms`,
      );
    }
  }
}

function linesOf(part, base, cellsOf) {
  const byPeer = groupBy(
    rows.filter((row) => row.part === part),
    ({ peer }) => peer,
  );
  return [...byPeer].map(([peer, of]) => [
    TITLES[peer],
    ...cellsOf({ of, all: (key) => of.map((row) => row[key]) }),
    fixed(roundRatio(of, byPeer.get(base) ?? [], 'cpuUs'), 2),
  ]);
}
