import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { serviceDiskLimit } from '../../src/domain/hosting/disk.ts';
import { SERVICE_PLANS } from '../../src/domain/hosting/plans.ts';
import type { WebService } from '../../src/domain/hosting/records.ts';
import { createToken } from '../../src/process/hosting/hosting-tokens.ts';
import { measureFolders } from '../../src/providers/hosting/local/disk/usage.ts';
import { detectIsolation, listMissing } from '../../src/providers/hosting/local/isolation.ts';
import { type HostingClient, hostingClient, program } from '../support/hosting/hosting-client.ts';
import { type HostingServer, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { until } from '../support/real-server.ts';
import type { Targets } from './tenant-programs.ts';

const CONSOLE = '/inspect/hosting/';
const HEALTH_MS = 10_000;
const RUN_MS = 20_000;
const GONE_MS = 60_000;
const START_MS = 120_000;
const here = detectIsolation(process.env);
/** What the kernel does not hold on this machine; programs that need it are left out. */
export const LACKS: readonly string[] = [
  ...listMissing(here),
  ...(here.network === 'users' ? [] : ['rules of the network by user']),
  ...(here.confinesSockets ? [] : ['confined sockets']),
];
const RUNNER = readFileSync(
  join(import.meta.dirname, '../support/programs/tenant-runner.mjs'),
  'utf8',
);
const never = new AbortController().signal;

/** What came back on a request of the console. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** Two workspaces on a real server: in one there is something to lose, the other attacks. */
export interface TenantWorld extends AsyncDisposable {
  readonly hosting: HostingServer;
  /** Calls tools as the attacker. */
  readonly client: HostingClient;
  readonly targets: Targets;
  /** What only somebody else may know, by where it stands. */
  readonly canaries: Readonly<Record<string, string>>;
  /** The attacker's program that runs programs. */
  readonly runner: WebService;
  readonly repo: ReturnType<typeof repository>;
  /** Asks the console's addresses with the attacker's token. */
  ask(method: string, path: string, body?: string): Promise<Answered>;
  /** Runs a program as the attacker; what it printed. */
  run(text: string): Promise<string>;
  /** Fails where the server, the other workspace or the machine has been harmed. */
  check(said: string, what: string): Promise<void>;
  /** Removes a service of the attacker; fails where something of it stays. */
  removed(serviceId: string): Promise<void>;
}

/** Opens a world. */
export async function tenantWorld(): Promise<TenantWorld> {
  const canaries = createCanaries();
  const hosting = await hostingServer(
    {
      STOA_HOSTING_WORKSPACES: 'alpha,beta',
      CANARY: canaries.variable,
      STOA_HOSTING_SHARED_SOURCES: 'hostile,victim',
      STOA_CONSOLE_ACTIONS: 'hosting',
    },
    { trusts: LACKS.length > 0 },
  );
  const { server } = hosting;
  const operator = await hostingClient(hosting);
  const { workspaces } = await operator.call('list_workspaces', { workspaceId: undefined });
  const [alpha, beta] = workspaces.map(({ id }: { id: string }) => id);
  const wish = { name: 'beta', isReadOnly: false, workspaceId: beta };
  const made = createToken(server.dataDir, wish);
  const client = await hostingClient(hosting, made.token);
  const victim = await deployVictim(hosting, operator, canaries);
  const repo = repository(join(hosting.sources, 'hostile'));
  repo.commit({ 'server.mjs': RUNNER });
  const { service: runner } = await client.deployed(runnerOrder(repo.path));
  const database = await deployDatabase(client);
  const local = join(server.dataDir, 'hosting/local');
  const { listeners, port, heard } = await listen(canaries.port);
  const found = findTargets(server, victim.id);
  const targets: Targets = {
    ...found,
    ports: [...found.ports, port],
    abstract: canaries.abstract,
    owners: { own: beta, other: alpha },
    ids: { own: runner.id, other: victim.id },
    ...(database === undefined ? {} : { database }),
  };
  const secrets = {
    ...canaries,
    token: readFileSync(server.ready.token_file, 'utf8').trim(),
    key: readFileSync(join(server.dataDir, 'hosting-key'), 'latin1'),
  };
  const state = () => victimState(local, victim, operator);
  const begun = await state();
  expect(begun).toContain(digest(canaries.own));
  const run = (text: string) => post(runner.serviceDetails.url, text);
  await run('').then((said) => expect(JSON.parse(said).left).toEqual([]));
  return {
    hosting,
    client,
    targets,
    canaries: secrets,
    runner,
    repo,
    run,
    ask: (method, path, body) =>
      ask(`${server.ready.base_url}${CONSOLE}${path}`, made.token, { method, body }),
    check: async (said, what) => {
      for (const [place, canary] of Object.entries(secrets)) {
        expect(said.includes(canary), `${place} is in what it reads:\n${what}`).toBe(false);
      }
      await checkHealth(server.ready.base_url, what);
      expect(await state(), what).toBe(begun);
      if (LACKS.length === 0) {
        expect(heard(), what).toBe(0);
        await checkBounds(local, runner, what);
      }
    },
    removed: async (serviceId) => {
      const uid = await userId(local, serviceId);
      await removeService(hosting, client, serviceId);
      const left = () => leftovers(server.dataDir, serviceId, uid);
      await until(() => left().length === 0, GONE_MS).catch(() => undefined);
      expect(left()).toEqual([]);
    },
    [Symbol.asyncDispose]: async () => {
      for (const listener of listeners) listener.close();
      await client[Symbol.asyncDispose]();
      await operator[Symbol.asyncDispose]();
      await hosting[Symbol.asyncDispose]();
    },
  };
}

/** Deletes a service of the attacker as the operator does it in the console. */
async function removeService(
  { server, token: bearer }: HostingServer,
  client: HostingClient,
  serviceId: string,
): Promise<void> {
  const { service } = await client.call('get_service', { serviceId });
  const url = `${server.ready.base_url}${CONSOLE}services/${serviceId}/remove`;
  const body = JSON.stringify({ name: service.name });
  const { status, text } = await ask(url, bearer, { method: 'POST', body });
  expect(status, text).toBe(200);
}

function createCanaries() {
  return {
    variable: token(),
    file: token(),
    own: token(),
    line: token(),
    place: token(),
    port: token(),
    abstract: token(),
  };
}

function runnerOrder(repo: string) {
  return {
    name: 'runner',
    repo,
    ...program(),
    autoDeploy: 'no',
    plan: 'standard',
    envVars: [{ key: 'HAS_OWN_USER', value: here.sandbox === 'user' ? 'yes' : 'no' }],
  };
}

/** Where something of the server and of the other workspace is. */
function findTargets({ ready, dataDir }: HostingServer['server'], victimId: string) {
  const local = join(dataDir, 'hosting/local');
  const socket = join(dataDir, 'hosting/router/control');
  return {
    paths: [
      join(local, 'services', victimId, 'releases'),
      join(releaseTree(local, victimId), 'secret.txt'),
      ...[ready.token_file, join(dataDir, 'hosting-key'), join(dataDir, 'store/logs')],
      ...[dataDir, local, socket, join(local, 'runs', runName(local, victimId), 'log')],
    ],
    pids: [ready.pid, runPid(local, victimId)],
    ports: [Number(new URL(ready.base_url).port), runPort(local, victimId)],
    socket,
  };
}

/** A service with a secret in its variables, its files, its log and in places for everybody. */
async function deployVictim(
  hosting: HostingServer,
  client: HostingClient,
  canaries: Readonly<Record<'file' | 'own' | 'line' | 'place' | 'abstract', string>>,
): Promise<WebService> {
  const { file, own, line, place, abstract } = canaries;
  const repo = repository(join(hosting.sources, 'victim'));
  const socket = `socket(S, 1, 1, 0); bind(S, pack("Sxa*", 1, "${abstract}")); listen(S, 9); sleep`;
  repo.commit({
    'secret.txt': file,
    'server.mjs': `import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
for (const one of ${here.sandbox === 'user' ? "['/tmp', '/var/tmp', '/dev/shm']" : '[]'}) {
  writeFileSync(one + '/shared', '${place}');
}
spawn('/usr/bin/perl', ['-e', '${socket}']).on('error', () => undefined);
console.log('${line}');
const digest = (text) => createHash('sha256').update(text).digest('hex');
createServer((_asked, answer) => {
  answer.end([process.pid, digest(process.env.OWN), digest(readFileSync('secret.txt'))].join(' '));
}).listen(process.env.PORT, '127.0.0.1');`,
  });
  const { service } = await client.deployed({
    name: 'victim',
    repo: repo.path,
    ...program(),
    autoDeploy: 'no',
    envVars: [{ key: 'OWN', value: own }],
  });
  return service;
}

/** A database of the attacker; none on a machine that has no program for it. */
async function deployDatabase(client: HostingClient): Promise<string | undefined> {
  const order = { name: 'books', plan: 'free', version: 15 };
  const made = await client.call('create_postgres', order).catch((refused: Error) => {
    process.stdout.write(`tenant: no statements are run: ${refused.message.slice(0, 200)}\n`);
  });
  if (made === undefined) return undefined;
  const { id } = made.postgres;
  await until(async () => {
    const { postgres } = await client.call('get_postgres', { postgresId: id });
    return postgres.status === 'available';
  }, START_MS);
  return id;
}

/** What of the other workspace must stay as it is, in one text. */
async function victimState(
  local: string,
  victim: WebService,
  operator: HostingClient,
): Promise<string> {
  const { service } = await operator.call('get_service', { serviceId: victim.id });
  const { logs } = await operator.call('list_logs', {
    resource: [victim.id],
    type: ['app'],
    limit: 100,
  });
  const lines = logs.map(({ message }: { message: string }) => message);
  const file = join(releaseTree(local, victim.id), 'secret.txt');
  return JSON.stringify({
    said: await post(victim.serviceDetails.url, ''),
    service,
    lines,
    file: digest(readFileSync(file, 'utf8')),
    files: readdirSync(releaseTree(local, victim.id)),
  });
}

async function checkHealth(baseUrl: string, what: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) });
  expect(answer.status, what).toBe(200);
  await answer.text();
}

/** The kernel holds the plan's memory, and the disk of the plan has room for what it wrote. */
async function checkBounds(local: string, runner: WebService, what: string): Promise<void> {
  const bytes = SERVICE_PLANS.standard.memoryMib * 2 ** 20;
  const group = runName(local, runner.id);
  const [most] = memoryFiles().flatMap((folder) => limitsBelow(folder, group));
  expect(most, what).toBe(bytes);
  const used = await measureFolders([join(local, 'services', runner.id)], never);
  expect(used?.bytes ?? 0, what).toBeLessThan(serviceDiskLimit(runner).bytes);
}

function memoryFiles(): readonly string[] {
  return readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([, kinds = '-', path = '']) => {
      if (kinds === '') return [join('/sys/fs/cgroup', path, '..'), join('/sys/fs/cgroup', path)];
      return kinds.split(',').includes('memory') ? [join('/sys/fs/cgroup/memory', path)] : [];
    });
}

function limitsBelow(folder: string, group: string): readonly number[] {
  return namesIn(folder)
    .filter((name) => name.startsWith('stoa-') && name.endsWith(group))
    .flatMap((name) =>
      ['memory.max', 'memory.limit_in_bytes'].map((file) => join(folder, name, file)),
    )
    .flatMap((file) => {
      const text = textIn(file);
      return text === '' ? [] : [Number(text)];
    });
}

/** Processes, groups of the kernel, folders and files that name a service or run as its user. */
function leftovers(dataDir: string, serviceId: string, uid: string): readonly string[] {
  const local = join(dataDir, 'hosting/local');
  const folders = [join(local, 'services'), join(local, 'git'), join(local, 'routes')];
  const named = [...folders, ...memoryFiles()].flatMap((folder) =>
    namesIn(folder).flatMap((name) => (name.includes(serviceId) ? [join(folder, name)] : [])),
  );
  const processes = namesIn('/proc').filter(
    (pid) =>
      uid !== '' && new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(textIn(`/proc/${pid}/status`)),
  );
  return [...named, ...processes];
}

/** The user of a service, where services have users of their own. */
async function userId(local: string, serviceId: string): Promise<string> {
  return here.sandbox === 'user' ? textIn(join(local, 'services', serviceId, 'uid')) : '';
}

function runName(local: string, serviceId: string): string {
  const runs = join(local, 'runs');
  const names = namesIn(runs).filter((name) => name.startsWith(`app-${serviceId}`));
  const [newest = ''] = names.toSorted(
    (one, other) => statSync(join(runs, other)).ctimeMs - statSync(join(runs, one)).ctimeMs,
  );
  return newest;
}

function runPid(local: string, serviceId: string): number {
  return Number(textIn(join(local, 'runs', runName(local, serviceId), 'pid')));
}

function runPort(local: string, serviceId: string): number {
  return JSON.parse(textIn(join(local, 'runs', runName(local, serviceId), 'run.json'))).port;
}

function releaseTree(local: string, serviceId: string): string {
  const releases = join(local, 'services', serviceId, 'releases');
  return join(releases, namesIn(releases)[0] ?? '', 'tree');
}

/** A program of this machine: nobody who is kept apart reaches it. */
async function listen(canary: string) {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    socket.on('error', () => undefined).end(canary);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return { listeners: [server], port, heard: () => count };
}

/** Asks a service by its address; it is waited for while it starts again. */
async function post(address: string, body: string): Promise<string> {
  let text = '';
  await until(async () => {
    const { status, said } = await postOnce(address, body);
    text = said;
    return status === 200;
  }, RUN_MS);
  return text;
}

function postOnce(address: string, body: string): Promise<{ status: number; said: string }> {
  const { host, port } = new URL(address);
  return new Promise((done) => {
    const failed = () => done({ status: 0, said: '' });
    const headers = { host, 'content-length': Buffer.byteLength(body) };
    const options = { host: '127.0.0.1', port, path: '/', method: 'POST', headers };
    const asked = request({ ...options, agent: false, timeout: RUN_MS }, (answer) => {
      let said = '';
      answer.setEncoding('latin1').on('data', (piece: string) => {
        said += piece;
      });
      answer.on('error', failed).on('end', () => done({ status: answer.statusCode ?? 0, said }));
    });
    asked.on('timeout', () => asked.destroy()).on('error', failed);
    asked.end(body);
  });
}

async function ask(
  url: string,
  bearer: string,
  { method, body }: { readonly method: string; readonly body?: string | undefined },
): Promise<Answered> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const begun = performance.now();
  const answer = await fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(RUN_MS),
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, text, ms: performance.now() - begun };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function token(): string {
  return randomBytes(12).toString('hex');
}
