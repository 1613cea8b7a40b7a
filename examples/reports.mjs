// Buys a report on a ticker and a due diligence on a company from a running Stoa, tells how they go
// on, saves each as JSON and as a page to send on, and checks them without the server.
//   PAYER_KEY=0x… node examples/reports.mjs [http://127.0.0.1:8402] [folder] \
//     [--ticker=BTC] [--company="Equinor ASA"] [--jurisdiction=no] [--listed=<ticker of its shares>]
// The wallet needs 1.02 dollars: npx stoa faucet --to <its address> --usd 2
// Filings in the United States need STOA_OPERATOR_EMAIL on the server; what is missing is told.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { walletKey } from './parts/wallet-key.mjs';

// What a server answers stands in the message; where in this file it was read helps nobody.
process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
/** What one call may cost at the most, in millionths of a dollar of the server's own token. */
const MOST = '1000000';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ticker: { type: 'string', default: 'BTC' },
    company: { type: 'string', default: 'Equinor ASA' },
    jurisdiction: { type: 'string' },
    listed: { type: 'string' },
  },
});
const [server = 'http://127.0.0.1:8402', folder = 'reports'] = positionals;
const key = walletKey('PAYER_KEY');

// At /v2/ the challenge stands in the result of the call, and the payment goes into its _meta.
const client = new Client({ name: 'reports', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL('/v2/', server)));
const payer = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(key)));
mkdirSync(folder, { recursive: true });

const market = await buy('oracle_comprehensive-report', { ticker: values.ticker });
tell('market', market);
const { sections } = market.data;
say(
  `market: ${Object.entries(sections)
    .map(([name, { status }]) => `${name} ${status}`)
    .join(', ')}`,
);
saveJson('market', market);

const { company: name, jurisdiction, listed: ticker } = values;
let job = await buy('ops_due-diligence-scan', {
  name,
  wait_s: 1,
  ...(jurisdiction === undefined ? {} : { jurisdiction }),
  ...(ticker === undefined ? {} : { ticker }),
});
say(`diligence: job ${job.job_id.slice(0, 8)}…, ${job.steps_planned} steps`);
while (job.poll_after_ms !== undefined) {
  job = await call('get_result', { job_id: job.job_id, wait_s: 20 });
}
if (job.report === undefined) throw new Error(`no report: ${job.reason}; the price goes back`);
tell('diligence', job.report);
say(`diligence: overall ${job.report.data.overall}, ${job.report.data.red_flags.length} red flags`);
saveJson('diligence', job);
// The server renders reports that are jobs; whoever has the job id can open this address.
const page = await fetch(new URL(`${job.page_path}?format=html&download=1`, server));
save('diligence.html', await page.text());
await client.close();

// From here on no server is asked: the program renders and checks what was saved.
run('report', join(folder, 'market.json'), '--html', join(folder, 'market.html'), '--force');
for (const one of ['market', 'diligence']) run('verify', join(folder, `${one}.json`));

/** Calls a tool, pays what it asks, and tells how it goes on. */
async function buy(tool, args) {
  const asked = await client.callTool({ name: tool, arguments: args });
  const challenge = asked.structuredContent;
  if (!asked.isError || challenge?.accepts === undefined) throw refused(tool, asked);
  const [{ network, asset, amount }] = challenge.accepts;
  payer.setSpendControls({ allowedAssets: [{ network, asset, maxAmountPerPayment: MOST }] });
  const payment = await payer.createPaymentPayload(challenge);
  const answer = await call(tool, args, { 'x402/payment': payment });
  say(`paid: ${tool}, ${Number(amount) / 1e6} dollars`);
  return answer;
}

/** Calls a tool, and shows the lines of its progress. */
async function call(tool, args, _meta = {}) {
  const answer = await client.callTool(
    { name: tool, arguments: args, _meta },
    {
      onprogress: ({ progress, total, message }) => say(`  ${progress}/${total} ${message ?? ''}`),
      resetTimeoutOnProgress: true,
    },
  );
  if (answer.isError) throw refused(tool, answer);
  return answer.structuredContent;
}

function refused(tool, { content }) {
  return new Error(`${tool}: ${content[0]?.text}`);
}

function tell(what, { completeness, coverage, sources }) {
  const missing = coverage.missing.length === 0 ? 'nothing' : coverage.missing.join(', ');
  say(`${what}: ${completeness}, ${sources.length} sources, missing: ${missing}`);
}

function saveJson(name, value) {
  save(`${name}.json`, `${JSON.stringify(value, null, 2)}\n`);
}

function save(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  say(`saved: ${file}`);
}

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
  });
  say(`stoa ${args[0]}: ${(stdout || stderr).split('\n')[0]}`);
  if (status !== 0) throw new Error(stderr || stdout);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
