// Makes docs/screenshots/ out of a real server: two agents trade and debates are bought with test
// money of a chain of its own, then each view is opened in Chromium in both themes. Needs a build
// and a Chromium.   npm run build && node scripts/screenshots.mjs
// With --all <folder> every view goes there at both widths instead, to be looked at; with
// --only council,audit only these are made. The pages of hosting show records in memory, those of
// reports a company and markets that do not exist.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { chromium } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { walletDomain, walletFetch } from '../examples/parts/wallet-request.mjs';
import { startAuditedServer } from './lib/audited-server.mjs';
import { CHECKOUT } from './lib/checkout.mjs';
import { startHostedServer } from './lib/hosted-server.mjs';
import { reportViews, startReportingServer } from './lib/reporting-server.mjs';

const { all, only } = parseArgs({
  options: { all: { type: 'string' }, only: { type: 'string' } },
}).values;
/** Names of the wanted views; all of them where none is named. */
const WANTED = only?.split(',');
const OUT = all ?? join(CHECKOUT, 'docs', 'screenshots');
const TOOL = 'deliberation_multi-agent-debate';
const ARBITRATION = 'arbitration_dispute-settlement';
const AUDIT = 'security_framework-audit';
const LATE = [{ fact: 'delivered_in_time', value: 'false' }];
/** How long panels are bought before the pictures, so that the runtime has something to show. */
const LOAD_MS = all === undefined && only === undefined ? 40_000 : 4_000;
const LOAD_PAUSE_MS = 700;
/** Largest file of one picture. */
const PICTURE_BYTES_MAX = 150 * 1024;
const LAPTOP = { width: 1280, height: 860 };
/** For pages whose rest is more of the same. */
const LOW = { width: 1280, height: 640 };
/** For pages that are dense, to stay below the size of a picture. */
const MIDDLE = { width: 1280, height: 700 };
const PHONE = { width: 390, height: 844 };
const CHROMIUM = [process.env.STOA_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);

/** What the panels are asked that run before the pictures, with the options of the example. */
const QUESTIONS = [
  'Which store should the audit trail of payments move to?',
  'Where should the delivery service keep what it has sent?',
  'Which database should new services start with?',
];

/** What three seats of the running panel say. */
const ARGUMENTS = [
  'Four of six engineers know PostgreSQL, and 4,100 appends a second cover the peak of 3,000.',
  'A rebuild has to end within eight hours: 5 h 40 min leaves little room when the data doubles.',
  'Twelve of fourteen pages came from PostgreSQL, but each was over in eleven minutes.',
];

/** Pages of servers of their own, by what their names begin with. */
const ALONE = { hosting: pictureHosting, report: pictureReports };
const isAlone = (name) => Object.keys(ALONE).some((begin) => name.startsWith(begin));

if (WANTED?.every(isAlone) === true) {
  for (const [begin, picture] of Object.entries(ALONE)) {
    if (WANTED.some((name) => name.startsWith(begin))) await picture();
  }
  process.exit();
}
const example = exampleOf('debate-question.json');
const brief = exampleOf('council-brief.json');
const data = mkdtempSync(join(tmpdir(), 'stoa-screenshots-'));
const audited = await startAuditedServer();
const { child, ready } = await startServer();
try {
  const trade = await playTrade();
  await playRequest();
  const story = await playStory();
  await takePictures({ ...story, ...(await playPanels(trade)) });
  for (const picture of Object.values(ALONE)) await picture();
} finally {
  audited.close();
  child.kill('SIGTERM');
  await new Promise((done) => child.once('exit', done));
  rmSync(data, { recursive: true, force: true });
}

function exampleOf(name) {
  return JSON.parse(readFileSync(join(CHECKOUT, 'examples', name), 'utf8'));
}

async function startServer() {
  const cli = join(CHECKOUT, 'dist', 'cli.js');
  const flags = ['serve', '--json', '--port', '0', '--data', data, '--console-actions', 'fork'];
  const server = spawn(process.execPath, [cli, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, STOA_AUDIT_ALLOW_INTERNAL: '1' },
  });
  const line = await new Promise((done) => {
    createInterface({ input: server.stdout }).once('line', done);
  });
  return { child: server, ready: JSON.parse(line) };
}

/** Two agents trade on the board: one job is released, one is decided for its buyer. */
async function playTrade() {
  const [buyer, provider] = [generatePrivateKey(), generatePrivateKey()];
  await post('/dev/faucet', { to: privateKeyToAccount(buyer).address, usd: '24' });
  await mintPassport(provider, ['--name', 'babel', '--class', 'translation']);
  await mintPassport(buyer, ['--name', 'alpha', '--class', 'research', '--no-bind']);
  const example = join(CHECKOUT, 'examples', 'two-agents.mjs');
  await promisify(execFile)(process.execPath, [example, ready.base_url, join(data, 'trade')], {
    env: { ...process.env, BUYER_KEY: buyer, PROVIDER_KEY: provider, OPERATOR_TOKEN: token() },
  });
  return { buyer, provider };
}

/** A council, an arbitration of the job that was released, and an audit of a server of notes. */
async function playPanels(trade) {
  const client = await payingClient();
  const council = await buy(client, { ...brief, wait_s: 120 }, 'procurement_council');
  const arbitration = await playArbitration(client, trade);
  const { data } = await buy(client, { target: audited.url }, AUDIT);
  audited.serve(data.serve_text);
  const consent = { nonce: data.nonce };
  const audit = await buy(client, { target: audited.url, consent, wait_s: 300 }, AUDIT);
  await client.close();
  return {
    council: council.job_id,
    arbitration,
    audit: audit.job_id,
    report: audit.report_path,
  };
}

/** The buyer wants the money of a released job back; both sides hand in evidence. */
async function playArbitration(client, { buyer, provider }) {
  const { jobs } = await (await fetch(`${ready.base_url}/a2a/jobs`)).json();
  const { job_id } = jobs.find(({ state }) => state === 'released');
  const party = await payingClient(buyer);
  const bought = await buy(party, { job_id, window_s: 3600, wait_s: 0 }, ARBITRATION);
  await party.close();
  const domain = await walletDomain(ready.base_url);
  for (const [key, text, claims] of [
    [buyer, 'The greeting was handed over late, and in the wrong register.', LATE],
    [provider, 'It was handed over in time; the register was never agreed on.', []],
  ]) {
    const send = walletFetch(privateKeyToAccount(key), domain);
    const answer = await send(`${ready.base_url}/a2a/jobs/${job_id}/evidence`, {
      method: 'POST',
      json: { evidence: [{ text, claims }], is_last: true },
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  await client.callTool({ name: 'get_result', arguments: { job_id: bought.job_id, wait_s: 60 } });
  return bought.job_id;
}

async function mintPassport(key, flags) {
  const cli = join(CHECKOUT, 'dist', 'cli.js');
  await promisify(execFile)(process.execPath, [cli, 'passport', 'mint', '--data', data, ...flags], {
    env: { ...process.env, STOA_WALLET_KEY: key },
  });
}

/** A request that waits for its buyer's choice between two bids. */
async function playRequest() {
  const domain = await walletDomain(ready.base_url);
  const signed = () => {
    const send = walletFetch(privateKeyToAccount(generatePrivateKey()), domain);
    return async (path, json) => {
      const answer = await send(`${ready.base_url}${path}`, { method: 'POST', json });
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    };
  };
  const request = await signed()('/a2a/requests', {
    capability_id: 'translation',
    task_description: 'Translate a manual of 40 pages from English into French, with its tables.',
    budget_usd: '80.00',
    funding: 'escrow',
  });
  const bids = `/a2a/requests/${request.request_id}/bids`;
  await signed()(bids, { price_usd: '72.00', note: 'Two days; one pass of proof-reading.' });
  await signed()(bids, { price_usd: '65.50', note: 'Three days.' });
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
    const question = QUESTIONS[count % QUESTIONS.length];
    await buy(client, { ...example, question, seats: 5 + 2 * (count % 4), wait_s: 120 });
    await new Promise((done) => setTimeout(done, LOAD_PAUSE_MS));
  }
}

async function payingClient(key = generatePrivateKey()) {
  const account = privateKeyToAccount(key);
  await post('/dev/faucet', { to: account.address, usd: '200' });
  const reader = await connect(fetch);
  const { contents } = await reader.readResource({ uri: `stoa://tools/${TOOL}` });
  await reader.close();
  const [offer] = JSON.parse(contents[0].text).accepts;
  const payer = new x402Client().register(offer.network, new ExactEvmScheme(account));
  const allowed = { network: offer.network, asset: offer.asset, maxAmountPerPayment: '5000000' };
  payer.setSpendControls({ allowedAssets: [allowed] });
  return connect(wrapFetchWithPayment(fetch, payer));
}

async function connect(fetchWith) {
  const client = new Client({ name: 'screenshots', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(ready.mcp_v1), { fetch: fetchWith }),
  );
  return client;
}

async function buy(client, question, name = TOOL) {
  const answer = await client.callTool({ name, arguments: question }, { timeout: 360_000 });
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

async function takePictures({ decided, running, council, arbitration, audit, report }) {
  const views = [
    { name: 'actors', path: 'actors', until: '[role="row"]', size: LOW },
    { name: 'actor', path: `actor/${running}`, until: '[data-state].is-active' },
    { name: 'time-travel', path: `actor/${decided}?at=5`, until: '.is-taken', play: markTwoRows },
    { name: 'panels', path: 'panels', until: '.listed-decision', size: LOW },
    { name: 'panel', path: `panel/${decided}`, until: '.decision' },
    { name: 'council', path: `panel/${council}`, until: '.decision', size: MIDDLE },
    { name: 'arbitration', path: `panel/${arbitration}`, until: '[data-verdict]', size: MIDDLE },
    { name: 'audit', path: `audit/${audit}`, until: '[data-outcome]', size: MIDDLE },
    { name: 'audit-report', address: report, until: 'table' },
    { name: 'work', path: 'work', until: '[data-job]', play: openBids, size: LOW },
    { name: 'job', path: 'work', until: '[data-job]', play: openReleasedJob },
    { name: 'passports', path: 'passports', until: '[data-passport]', size: LOW },
    { name: 'proofs', path: 'proofs', until: '[data-record]', play: verifyNewest },
    { name: 'treasury', path: 'treasury', until: '[data-solvent]', waitMs: 1500 },
    { name: 'controls', path: 'controls', until: '[data-control]', size: LOW },
    { name: 'machines', path: 'machines/escrow/job', until: '.chart-frame svg' },
    { name: 'runtime', path: 'runtime', until: 'canvas', waitMs: 6000 },
    { name: 'actor-phone', path: `actor/${running}`, until: '[data-state].is-active', size: PHONE },
    { name: 'audit-phone', path: `audit/${audit}`, until: '[data-outcome]', size: PHONE },
    { name: 'work-phone', path: 'work', until: '[data-job]', play: openBids, size: PHONE },
  ];
  await photograph(views, ready, async () => (await post('/console/link', {})).url);
}

/** The pages of what is hosted, on a server of their own. */
async function pictureHosting() {
  const hosted = await startHostedServer();
  const service = `hosting/services/${hosted.shop}`;
  const settings = { path: `${service}/settings`, until: '#setting-name' };
  const views = [
    { name: 'hosting', path: 'hosting', until: '[data-database]', size: LOW },
    { name: 'hosting-service', path: service, until: '[data-row]', size: MIDDLE },
    { name: 'hosting-logs', path: `${service}/logs`, until: '[data-line]', size: LOW },
    { name: 'hosting-metrics', path: `${service}/metrics`, until: 'canvas', waitMs: 1500 },
    { name: 'hosting-settings', ...settings, size: MIDDLE },
    {
      name: 'hosting-database',
      path: `hosting/databases/${hosted.database}`,
      until: '#allow-list',
      size: LOW,
    },
    { name: 'hosting-phone', path: service, until: '[data-row]', size: PHONE },
  ];
  try {
    await photograph(views, hosted.ready, hosted.consoleUrl);
  } finally {
    await hosted.close();
  }
}

/** Pages of reports as they are sent on, and what the console shows of them. */
async function pictureReports() {
  const reporting = await startReportingServer();
  const views = reportViews(reporting, { LOW, PHONE });
  try {
    await reporting.orderSlow();
    await photograph(views, reporting.ready, reporting.consoleUrl);
  } finally {
    await reporting.close();
  }
}

async function photograph(views, served, entry) {
  mkdirSync(OUT, { recursive: true });
  const wanted = views.filter(({ name }) => WANTED?.includes(name) ?? true);
  const browser = await chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  for (const theme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme: theme });
    const page = await context.newPage();
    await page.goto(await entry());
    await page.locator('[data-connection="live"]').waitFor();
    for (const view of wanted) {
      const placed = { ...view, served };
      if (all === undefined) await takePicture(page, placed, theme);
      else for (const size of [LAPTOP, PHONE]) await look(page, { ...placed, size }, theme);
    }
    await context.close();
  }
  await browser.close();
}

async function takePicture(page, view, theme) {
  const { name, path, address, file: own, until, play, served, waitMs = 500 } = view;
  await page.setViewportSize(view.size ?? LAPTOP);
  const there = address === undefined ? served.console + path : served.base_url + address;
  await page.goto(own ?? there);
  await page.locator(`${until}:visible`).first().waitFor();
  await play?.(page);
  await page.waitForTimeout(waitMs);
  const file = join(OUT, `${name}-${theme}.png`);
  await page.screenshot({ path: file });
  const { size: bytes } = statSync(file);
  process.stdout.write(`${name}-${theme}.png ${Math.round(bytes / 1024)} KiB\n`);
  if (bytes > PICTURE_BYTES_MAX) process.exitCode = 1;
}

async function look(page, view, theme) {
  const name = `${view.name}-${view.size.width}`;
  await takePicture(page, { ...view, name }, theme);
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (wider > 0) process.stdout.write(`${name}: ${wider} px wider than the window\n`);
}

async function markTwoRows(page) {
  await page.keyboard.press('a');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('.');
  await page.keyboard.press('b');
  await page.locator('.difference-one').first().waitFor();
}

async function openBids(page) {
  await page.locator('.request summary').first().click();
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
