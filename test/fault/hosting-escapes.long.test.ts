import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createToken } from '../../src/process/hosting/hosting-tokens.ts';
import { detectIsolation, listMissing } from '../../src/providers/hosting/local/isolation.ts';
import { type HostingClient, hostingClient, program } from '../support/hosting/hosting-client.ts';
import { type HostingServer, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp } from '../support/real-server.ts';

const TIMEOUT = { timeout: 900_000 };
const here = detectIsolation(process.env);
/** What the default level is made of; a machine without it is named in docs/isolation.md. */
const isWhole = listMissing(here).length === 0 && here.network === 'users' && here.confinesSockets;
const HOSTILE = readFileSync(
  join(import.meta.dirname, '../support/programs/hostile-tenant.mjs'),
  'utf8',
);
const LEAST_ATTEMPTS = 85;

afterAll(cleanUp);

test.runIf(isWhole)('of the published list of escapes none succeeds', TIMEOUT, async () => {
  await using hosting = await hostingServer(
    { STOA_HOSTING_WORKSPACES: 'alpha,beta', STOA_HOSTING_SHARED_SOURCES: 'hostile,victim' },
    { trusts: false },
  );
  await using operator = await hostingClient(hosting);
  const { workspaces } = await operator.call('list_workspaces', { workspaceId: undefined });
  const [alpha, beta] = workspaces.map(({ id }: { id: string }) => id);
  await using one = await clientOf(hosting, alpha);
  await using two = await clientOf(hosting, beta);
  const [secret, abstract] = [randomUUID(), `stoa-${randomUUID()}`];
  const victim = await deployVictim(hosting, one, { secret, abstract });
  const stores = await storesOf(hosting, one);
  const repo = repository(join(hosting.sources, 'hostile'));
  repo.commit({ 'server.mjs': HOSTILE });
  const order = { repo: repo.path, ...program(), autoDeploy: 'no' };
  const hostile = await two.deployed({ ...order, name: 'hostile' });
  const friend = await one.deployed({ ...order, name: 'friend' });
  await using listener = await listenHere();

  const { server } = hosting;
  const local = join(server.dataDir, 'hosting/local');
  const service = join(local, 'services', victim.id);
  const router = new URL(hostile.service.serviceDetails.url).port;
  const ports = {
    'the server': Number(new URL(server.ready.base_url).port),
    'the router': Number(router),
    'a program of this machine': listener.port,
    'a service of another workspace': runOf(local, victim.id).port,
    ...stores,
  };
  const targets = {
    ports,
    secret,
    abstract,
    udp: listener.udp,
    own: Number(textOf(local, hostile.service.id)),
    files: {
      'the token': server.ready.token_file,
      'the key of hosting': join(server.dataDir, 'hosting-key'),
      'the socket of the router': join(server.dataDir, 'hosting/router/control'),
      'a file of another service': join(treeOf(service), 'secret.txt'),
      'the log of another service': join(runOf(local, victim.id).folder, 'log'),
      'the passwords of the machine': '/etc/shadow',
    },
    folders: { 'the data directory': server.dataDir, 'the folder of hosting': local },
    pids: { 'the server': server.ready.pid, 'another service': runOf(local, victim.id).pid },
  };
  // All of them are there for who may have them.
  for (const [name, port] of Object.entries(ports)) expect(await reach(port), name).toBe(true);
  expect(readFileSync(targets.files['a file of another service'], 'utf8')).toContain(secret);

  const got = await ask(hostile.service.serviceDetails.url, '/', targets);
  process.stdout.write(`${Object.keys(got).length} attempts\n`);
  expect(Object.keys(got).length).toBeGreaterThan(LEAST_ATTEMPTS);
  expect(Object.fromEntries(Object.entries(got).filter(([, word]) => word !== ''))).toEqual({});
  expect(listener.heard()).toBe(0);
  const may = await ask(friend.service.serviceDetails.url, '/allowed', { stores });
  expect(Object.entries(may).filter(([, word]) => word === '')).toEqual([]);

  const inner = `https://127.0.0.1:${listener.port}/a.git`;
  const fetched = await two.call('create_web_service', { ...order, name: 'inner', repo: inner });
  expect(await two.over(fetched.service.id, fetched.deployId)).toBe('build_failed');
  expect(listener.heard()).toBe(0);
  expect(await reach(ports['a service of another workspace'])).toBe(true);
});

/** A service with a secret in its variables, its files, and in places for everybody. */
async function deployVictim(
  hosting: HostingServer,
  client: HostingClient,
  { secret, abstract }: { readonly secret: string; readonly abstract: string },
): Promise<{ readonly id: string }> {
  const repo = repository(join(hosting.sources, 'victim'));
  const listen = `socket(S, 1, 1, 0); bind(S, pack("Sxa*", 1, "${abstract}")); listen(S, 9); sleep`;
  repo.commit({
    'secret.txt': secret,
    'server.mjs': `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
for (const place of ['/tmp', '/var/tmp', '/dev/shm']) writeFileSync(place + '/shared', '${secret}');
spawn('/usr/bin/perl', ['-e', '${listen}']);
console.log('${secret}');
createServer((_a, b) => b.end('victim')).listen(process.env.PORT, '127.0.0.1');`,
  });
  const envVars = [{ key: 'OWN', value: secret }];
  const order = { name: 'victim', repo: repo.path, ...program(), autoDeploy: 'no', envVars };
  return (await client.deployed(order)).service;
}

/** Stores of a workspace by name, with their ports; those that this machine can have. */
async function storesOf(hosting: HostingServer, client: HostingClient) {
  const services = join(hosting.server.dataDir, 'hosting/local/services');
  const ports: Record<string, number> = {};
  const orders = [
    ['a Key Value instance of another workspace', 'create_key_value', 'key-value.json'],
    ['a database of another workspace', 'create_postgres', 'secrets.json'],
  ] as const;
  for (const [name, tool, kept] of orders) {
    const made = await client.call(tool, { name: 'store', plan: 'free' }).catch(() => undefined);
    if (made === undefined) continue;
    const { id } = made.keyValue ?? made.postgres;
    const file = join(services, id, kept);
    await expect.poll(() => existsSync(file), { timeout: 300_000 }).toBe(true);
    const { port } = JSON.parse(readFileSync(file, 'utf8'));
    await expect.poll(() => reach(port), { timeout: 300_000 }).toBe(true);
    ports[name] = port;
  }
  return ports;
}

function clientOf(hosting: HostingServer, workspaceId: string): Promise<HostingClient> {
  const { dataDir } = hosting.server;
  const { token } = createToken(dataDir, { name: 'one', isReadOnly: false, workspaceId });
  return hostingClient(hosting, token);
}

/** The run of a service that serves: its port, its process, its folder. */
function runOf(local: string, serviceId: string) {
  const name = readdirSync(join(local, 'runs')).find((each) => each.startsWith(`app-${serviceId}`));
  const folder = join(local, 'runs', name ?? '');
  const { port } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  return { folder, port, pid: Number(readFileSync(join(folder, 'pid'), 'utf8')) };
}

function treeOf(service: string): string {
  const [release = ''] = readdirSync(join(service, 'releases'));
  return join(service, 'releases', release, 'tree');
}

function textOf(local: string, serviceId: string): string {
  return readFileSync(join(local, 'services', serviceId, 'uid'), 'utf8');
}

/** A program of this machine that counts who comes, over TCP and UDP. */
async function listenHere() {
  let count = 0;
  const tcp = createServer((socket) => {
    socket.on('data', () => {
      count += 1;
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  const udp = createSocket('udp4').on('message', () => {
    count += 1;
  });
  await new Promise<void>((done) => udp.bind(0, '127.0.0.1', done));
  return {
    port: (tcp.address() as { port: number }).port,
    udp: udp.address().port,
    heard: () => count,
    [Symbol.asyncDispose]: async () => {
      tcp.close();
      udp.close();
    },
  };
}

function reach(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.on('error', () => done(false));
  });
}

/** Asks a service over the router, with targets as the body. */
function ask(address: string, path: string, targets: object): Promise<Record<string, string>> {
  const { host, port } = new URL(address);
  return new Promise((done, fail) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers: { host } };
    const asked = request({ ...options, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => done(JSON.parse(text)));
    });
    asked.on('error', fail).end(JSON.stringify(targets));
  });
}
