import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detectIsolation, listMissing } from '../../../src/providers/hosting/local/isolation.ts';
import { ended, servedService, webOrder } from '../../conformance/hosting/world.ts';
import { type GitHttpsServer, gitHttpsServer } from '../../support/hosting/git-https-server.ts';
import { type LocalWorld, localWorld } from '../../support/hosting/local-world.ts';
import { repository, serverSource } from '../../support/hosting/sources.ts';
import { tempDir } from '../../support/temp-dir.ts';

const TIMEOUT = { timeout: 240_000 };
const here = detectIsolation(process.env);
const isWhole = listMissing(here).length === 0 && here.network === 'users';

let dir: ReturnType<typeof tempDir>;
let origin: ReturnType<typeof repository>;
let server: GitHttpsServer;
let world: LocalWorld;
beforeEach(async () => {
  dir = tempDir();
  chmodSync(dir.path, 0o700);
  mkdirSync(join(dir.path, 'keys'));
  origin = repository(join(dir.path, 'origin', 'app'));
  server = await gitHttpsServer(join(dir.path, 'origin'), join(dir.path, 'keys'));
  world = await localWorld({
    branchCheckMs: 200,
    reach: [{ range: '127.0.0.1', port: server.port }],
    env: { GIT_SSL_CAINFO: server.authorities },
  });
});
afterEach(async () => {
  await world.close();
  await server[Symbol.asyncDispose]();
  dir.remove();
});

test.runIf(isWhole)(
  'an https repository is deployed at the default level, and its pushes are',
  TIMEOUT,
  async () => {
    origin.commit({ 'server.mjs': serverSource('one') });
    const order = { name: 'https', repo: `${server.url}app/.git`, autoDeploy: 'yes' } as const;
    const { service, deploy } = await servedService(world, order);
    expect(deploy).toMatchObject({ status: 'live' });
    const commit = origin.commit({ 'server.mjs': serverSource('two') });
    const live = async () => {
      const { items } = await world.provider.deploys.list({ serviceId: service.id, limit: 1 });
      return items[0]?.item;
    };
    await world.until(async () => (await live())?.commit?.id === commit, 'the push');
    expect(await ended(world, service.id, (await live())?.id ?? '')).toMatchObject({
      status: 'live',
      trigger: 'new_commit',
    });
  },
);

test('what never ends building or starting gives way to an order', TIMEOUT, async () => {
  const { provider } = world;
  // It listens where the router does not reach it, so it never becomes live.
  const text = serverSource('far').replace("'127.0.0.1'", "'127.0.0.2'");
  world.source.commit({ 'server.mjs': text });
  const made = await provider.services.create(webOrder(world, { name: 'stuck' }));
  const { id } = made.service;
  const first = made.deployId ?? '';
  const status = async (deployId: string) => (await provider.deploys.get(id, deployId)).status;
  await world.until(async () => (await status(first)) === 'update_in_progress', 'the start');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await status(first)).toBe('update_in_progress');

  const endless = { key: 'HANG', value: 'yes' };
  await provider.services.update(id, { buildCommand: 'test -z "$HANG" || sleep 1000' });
  const { deployId: second = '' } = await provider.services.replaceEnvVars(id, [endless]);
  expect(await ended(world, id, first)).toMatchObject({ status: 'canceled' });
  await world.until(async () => (await status(second)) === 'build_in_progress', 'the build');

  world.source.commit({ 'server.mjs': serverSource('near') });
  const { deployId: third = '' } = await provider.services.replaceEnvVars(id, []);
  expect(await ended(world, id, second)).toMatchObject({
    status: 'canceled',
    reason: { evicted: `${third} took its place` },
  });
  expect(await ended(world, id, third)).toMatchObject({ status: 'live' });
});

test(
  'a program behind a shell has its time to end when a new version serves',
  TIMEOUT,
  async () => {
    const { provider } = world;
    world.source.commit({
      'server.mjs': `${serverSource('slow')}
process.on('SIGTERM', () => setTimeout(() => { console.log('finished'); process.exit() }, 4000));`,
    });
    const run = { runtime: 'node', buildCommand: 'true', startCommand: 'true && node server.mjs' };
    const { service } = await servedService(world, { run: { ...run, runtime: 'node' } });
    const { id } = service;
    const { deployId = '' } = await provider.services.replaceEnvVars(id, [{ key: 'A', value: '' }]);
    expect(await ended(world, id, deployId)).toMatchObject({ status: 'live' });
    const lines = async () => {
      const times = { startTime: '2026-01-01T00:00:00Z', endTime: '2100-01-01T00:00:00Z' };
      const query = { resource: [id], direction: 'forward', limit: 100, ...times } as const;
      return (await provider.logs.query(query)).logs.map(({ message }) => message);
    };
    await world.until(async () => (await lines()).includes('finished'), 'its last words');
    expect((await lines()).filter((line) => line.includes('Terminated'))).toEqual([]);
  },
);
