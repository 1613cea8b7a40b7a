import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostingFolders } from '../../src/process/hosting/own-hosting.ts';
import { stopHosting } from '../../src/process/hosting/stop-hosting.ts';
import { ROUTER_FILES } from '../../src/router/router-files.ts';
import { type HostingClient, hostingClient, program } from '../support/hosting/hosting-client.ts';
import { mixedLoad, mixedProgram } from '../support/hosting/mixed-load.ts';
import { askService, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp, until } from '../support/real-server.ts';

const TIMEOUT = { timeout: 1_500_000 };
const WAIT_MS = 600_000;
const LINES = 3_000;
const REDEPLOYS = 10;

afterAll(cleanUp);

test(
  'a server killed in a build, a run and a burst of lines loses nothing and repeats nothing',
  TIMEOUT,
  async () => {
    await using hosting = await hostingServer();
    let client = await hostingClient(hosting);
    const repo = repository(join(hosting.sources, 'own'));
    repo.commit({ 'server.mjs': mixedProgram('one') });
    const order = { repo: repo.path, ...program(), autoDeploy: 'no' };
    const web = await client.deployed({ ...order, name: 'web' });
    const { url } = web.service.serviceDetails;
    const load = mixedLoad(url);
    const job = await client.call('create_cron_job', {
      name: 'job',
      repo: repo.path,
      ...program('echo begun; sleep 40; echo done'),
      schedule: '* * * * *',
      autoDeploy: 'no',
    });
    repo.commit({ 'server.mjs': mixedProgram('two') });
    await until(async () => (await messages(client, job.service.id)).includes('begun'), WAIT_MS);
    // The build of the next version waits for the kill as well.
    await client.call('update_environment_variables', { serviceId: web.service.id, envVars: [] });
    const slow = await client.call('create_web_service', {
      ...order,
      name: 'slow',
      buildCommand: 'echo built >> built.txt; cat built.txt; sleep 30',
    });
    await until(
      async () => (await eventsOf(client, slow.service.id, 'build_started')).length > 0,
      WAIT_MS,
    );
    const burst = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo line $i; sleep 0.005; done; exec node server.mjs`;
    const loud = await client.call('create_web_service', {
      ...order,
      ...program(burst),
      name: 'loud',
    });
    await until(async () => (await messages(client, loud.service.id)).length > 100, WAIT_MS);
    // Each of the three is in its middle.
    expect((await messages(client, loud.service.id)).length).toBeLessThan(LINES);
    expect(await eventsOf(client, slow.service.id, 'build_ended')).toHaveLength(0);
    expect(await messages(client, job.service.id)).toEqual(['begun']);
    await hosting.server.kill();
    expect((await askService(url)).status).toBe(200);
    await hosting.restart();
    client = await hostingClient(hosting);
    expect(await client.over(slow.service.id, slow.deployId)).toBe('live');
    expect(await messages(client, slow.service.id)).toEqual(['built']);
    expect(await eventsOf(client, slow.service.id, 'build_started')).toHaveLength(1);
    expect(await client.over(loud.service.id, loud.deployId)).toBe('live');
    // A start that takes long is told of among the lines of the program.
    const printed = async () =>
      (await messages(client, loud.service.id)).filter((line) => !line.startsWith('Not live '));
    await until(async () => (await printed()).length >= LINES, WAIT_MS);
    expect(await printed()).toEqual(Array.from({ length: LINES }, (_, at) => `line ${at + 1}`));
    const ended = async () => eventsOf(client, job.service.id, 'cron_job_run_ended');
    await until(async () => (await ended()).length > 0, WAIT_MS);
    const [first] = (await ended()).slice(-1);
    expect(first.details.status).toBe('successful');
    const started = await eventsOf(client, job.service.id, 'cron_job_run_started');
    const said = await messages(client, job.service.id);
    expect(said.filter((line) => line === 'begun').length).toBeLessThanOrEqual(started.length);
    expect(await load.end()).toMatchObject({ failed: [] });
  },
);

test('ten redeploys under load fail no request', TIMEOUT, async () => {
  await using hosting = await hostingServer();
  await using client = await hostingClient(hosting);
  const repo = repository(join(hosting.sources, 'own'));
  repo.commit({ 'server.mjs': mixedProgram('0') });
  const order = { name: 'web', repo: repo.path, ...program(), autoDeploy: 'no' };
  const { service } = await client.deployed(order);
  const { url } = service.serviceDetails;
  const load = mixedLoad(url);
  for (let at = 1; at <= REDEPLOYS; at += 1) {
    repo.commit({ 'server.mjs': mixedProgram(String(at)) });
    const { deploy } = await client.call('trigger_deploy', { serviceId: service.id });
    expect(await client.over(service.id, deploy.id)).toBe('live');
    expect((await askService(url)).text).toBe(String(at));
  }
  const { failed, versions, answered } = await load.end();
  expect(failed).toEqual([]);
  expect(versions.size).toBe(REDEPLOYS + 1);
  const kinds = ['GET', 'POST', 'slow', 'stream', 'slow body', 'WebSocket'];
  expect(kinds.filter((kind) => (answered[kind] ?? 0) < 3)).toEqual([]);
  process.stdout.write(`${JSON.stringify(answered)} over ${REDEPLOYS} redeploys\n`);
});

test('after a restart of the machine everything that served serves again', TIMEOUT, async () => {
  await using hosting = await hostingServer();
  let client = await hostingClient(hosting);
  const repo = repository(join(hosting.sources, 'own'));
  repo.commit({ 'server.mjs': mixedProgram('one'), 'site/index.html': 'a page' });
  const web = await client.deployed({ name: 'web', repo: repo.path, ...program() });
  const site = await client.call('create_static_site', {
    name: 'site',
    repo: repo.path,
    buildCommand: 'true',
    publishPath: 'site',
  });
  expect(await client.over(site.service.id, site.deployId)).toBe('live');
  await hosting.server.kill();
  const { dataDir } = hosting.server;
  await stopHosting(dataDir);
  writeFileSync(join(hostingFolders(dataDir).router, ROUTER_FILES.boot), 'another start');
  await hosting.restart();
  client = await hostingClient(hosting);
  const { url } = web.service.serviceDetails;
  await until(async () => (await askService(url)).text === 'one', WAIT_MS);
  expect((await askService(site.service.serviceDetails.url)).text).toBe('a page');
  expect(await eventsOf(client, web.service.id, 'server_hardware_failure')).toHaveLength(1);
});

/** What a service has printed, oldest first. */
async function messages(client: HostingClient, resource: string): Promise<readonly string[]> {
  const all: string[] = [];
  const times = { startTime: new Date(Date.now() - 3_600_000).toISOString() };
  let query: object = {
    resource: [resource],
    type: ['app', 'build'],
    direction: 'forward',
    ...times,
  };
  for (;;) {
    const page = await client.call('list_logs', { ...query, limit: 100 });
    all.push(...page.logs.map(({ message }: { message: string }) => message));
    if (page.hasMore !== true) return all;
    query = { ...query, startTime: page.nextStartTime, endTime: page.nextEndTime };
  }
}

async function eventsOf(client: HostingClient, serviceId: string, type: string) {
  const { events } = await client.call('list_events', {
    serviceId,
    eventTypes: [type],
    limit: 100,
  });
  return events;
}
