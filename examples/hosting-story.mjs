// A Postgres, a Key Value and a web service that uses both, a commit that breaks it, its repair, a static
// site and a cron job, on a Stoa that hosts:
//   STOA_HOSTING=local STOA_HOSTING_SOURCES=/srv/sources npx stoa serve
//   STOA_TOKEN="$(cat data/token)" node examples/hosting-story.mjs \
//     http://127.0.0.1:8402/hosting/mcp /srv/sources/hello [--without-cron] [--postgres=16]
// The second argument is a folder below the folder of sources; a repository is made in it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url = 'http://127.0.0.1:8402/hosting/mcp', folder = '/srv/sources/hello', ...flags] =
  process.argv.slice(2);
const STEP_MS = 300_000;
const OVER = ['live', 'build_failed', 'pre_deploy_failed', 'update_failed', 'canceled'];

const client = new Client({ name: 'hosting-story', version: '1' });
const headers = { authorization: `Bearer ${process.env.STOA_TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { workspaces } = await call('list_workspaces', {});
const workspaceId = workspaces[0].id;
say(`workspace ${workspaces[0].name}`);

// Both databases start while the first commit is made.
const major = flags.find((flag) => flag.startsWith('--postgres='))?.slice('--postgres='.length);
const { postgres } = await call('create_postgres', {
  name: 'books',
  plan: 'free',
  workspaceId,
  ...(major === undefined ? {} : { version: Number(major) }),
});
const { keyValue } = await call('create_key_value', { name: 'counts', plan: 'free', workspaceId });
begin();
commit('The first version', { 'server.mjs': program('one'), 'site/index.html': page('one') });
await until(async () => {
  const { postgres: now } = await call('get_postgres', { postgresId: postgres.id, workspaceId });
  return now.status === 'available';
});
await until(async () => {
  const { keyValue: now } = await call('get_key_value', { keyValueId: keyValue.id, workspaceId });
  return now.status === 'available';
});
say(`databases: Postgres ${postgres.version} and Key Value are available`);
const source = { repo: folder, branch: 'main', workspaceId };
const runs = { runtime: 'node', buildCommand: 'echo building', plan: 'starter' };
const web = await call('create_web_service', {
  ...source,
  ...runs,
  name: 'hello',
  startCommand: 'exec node server.mjs',
  envVars: [
    { key: 'GREETING', value: 'Good day' },
    { key: 'DATABASE_URL', fromDatabase: { id: postgres.id } },
    { key: 'COUNTS_URL', fromDatabase: { id: keyValue.id } },
  ],
});
const cron = await call('create_cron_job', {
  ...source,
  ...runs,
  name: 'every-minute',
  schedule: '* * * * *',
  startCommand: 'echo the job has run',
  autoDeploy: 'no',
});
const site = await call('create_static_site', {
  ...source,
  name: 'pages',
  buildCommand: 'true',
  publishPath: 'site',
  autoDeploy: 'no',
});

// A deploy that is live answers at the address of its service.
await over(web.service.id, web.deployId, 'live');
const address = web.service.serviceDetails.url;
expect(await get(address), 'Good day, one');
say(`live: ${address} says "${await get(address)}"`);
expect(await get(`${address}/visits`), 'visit 1, counted 1');
expect(await get(`${address}/visits`), 'visit 2, counted 2');
say(`databases: ${address}/visits has written to both`);
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
expect(await get(`${address}/visits`), 'visit 3, counted 3');
say('repaired: version two serves, and has the data of version one');

const sql = 'select count(*)::int as visits from visits';
const answer = await call('query_hosted_postgres', { postgresId: postgres.id, sql, workspaceId });
expect(JSON.stringify(answer.rows), '[[3]]');
say(`sql: ${sql} answers ${answer.rows[0][0]}`);

// What it printed, what it was asked, and how much of that.
await until(async () =>
  (await logs({ type: ['app'] })).some(({ message }) => /serves/.test(message)),
);
await until(async () => (await logs({ type: ['request'], statusCode: ['200'] })).length >= 4);
say(`logs: ${(await logs({ type: ['request'] })).at(-1).message}`);
await until(async () => (await counted()) >= 4);
say(`metrics: ${await counted()} requests counted`);

if (!flags.includes('--without-cron')) {
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
  copyPackage('pg', import.meta.url);
}

/** Puts a package with all that it needs into the repository: a build without a network has it. */
function copyPackage(name, from) {
  const file = createRequire(from).resolve(name);
  const home = file.slice(
    0,
    file.lastIndexOf(join('node_modules', name)) + `node_modules/${name}`.length,
  );
  cpSync(home, join(folder, 'node_modules', name), { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  for (const needed of Object.keys(dependencies)) copyPackage(needed, join(home, 'package.json'));
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
import { connect } from 'node:net';
import pg from 'pg';

const books = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await books.query('create table if not exists visits (at timestamptz not null default now())');

const server = createServer(async (asked, answer) => {
  if (asked.url === '/visits') {
    await books.query('insert into visits default values');
    const { rows } = await books.query('select count(*)::int as visits from visits');
    return answer.end('visit ' + rows[0].visits + ', counted ' + (await count()));
  }
  answer.end(process.env.GREETING + ', ${version}');
});
server.listen(process.env.PORT, () => console.log('version ${version} serves'));
process.on('SIGTERM', () => server.close(() => process.exit()));

// The protocol of Key Value is lines: who asks, then what.
function count() {
  const { hostname, port, username, password } = new URL(process.env.COUNTS_URL);
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname);
    socket.write('AUTH ' + username + ' ' + password + '\\r\\nINCR visits\\r\\n');
    let text = '';
    socket.setEncoding('utf8').on('error', fail).on('data', (piece) => {
      text += piece;
      const counted = /:(\\d+)/.exec(text)?.[1];
      if (counted !== undefined || text.includes('-')) socket.destroy();
      if (counted !== undefined) done(counted);
      else if (text.includes('-')) fail(new Error(text));
    });
  });
}
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
