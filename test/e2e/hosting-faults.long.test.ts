import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostingFolders } from '../../src/process/own-hosting.ts';
import { stopHosting } from '../../src/process/stop-hosting.ts';
import { ROUTER_FILES } from '../../src/router/router-files.ts';
import { type HostingClient, hostingClient, program } from '../support/hosting/hosting-client.ts';
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
    repo.commit({ 'server.mjs': answering('one') });
    const order = { repo: repo.path, ...program(), autoDeploy: 'no' };
    const web = await client.deployed({ ...order, name: 'web' });
    const { url } = web.service.serviceDetails;
    const load = loadOn(url);
    const job = await client.call('create_cron_job', {
      ...{ name: 'job', repo: repo.path, ...program('echo begun; sleep 40; echo done') },
      ...{ schedule: '* * * * *', autoDeploy: 'no' },
    });
    repo.commit({ 'server.mjs': answering('two') });
    await until(async () => (await messages(client, job.service.id)).includes('begun'), WAIT_MS);
    // The build of the next version waits for the kill as well.
    await client.call('update_environment_variables', { serviceId: web.service.id, envVars: [] });
    const slow = await client.call('create_web_service', {
      ...{ ...order, name: 'slow' },
      buildCommand: 'echo built >> built.txt; cat built.txt; sleep 30',
    });
    await until(
      async () => (await eventsOf(client, slow.service.id, 'build_started')).length > 0,
      WAIT_MS,
    );
    const burst = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo line $i; sleep 0.005; done; exec node server.mjs`;
    const loud = await client.call('create_web_service', {
      ...{ ...order, ...program(burst), name: 'loud' },
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
    await until(async () => (await messages(client, loud.service.id)).length >= LINES, WAIT_MS);
    const lines = await messages(client, loud.service.id);
    expect(lines).toEqual(Array.from({ length: LINES }, (_, at) => `line ${at + 1}`));
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
  repo.commit({ 'server.mjs': answering('0') });
  const order = { name: 'web', repo: repo.path, ...program(), autoDeploy: 'no' };
  const { service } = await client.deployed(order);
  const { url } = service.serviceDetails;
  const load = loadOn(url);
  for (let at = 1; at <= REDEPLOYS; at += 1) {
    repo.commit({ 'server.mjs': answering(String(at)) });
    const { deploy } = await client.call('trigger_deploy', { serviceId: service.id });
    expect(await client.over(service.id, deploy.id)).toBe('live');
    expect((await askService(url)).text).toBe(String(at));
  }
  const { failed, versions, answered } = await load.end();
  expect(failed).toEqual([]);
  expect(versions.size).toBe(REDEPLOYS + 1);
  process.stdout.write(`${answered} requests answered over ${REDEPLOYS} redeploys\n`);
});

test('after a restart of the machine everything that served serves again', TIMEOUT, async () => {
  await using hosting = await hostingServer();
  let client = await hostingClient(hosting);
  const repo = repository(join(hosting.sources, 'own'));
  repo.commit({ 'server.mjs': answering('one'), 'site/index.html': 'a page' });
  const web = await client.deployed({ name: 'web', repo: repo.path, ...program() });
  const site = await client.call('create_static_site', {
    ...{ name: 'site', repo: repo.path, buildCommand: 'true', publishPath: 'site' },
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

/** Asks all the time, over connections that are kept and over new ones, also with bodies. */
function loadOn(url: string) {
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })];
  const failed: string[] = [];
  const versions = new Set<string>();
  let answered = 0;
  let isOver = false;
  const run = async (agent: Agent, method: string): Promise<void> => {
    while (!isOver) {
      const { status, text } = await once(url, agent, method);
      if (status === 200) versions.add(text);
      else failed.push(`${method} ${status} ${text}`);
      answered += 1;
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const running = agents.flatMap((agent) => [run(agent, 'GET'), run(agent, 'POST')]);
  return {
    end: async () => {
      isOver = true;
      await Promise.all(running);
      for (const agent of agents) agent.destroy();
      return { failed, versions, answered };
    },
  };
}

function once(url: string, agent: Agent, method: string) {
  const { host, port } = new URL(url);
  return new Promise<{ readonly status: number; readonly text: string }>((done) => {
    const asked = request({ host: '127.0.0.1', port, method, agent, headers: { host } });
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text }));
      answer.on('error', (error) => done({ status: 0, text: error.message }));
    });
    asked.on('error', (error) => done({ status: 0, text: error.message }));
    asked.end(method === 'POST' ? 'a body' : undefined);
  });
}

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

/** A server that answers slowly enough for a request to be under way at any moment. */
function answering(text: string): string {
  return `import { createServer } from 'node:http';
createServer((asked, answer) => {
  asked.resume();
  setTimeout(() => answer.end(${JSON.stringify(text)}), 30);
}).listen(process.env.PORT, '127.0.0.1');
`;
}
