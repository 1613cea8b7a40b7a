// Hosting on this machine as a process that can be killed: has one Postgres, and says how to reach it.
//   node hosting-daemon.mjs <dist> <folder> <programs> [remove]
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, folder, programs, then] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { openLocalHosting } = await load('process/hosting/local-hosting.js');
const { createSealer } = await load('process/server/sealer.js');
const { systemClock } = await load('runtime/timer/clock.js');
const { openEngine } = await load('runtime/engine/engine.js');
const { openEngineStore } = await load('store/engine/engine-store.js');
const { openHostingEvents } = await load('store/hosting/hosting-events.js');
const { openHostingLogs } = await load('store/hosting/hosting-logs.js');
const { openHostingMetrics } = await load('store/hosting/hosting-metrics.js');

// Nothing else holds the process: timers of the engine do not.
setInterval(() => undefined, 60_000);

const OWNER = 'tea-0000000000000000000a';
const LOOK_MS = 100;
const clock = systemClock();
const store = openEngineStore({ path: join(folder, 'actors') });
const setup = openEngine({ store, clock, definitions: [] });
const { engine } = setup;
const { provider } = await openLocalHosting(setup, {
  history: openHostingEvents({ path: join(folder, 'events') }),
  logs: openHostingLogs({ path: join(folder, 'logs') }),
  metrics: openHostingMetrics({ path: join(folder, 'metrics') }),
  clock,
  // The same key for each life, as the daemon's key file gives it.
  sealer: createSealer(new Uint8Array(32).fill(7)),
  random: { bytes: (length) => randomBytes(length) },
  workspaces: [{ id: OWNER, name: 'a', email: '', type: 'team' }],
  urlOf: (slug) => `http://${slug}.localhost`,
  pageOf: (id) => `http://127.0.0.1/console/${id}`,
  folder: join(folder, 'hosting'),
  programs,
  trustsRepositories: false,
  env: process.env,
  size: { cpus: 8, memoryMib: 65_536 },
  notice: () => undefined,
});
await setup.start();
const order = { name: 'books', plan: 'free', region: 'oregon', version: 16, diskSizeGB: 1 };
const { items } = await provider.postgres.list({ ownerId: OWNER, limit: 1 });
const { id } = items[0]?.item ?? (await provider.postgres.create({ ownerId: OWNER, ...order }));
while ((await provider.postgres.get(id)).status !== 'available') await pause();
const { external } = await provider.postgres.connection(id);
process.stdout.write(`${JSON.stringify({ id, external })}\n`);
if (then === 'remove') {
  await provider.postgres.remove(id);
  await engine.waitFor(id, ({ value }) => value === 'removed', { timeoutMs: 60_000 });
  process.exit(0);
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
