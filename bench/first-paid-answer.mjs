// From a started server to the first paid answer, through an unmodified client that cannot pay:
// the client starts `stoa connect` by the line that the server prints, lists the tools and calls.
//   node bench/first-paid-answer.mjs [--rounds 5] [--link https://example.com/]
// Every round has a fresh data directory, so a wallet is made and funded in each.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { openRows, say } from './lib/output.mjs';
import { stopChild } from './lib/proc.mjs';
import { fixed, groupBy, median, table } from './lib/stats.mjs';

const READY_MS_MAX = 120_000;
const CALL_MS_MAX = 60_000;
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const QUESTION = JSON.parse(
  readFileSync(new URL('../examples/debate-question.json', import.meta.url), 'utf8'),
);

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    link: { type: 'string', default: 'https://example.com/' },
  },
});
const LEGS = [
  { leg: 'debate', name: 'deliberation_multi-agent-debate', args: { ...QUESTION, wait_s: 60 } },
  { leg: 'links', name: 'ops_link-integrity', args: { urls: [values.link] } },
];

const { rows, add } = openRows('first-paid-answer');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const leg of LEGS) await measure(round, leg);
}
report();
failUnpaid();

async function measure(round, { leg, name, args }) {
  const path = mkdtempSync(join(tmpdir(), 'stoa-bench-'));
  const spawned = performance.now();
  const server = spawn(process.execPath, [CLI, 'serve', '--json', '--port', '0', '--data', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ready = await readyLine(server);
    const started = performance.now();
    const steps = await buy(ready.mcp_v1, path, { name, arguments: args });
    const row = { round, leg, startMs: started - spawned, ...steps };
    add(row);
    say(
      `${round} ${leg}: ${fixed(row.answerMs, 0)} ms after ready${row.isPaid ? '' : ', not charged'}`,
    );
  } finally {
    await stopChild(server);
    rmSync(path, { recursive: true, force: true });
  }
}

async function buy(url, dataDir, call) {
  const began = performance.now();
  const since = () => performance.now() - began;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'connect', url, '--data', dataDir],
  });
  const client = new Client({ name: 'plain', version: '1' }, {});
  await client.connect(transport);
  const connectMs = since();
  await client.listTools();
  const listMs = since();
  const answer = await client.callTool(call, undefined, { timeout: CALL_MS_MAX });
  const answerMs = since();
  await client.close();
  const isPaid = answer._meta?.['x402/payment-response']?.success === true;
  return { connectMs, listMs, answerMs, isPaid };
}

async function readyLine(server) {
  const overdue = setTimeout(() => server.kill('SIGKILL'), READY_MS_MAX);
  const lines = createInterface({ input: server.stdout });
  const gone = once(server, 'exit').then(() => {
    throw new Error('the server ended before it was ready');
  });
  const [line] = await Promise.race([once(lines, 'line'), gone]);
  gone.catch(() => undefined);
  clearTimeout(overdue);
  return JSON.parse(line);
}

/** Links need a way out; a debate is paid wherever it runs. */
function failUnpaid() {
  if (rows.some(({ leg, isPaid }) => leg === 'debate' && !isPaid)) process.exitCode = 1;
}

function report() {
  say(
    '\n### first paid answer through a client that cannot pay, in ms after the server is ready\n',
  );
  const lines = [...groupBy(rows, (row) => row.leg)].map(([leg, of]) => {
    const middle = (key) => fixed(median(of.map((row) => row[key])), 0);
    const paid = of.filter(({ isPaid }) => isPaid).length;
    const most = fixed(Math.max(...of.map((row) => row.answerMs)), 0);
    return [
      leg,
      middle('connectMs'),
      middle('listMs'),
      middle('answerMs'),
      most,
      `${paid}/${of.length}`,
    ];
  });
  say(table(['leg', 'connected', 'listed', 'answered', 'slowest', 'paid'], lines));
}
