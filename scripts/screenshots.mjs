// Makes docs/screenshots/ out of a real server: two agents trade and debates are bought with test
// money of a chain of its own, then each view is opened in Chromium in both themes. Needs a build
// and a Chromium.   npm run build && node scripts/screenshots.mjs
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { chromium } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { CHECKOUT } from './lib/checkout.mjs';

const OUT = join(CHECKOUT, 'docs', 'screenshots');
const TOOL = 'deliberation_multi-agent-debate';
/** How long panels are bought before the pictures, so that the runtime has something to show. */
const LOAD_MS = 40_000;
const LOAD_PAUSE_MS = 700;
/** Largest file of one picture. */
const PICTURE_BYTES_MAX = 250 * 1024;
const LAPTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
const CHROMIUM = [process.env.STOA_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);

/** What three seats of the running panel say. */
const ARGUMENTS = [
  'Four of six engineers know PostgreSQL, and 4,100 appends a second cover the peak of 3,000.',
  'A rebuild has to end within eight hours: 5 h 40 min leaves little room when the data doubles.',
  'Twelve of fourteen pages came from PostgreSQL, but each was over in eleven minutes.',
];

const example = JSON.parse(
  readFileSync(join(CHECKOUT, 'examples', 'debate-question.json'), 'utf8'),
);
const data = mkdtempSync(join(tmpdir(), 'stoa-screenshots-'));
const { child, ready } = await startServer();
try {
  await playTrade();
  const story = await playStory();
  await takePictures(story);
} finally {
  child.kill('SIGTERM');
  await new Promise((done) => child.once('exit', done));
  rmSync(data, { recursive: true, force: true });
}

async function startServer() {
  const cli = join(CHECKOUT, 'dist', 'cli.js');
  const flags = ['serve', '--json', '--port', '0', '--data', data, '--console-actions', 'fork'];
  const server = spawn(process.execPath, [cli, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => {
    createInterface({ input: server.stdout }).once('line', done);
  });
  return { child: server, ready: JSON.parse(line) };
}

/** Two agents trade on the board: one job is released, one is decided for its buyer. */
async function playTrade() {
  const [buyer, provider] = [generatePrivateKey(), generatePrivateKey()];
  await post('/dev/faucet', { to: privateKeyToAccount(buyer).address, usd: '24' });
  const example = join(CHECKOUT, 'examples', 'two-agents.mjs');
  await promisify(execFile)(process.execPath, [example, ready.base_url, join(data, 'trade')], {
    env: { ...process.env, BUYER_KEY: buyer, PROVIDER_KEY: provider, OPERATOR_TOKEN: token() },
  });
}

function token() {
  return readFileSync(ready.token_file, 'utf8').trim();
}

/** Panels of rule seats that end, and one of a caller's seats that is in the middle. */
async function playStory() {
  const client = await payingClient();
  await playLoad(client);
  const decided = await buy(client, { ...example, wait_s: 120 });
  await buy(client, { ...example, seats: 7, max_rounds: 0, wait_s: 120 });
  const { criteria: _, options, ...question } = example;
  const running = await buy(client, {
    ...question,
    options: options.map(({ name, description }) => ({ name, description })),
    seats_by: 'caller',
    wait_s: 0,
  });
  const turns = running.needs_turns.slice(0, 3).map(({ turn_id, schema }, place) => ({
    turn_id,
    answer: {
      position: schema.properties.position.enum[place % 2],
      argument: ARGUMENTS[place],
      confidence: 0.6 + place / 10,
      evidenceIds: [],
      changed: false,
      changeReason: null,
    },
  }));
  const query = { job_id: running.job_id, turns };
  await client.callTool({ name: 'get_result', arguments: query });
  await client.close();
  return { decided: decided.job_id, running: running.job_id };
}

async function playLoad(client) {
  const until = Date.now() + LOAD_MS;
  for (let count = 0; Date.now() < until; count += 1) {
    await buy(client, { ...example, seats: 5 + 2 * (count % 4), wait_s: 120 });
    await new Promise((done) => setTimeout(done, LOAD_PAUSE_MS));
  }
}

async function payingClient() {
  const account = privateKeyToAccount(generatePrivateKey());
  await post('/dev/faucet', { to: account.address, usd: '200' });
  const reader = await connect(fetch);
  const { tools } = await reader.listTools();
  await reader.close();
  const [offer] = tools.find(({ name }) => name === TOOL)._meta['x402/accepts'];
  const payer = new x402Client().register(offer.network, new ExactEvmScheme(account));
  const allowed = { network: offer.network, asset: offer.asset, maxAmountPerPayment: '2000000' };
  payer.setSpendControls({ allowedAssets: [allowed] });
  return connect(wrapFetchWithPayment(fetch, payer));
}

async function connect(fetchWith) {
  const client = new Client({ name: 'screenshots', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.mcp), { fetch: fetchWith }));
  return client;
}

async function buy(client, question) {
  const answer = await client.callTool({ name: TOOL, arguments: question });
  return answer.structuredContent;
}

async function post(path, body) {
  const answer = await fetch(`${ready.base_url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token()}`,
    },
    body: JSON.stringify(body),
  });
  return answer.json();
}

async function takePictures({ decided, running }) {
  mkdirSync(OUT, { recursive: true });
  const views = [
    { name: 'actors', path: 'actors', until: '[role="row"]' },
    { name: 'actor', path: `actor/${running}`, until: '[data-state].is-active' },
    { name: 'time-travel', path: `actor/${decided}?at=5`, until: '.is-taken', play: markTwoRows },
    { name: 'panel', path: `panel/${decided}`, until: '.decision' },
    { name: 'work', path: 'work', until: '[data-job]' },
    { name: 'job', path: 'work', until: '[data-job]', play: openReleasedJob },
    { name: 'passports', path: 'passports', until: '[data-passport]' },
    { name: 'proofs', path: 'proofs', until: '[data-record]', play: verifyNewest },
    { name: 'treasury', path: 'treasury', until: '[data-solvent]', waitMs: 1500 },
    { name: 'controls', path: 'controls', until: '[data-control]' },
    { name: 'machines', path: 'machines/job', until: '.chart-frame svg' },
    { name: 'runtime', path: 'runtime', until: 'canvas', waitMs: 6000 },
    { name: 'actor-phone', path: `actor/${running}`, until: '[data-state].is-active', size: PHONE },
  ];
  const browser = await chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  for (const theme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme: theme });
    const page = await context.newPage();
    const { url } = await post('/console/link', {});
    await page.goto(url);
    await page.locator('[data-connection="live"]').waitFor();
    for (const view of views) await takePicture(page, view, theme);
    await context.close();
  }
  await browser.close();
}

async function takePicture(page, view, theme) {
  const { name, path, until, play, waitMs = 500, size = LAPTOP } = view;
  await page.setViewportSize(size);
  await page.goto(`${ready.console}${path}`);
  await page.locator(until).first().waitFor();
  await play?.(page);
  await page.waitForTimeout(waitMs);
  const file = join(OUT, `${name}-${theme}.png`);
  await page.screenshot({ path: file });
  const { size: bytes } = statSync(file);
  process.stdout.write(`${name}-${theme}.png ${Math.round(bytes / 1024)} KiB\n`);
  if (bytes > PICTURE_BYTES_MAX) process.exitCode = 1;
}

async function markTwoRows(page) {
  await page.keyboard.press('a');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('.');
  await page.keyboard.press('b');
  await page.locator('.difference-one').first().waitFor();
}

async function openReleasedJob(page) {
  await page.locator('[data-job]', { hasText: 'released' }).getByRole('link').click();
  await page.locator('#job-facts').waitFor();
}

async function verifyNewest(page) {
  await page
    .getByRole('button', { name: /^Verify record/ })
    .first()
    .click();
  await page.locator('[data-verdict="valid"]').waitFor();
}
