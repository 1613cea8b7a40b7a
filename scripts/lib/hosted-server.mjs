// A server with records of hosting in memory, for pictures of its pages: services in every state,
// deploys that failed and why, lines of logs, and metrics with a gap. Nothing runs behind them.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';
import { importTypeScript } from './typescript-module.mjs';

const WORKSPACE = { id: 'tea-aaaaaaaaaaaaaaaaaaaa', name: 'Agora', email: '', type: 'team' };
const STEP_MS = 50;
const SETTLED_MS = 600;
const LINES = [
  ['info', 'app', 'Listening on port 10000'],
  ['info', 'request', 'GET shop.localhost/ 200 4 ms 512 B', 'GET', '/', '200'],
  ['info', 'request', 'POST shop.localhost/orders 201 11 ms 512 B', 'POST', '/orders', '201'],
  ['warning', 'app', 'Order 1042 waits for its stock, tried 3 times'],
  [
    'info',
    'request',
    'GET shop.localhost/orders/1042 200 3 ms 512 B',
    'GET',
    '/orders/1042',
    '200',
  ],
  ['error', 'app', 'Stock answered 503: giving order 1042 back to the queue'],
  ['error', 'request', 'POST shop.localhost/orders 504 30002 ms 512 B', 'POST', '/orders', '504'],
  ['debug', 'app', 'Queue: 1 waiting, 0 running'],
];

/** Starts one. `close` ends it and removes what it has written. */
export async function startHostedServer() {
  const dist = (path) => import(join(CHECKOUT, 'dist', path));
  const [{ startStoa }, { parseConfig }, { createMemoryHosting }] = await Promise.all([
    dist('main.js'),
    dist('config.js'),
    importTypeScript('test/support/hosting-memory/memory-hosting.ts'),
  ]);
  const dataDir = mkdtempSync(join(tmpdir(), 'stoa-hosted-'));
  const flags = ['--port', '0', '--data', dataDir, '--console-actions', 'hosting'];
  let provider;
  const stoa = await startStoa(parseConfig(flags, {}), () => undefined, {
    hosting: async (clock, origin) => {
      const random = { bytes: (length) => randomBytes(length) };
      const memory = createMemoryHosting({
        clock,
        random,
        origin,
        workspaces: [WORKSPACE],
        stepMs: STEP_MS,
      });
      provider = { ...memory, metrics: { series: (query) => shaped(memory, query) } };
      return provider;
    },
  });
  const story = await tellStory(provider);
  return {
    ready: stoa.ready,
    consoleUrl: () => stoa.consoleLink().url,
    ...story,
    close: async () => {
      await stoa.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function tellStory(provider) {
  const shop = await serviceOf(provider, 'shop', 'https://git.example.org/agora/shop');
  await deployed(provider, shop);
  provider.failNext(shop, 'build', { nonZeroExit: 1 });
  await deployed(provider, shop);
  provider.failNext(shop, 'update', { unhealthy: '500 {"error":"no database"}' });
  await deployed(provider, shop);
  await deployed(provider, shop);
  const mailer = await serviceOf(provider, 'mailer', 'https://git.example.org/agora/mailer');
  provider.failNext(mailer, 'update', { oomKilled: { memoryLimitMib: 512 } });
  await deployed(provider, mailer);
  const old = await serviceOf(provider, 'old shop', 'https://git.example.org/agora/old');
  await provider.services.update(old, { suspended: true });
  await provider.services.create({
    type: 'static_site',
    ownerId: WORKSPACE.id,
    name: 'docs',
    autoDeploy: 'yes',
    repo: 'https://git.example.org/agora/docs',
    envVars: [],
    publishPath: 'public',
    buildCommand: 'npm run build',
  });
  for (let round = 0; round < 6; round += 1) {
    for (const [level, type, message, method, path, statusCode] of LINES) {
      const request = method === undefined ? {} : { method, path, statusCode };
      provider.log({ resource: shop, type, level, ...request }, message);
      await new Promise((done) => setTimeout(done, 7));
    }
  }
  const database = await provider.postgres.create({
    ownerId: WORKSPACE.id,
    name: 'orders',
    plan: 'basic_1gb',
    region: 'frankfurt',
    version: 17,
    diskSizeGB: 15,
  });
  await provider.keyValue.create({
    ownerId: WORKSPACE.id,
    name: 'sessions',
    plan: 'starter',
    region: 'frankfurt',
    maxmemoryPolicy: 'allkeys_lru',
    persistenceMode: 'journal_snapshot',
  });
  await provider.postgres.setAllowList(database.id, [
    { cidrBlock: '203.0.113.0/24', description: 'the office' },
    { cidrBlock: '198.51.100.7/32', description: 'reports' },
  ]);
  return { shop, database: database.id };
}

async function serviceOf(provider, name, repo) {
  const { service } = await provider.services.create({
    type: 'web_service',
    ownerId: WORKSPACE.id,
    name,
    repo,
    autoDeploy: 'yes',
    plan: 'standard',
    region: 'frankfurt',
    run: { runtime: 'node', buildCommand: 'npm ci', startCommand: 'node server.js' },
    envVars: [
      { key: 'DATABASE_URL', value: 'kept' },
      { key: 'SESSION_KEY', value: 'kept' },
    ],
  });
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  return service.id;
}

async function deployed(provider, serviceId) {
  await provider.deploys.trigger(serviceId, { clearCache: false, trigger: 'new_commit' });
  await new Promise((done) => setTimeout(done, SETTLED_MS));
}

/** The even use of the records in memory, as a day has it; ten steps were not measured. */
async function shaped(memory, query) {
  const found = await memory.metrics.series(query);
  if (query.type.endsWith('limit') || query.type === 'instance_count') return found;
  return found.map((series) => ({
    ...series,
    values: series.values
      .map(({ timestamp }, at) => ({ timestamp, value: shapedValue(query, series, at) }))
      .filter((_value, at) => at < 70 || at >= 80),
  }));
}

function shapedValue({ type, latencyQuantile }, { values }, at) {
  const wave = 1 + 0.5 * Math.sin(at / 9) + 0.25 * Math.sin(at / 2.3) + 0.1 * Math.sin(at * 7);
  switch (type) {
    case 'http_request_count':
      return Math.round(40 * wave);
    case 'http_latency':
      return 6 * wave * (1 + 12 * latencyQuantile ** 12);
    case 'bandwidth_usage':
      return Math.round(900_000 * wave);
    default:
      return (values[at]?.value ?? 0) * wave;
  }
}
