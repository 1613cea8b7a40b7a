// A web service, a commit that breaks it, its repair, a static site and a cron job, on a Stoa that hosts:
//   STOA_HOSTING=local STOA_HOSTING_SOURCES=/srv/sources npx stoa serve
//   STOA_TOKEN="$(cat data/token)" node examples/hosting-story.mjs \
//     http://127.0.0.1:8402/hosting/mcp /srv/sources/hello [--without-cron]
// The second argument is a folder below the folder of sources; a repository is made in it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url = 'http://127.0.0.1:8402/hosting/mcp', folder = '/srv/sources/hello', without] =
  process.argv.slice(2);
const STEP_MS = 300_000;
const OVER = ['live', 'build_failed', 'pre_deploy_failed', 'update_failed', 'canceled'];

const client = new Client({ name: 'hosting-story', version: '1' });
const headers = { authorization: `Bearer ${process.env.STOA_TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { workspaces } = await call('list_workspaces', {});
const workspaceId = workspaces[0].id;
say(`workspace ${workspaces[0].name}`);

begin();
commit('The first version', { 'server.mjs': program('one'), 'site/index.html': page('one') });
const source = { repo: folder, branch: 'main', workspaceId };
const runs = { runtime: 'node', buildCommand: 'echo building', plan: 'starter' };
const web = await call('create_web_service', {
  ...{ ...source, ...runs, name: 'hello', startCommand: 'exec node server.mjs' },
  envVars: [{ key: 'GREETING', value: 'Good day' }],
});
const cron = await call('create_cron_job', {
  ...{ ...source, ...runs, name: 'every-minute', schedule: '* * * * *' },
  ...{ startCommand: 'echo the job has run', autoDeploy: 'no' },
});
const site = await call('create_static_site', {
  ...{ ...source, name: 'pages', buildCommand: 'true', publishPath: 'site', autoDeploy: 'no' },
});

// A deploy that is live answers at the address of its service.
await over(web.service.id, web.deployId, 'live');
const address = web.service.serviceDetails.url;
expect(await get(address), 'Good day, one');
say(`live: ${address} says "${await get(address)}"`);
await over(site.service.id, site.deployId, 'live');
expect(await get(site.service.serviceDetails.url), page('one'));
say(`live: the site ${site.service.serviceDetails.url}`);

// A commit that ends at once does not replace what serves, and the event says why.
commit('It does not start', { 'server.mjs': 'console.log("no"); process.exit(3)' });
const broken = await call('trigger_deploy', { serviceId: web.service.id, workspaceId });
await over(web.service.id, broken.deploy.id, 'update_failed');
expect(await get(address), 'Good day, one');
const failed = await eventOf(web.service.id, 'server_failed');
expect(failed.details.reason.failure.nonZeroExit, 3);
say(`failed: exit code ${failed.details.reason.failure.nonZeroExit}; version one goes on`);

commit('Repaired', { 'server.mjs': program('two') });
const repaired = await call('trigger_deploy', { serviceId: web.service.id, workspaceId });
await over(web.service.id, repaired.deploy.id, 'live');
expect(await get(address), 'Good day, two');
say('repaired: version two serves');

// What it printed, what it was asked, and how much of that.
await until(async () =>
  (await logs({ type: ['app'] })).some(({ message }) => /serves/.test(message)),
);
await until(async () => (await logs({ type: ['request'], statusCode: ['200'] })).length >= 4);
say(`logs: ${(await logs({ type: ['request'] })).at(-1).message}`);
await until(async () => (await counted()) >= 4);
say(`metrics: ${await counted()} requests counted`);

if (without !== '--without-cron') {
  const ran = await eventOf(cron.service.id, 'cron_job_run_ended');
  expect(ran.details.status, 'successful');
  say('cron: the job has run');
}
await client.close();

/** Calls a tool; what it refuses ends the story. */
async function call(name, args) {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(`${name}: ${content[0].text}`);
  return structuredContent;
}

/** Waits for the end of a deploy. */
async function over(serviceId, deployId, wanted) {
  let deploy;
  await until(async () => {
    deploy = (await call('get_deploy', { serviceId, deployId, workspaceId })).deploy;
    return OVER.includes(deploy.status);
  });
  expect(deploy.status, wanted);
}

async function eventOf(serviceId, type) {
  let found;
  await until(async () => {
    const { events } = await call('list_events', { serviceId, eventTypes: [type], workspaceId });
    found = events[0];
    return found !== undefined;
  });
  return found;
}

async function logs(filters) {
  return (await call('list_logs', { resource: [web.service.id], workspaceId, ...filters })).logs;
}

async function counted() {
  const asked = { resourceId: web.service.id, metricTypes: ['http_request_count'], workspaceId };
  const { metrics } = await call('get_metrics', asked);
  const values = metrics.flatMap(({ data }) => data.flatMap((series) => series.values));
  return values.reduce((sum, { value }) => sum + (value ?? 0), 0);
}

/** Asks a service by its name: names below localhost are this machine, also where no resolver says so. */
function get(at) {
  const { hostname, port, host, pathname } = new URL(at);
  const toHere = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
  return new Promise((done, fail) => {
    const asked = request({ host: toHere, port, path: pathname, headers: { host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      answer.on('end', () => done(text));
    });
    asked.on('error', fail).end();
  });
}

function begin() {
  mkdirSync(folder, { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
}

function commit(message, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git('add', '--all');
  git('commit', '--quiet', '-m', message);
}

function git(...args) {
  const who = ['-c', 'user.name=example', '-c', 'user.email=example@example.org'];
  execFileSync('git', [...who, ...args], { cwd: folder });
}

function program(version) {
  return `import { createServer } from 'node:http';
const server = createServer((_asked, answer) => answer.end(process.env.GREETING + ', ${version}'));
server.listen(process.env.PORT, () => console.log('version ${version} serves'));
process.on('SIGTERM', () => server.close(() => process.exit()));
`;
}

function page(version) {
  return `<!doctype html><title>Pages</title><p>Version ${version}</p>\n`;
}

async function until(holds) {
  const end = Date.now() + STEP_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 200));
  }
}

function expect(received, wanted) {
  if (received === wanted) return;
  throw new Error(`received ${JSON.stringify(received)}, wanted ${JSON.stringify(wanted)}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
