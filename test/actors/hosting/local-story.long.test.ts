import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewService } from '../../../src/domain/hosting/hosting.ts';
import { ended, readAll, servedService, webOrder } from '../../conformance/hosting/world.ts';
import { type LocalWorld, localWorld } from '../../support/hosting/local-world.ts';
import { serverSource } from '../../support/hosting/sources.ts';

const TIMEOUT = { timeout: 240_000 };
let world: LocalWorld;
beforeEach(async () => {
  world = await localWorld({ branchCheckMs: 200 });
});
afterEach(() => world.close());

test('a program outlives the daemon, is taken up again, and its end is seen', TIMEOUT, async () => {
  const { service } = await servedService(world);
  const before = await answer(service.id, '/');
  await world.reopen();
  expect(await answer(service.id, '/')).toBe(before);
  await answer(service.id, '/exit').catch(() => undefined);
  await until('server_failed', service.id);
  await until('server_restarted', service.id);
  const [failed] = await eventsOf(service.id, 'server_failed');
  expect(failed?.details).toMatchObject({ reason: { failure: { nonZeroExit: 9 } } });
});

test('without a branch the one that the repository names is deployed', TIMEOUT, async () => {
  world.source.git('branch', '--move', 'master');
  const { branch: _left, ...order } = webOrder(world);
  const { service, deployId = '' } = await world.provider.services.create(order as NewService);
  expect(service.branch).toBe('master');
  expect((await ended(world, service.id, deployId)).status).toBe('live');
  expect(await answer(service.id, '/')).toBe('one');
});

test('a build goes on while the daemon is away, and is not begun twice', TIMEOUT, async () => {
  const run = {
    runtime: 'node',
    buildCommand: 'echo x >> built; sleep 2',
    startCommand: world.start,
  };
  const { service, deployId = '' } = await world.provider.services.create(
    webOrder(world, { run: { ...run, runtime: 'node' } }),
  );
  await until('build_started', service.id);
  const tree = join(
    world.folder,
    'hosting/local/services',
    service.id,
    'releases',
    deployId,
    'tree',
  );
  await world.until(async () => existsSync(join(tree, 'built')), 'the build');
  await world.reopen();
  expect((await ended(world, service.id, deployId)).status).toBe('live');
  expect(readFileSync(join(tree, 'built'), 'utf8')).toBe('x\n');
  expect(await eventsOf(service.id, 'build_started')).toHaveLength(1);
});

test('a push brings the new commit live, once', TIMEOUT, async () => {
  const { service } = await servedService(world, { autoDeploy: 'yes' });
  const commit = world.source.commit({ 'server.mjs': serverSource('two') });
  await world.until(async () => (await answer(service.id, '/')) === 'two', 'the new version');
  const deploys = await readAll(10, (page) =>
    world.provider.deploys.list({ serviceId: service.id, ...page }),
  );
  expect(deploys.map(({ trigger }) => trigger)).toEqual(['new_commit', 'first_build']);
  expect(deploys[0]?.commit?.id).toBe(commit);
});

test('what a program and its build print is in the logs, each line once', TIMEOUT, async () => {
  const run = {
    runtime: 'node',
    buildCommand: 'echo building',
    startCommand: world.start,
  } as const;
  const { service } = await servedService(world, { run });
  const lines = async () => {
    const times = { startTime: '2026-01-01T00:00:00Z', endTime: '2100-01-01T00:00:00Z' };
    const query = { resource: [service.id], direction: 'forward', limit: 100, ...times } as const;
    const { logs } = await world.provider.logs.query(query);
    return logs.map(({ labels: { type }, message }) => `${type}: ${message}`);
  };
  await world.until(async () => (await lines()).length >= 2, 'the lines');
  await world.reopen();
  expect(await lines()).toEqual(['build: building', 'app: listening']);
});

test('a cron job runs on its schedule, and its runs are told', TIMEOUT, async () => {
  const { ownerId, repo, envVars } = webOrder(world);
  const run = { runtime: 'node', buildCommand: 'true', startCommand: 'echo ran' } as const;
  const { service, deployId = '' } = await world.provider.services.create({
    type: 'cron_job',
    name: 'job',
    autoDeploy: 'no',
    schedule: '* * * * *',
    ownerId,
    repo: repo ?? '',
    envVars,
    run,
    plan: 'starter',
    region: 'oregon',
  });
  expect((await ended(world, service.id, deployId)).status).toBe('live');
  await until('cron_job_run_ended', service.id);
  const [run1] = await eventsOf(service.id, 'cron_job_run_ended');
  expect(run1?.details).toMatchObject({ status: 'successful' });
  await world.provider.services.update(service.id, { suspended: true });
  expect(await world.engine.schedules()).toEqual([]);
});

test(
  'a suspended service has no route and no process; a removed one has no files',
  TIMEOUT,
  async () => {
    const { service } = await servedService(world);
    await world.provider.services.update(service.id, { suspended: true });
    const route = join(world.folder, 'hosting/local/routes', `${service.id}.json`);
    await world.until(async () => !existsSync(route), 'the route to go');
    await world.provider.services.remove(service.id);
    const folder = join(world.folder, 'hosting/local/services', service.id);
    await world.until(async () => !existsSync(folder), 'the files to go');
    expect(world.notices).toEqual([]);
  },
);

async function eventsOf(serviceId: string, type: string) {
  const all = await readAll(50, (page) => world.provider.events.list({ serviceId, ...page }));
  return all.filter((event) => event.type === type);
}

async function until(type: string, serviceId: string): Promise<void> {
  await world.until(async () => (await eventsOf(serviceId, type)).length > 0, type);
}

async function answer(serviceId: string, path: string): Promise<string> {
  const file = join(world.folder, 'hosting/local/routes', `${serviceId}.json`);
  const { targets } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly targets: readonly { readonly port: number }[];
  };
  return (await fetch(`http://127.0.0.1:${targets[0]?.port}${path}`)).text();
}
