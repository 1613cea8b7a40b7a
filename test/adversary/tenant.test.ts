import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostedVersion } from '../../src/domain/ports/service-host.ts';
import { releasePlace } from '../../src/providers/hosting/local/layout.ts';
import { type LocalHost, openLocalHost } from '../../src/providers/hosting/local/local-host.ts';
import { giveToTenant, programOf } from '../../src/providers/hosting/local/programs.ts';
import { runToEnd } from '../../src/providers/hosting/local/run-to-end.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { openHostingLogs } from '../../src/store/hosting-logs.ts';
import { webService } from '../../src/testing/plans/hosting.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Attempt, search, searchMs } from './search.ts';
import { hostileProgram, type Targets } from './tenant-programs.ts';

const TIMEOUT = { timeout: searchMs() * 2 + 240_000 };
const LIMITS = { cpu: 1, memoryMib: 512 };
const RUN_MS = 60_000;
const never = new AbortController().signal;
/** One for each place; each is what only somebody else may know. */
const CANARIES = { file: token(), line: token(), gone: token(), variable: token(), victim: token() };
const PORT_CANARY = token();

let dir: ReturnType<typeof tempDir>;
let host: LocalHost;
let logs: ReturnType<typeof openHostingLogs>;
let servers: readonly Server[];
let targets: Targets;
let heard = 0;
let signals = 0;
const onSignal = (): void => {
  signals += 1;
};

beforeEach(async () => {
  [heard, signals] = [0, 0];
  dir = tempDir();
  // Users of their own go through the folder to their builds.
  chmodSync(dir.path, 0o755);
  process.env['STOA_CANARY'] = CANARIES.variable;
  for (const name of ['SIGUSR2', 'SIGTERM', 'SIGWINCH'] as const) process.on(name, onSignal);
  const data = join(dir.path, 'data');
  mkdirSync(data, { mode: 0o700 });
  logs = openHostingLogs({ path: join(data, 'logs') });
  await logs.append('planted', [line(CANARIES.line)]);
  plantOpenFile(join(data, 'gone'));
  host = openLocalHost({
    folder: join(data, 'hosting'),
    ...{ trustsRepositories: true, env: process.env, clock: systemClock(), token: randomUUID },
    ...{ closing: never, taken: async () => [], size: { cpus: 8, memoryMib: 65_536 } },
  });
  const victim = await versionOf('srv-victim', { 'secret.txt': CANARIES.file });
  const order = { type: 'app', command: 'exec sleep 1000', limits: LIMITS } as const;
  const env = [{ key: 'CANARY', value: CANARIES.victim }];
  await host.keeper.begin('victim', programOf(host.parts, { ...victim, env }, order));
  await expect.poll(() => host.keeper.pids('victim').length).toBeGreaterThan(0);
  const socket = join(data, 'socket');
  servers = await Promise.all([0, socket].map(listening));
  const { port } = servers[0]?.address() as { port: number };
  const secret = join(treeOf('srv-victim'), 'secret.txt');
  targets = {
    paths: [secret, join(data, 'logs'), data, host.keeper.place('victim').log],
    pids: [process.pid, ...host.keeper.pids('victim')],
    ports: [port],
    socket,
  };
});

afterEach(async () => {
  for (const name of host.keeper.names()) await host.keeper.kill(name);
  for (const name of ['SIGUSR2', 'SIGTERM', 'SIGWINCH'] as const) process.off(name, onSignal);
  for (const server of servers) server.close();
  delete process.env['STOA_CANARY'];
  await logs.close();
  dir.remove();
});

test('a hostile program reads and changes nothing of the server or of others', TIMEOUT, async () => {
  const { sandbox, network } = host.isolation;
  // Below level `user` a program may do what its user may; what it was handed is judged all the same.
  const scope = sandbox === 'user' ? 'others' : 'own';
  const play = async (attempt: Attempt): Promise<void> => {
    const program = hostileProgram(targets, attempt, scope);
    const said = await run(`attack-${attempt.round}`, program);
    expect(said).toContain('the end');
    for (const [place, canary] of Object.entries(CANARIES)) {
      expect(said.includes(canary), `${place}:\n${program}`).toBe(false);
    }
    const { lines } = await logs.query({ resources: ['srv-victim'], limit: 10 } as never);
    expect(lines.map(({ message }) => message)).toEqual([CANARIES.line]);
    expect(readFileSync(join(treeOf('srv-victim'), 'secret.txt'), 'utf8')).toBe(CANARIES.file);
    expect(host.keeper.look('victim').state).toBe('running');
    expect(signals, program).toBe(0);
    if (network !== 'users') return;
    expect(heard, program).toBe(0);
    expect(said).not.toContain(PORT_CANARY);
  };
  await search('tenant', play, { roundsMin: 24 });
});

/** Runs a program as another tenant, and gives what it printed. */
async function run(name: string, program: string): Promise<string> {
  const version = await versionOf('srv-attack', { 'attack.mjs': program });
  const order = { type: 'build', command: 'exec node attack.mjs', limits: LIMITS } as const;
  const bounds = { limitMs: RUN_MS, what: 'the attack', signal: never };
  await runToEnd(host.keeper, name, programOf(host.parts, version, order), bounds);
  const said = readFileSync(host.keeper.place(name).log, 'latin1');
  host.keeper.forget(name);
  return said;
}

/** A build with its files, owned by its tenant. */
async function versionOf(
  serviceId: string,
  files: Readonly<Record<string, string>>,
): Promise<HostedVersion> {
  const service = { ...webService, id: serviceId, ownerId: `tea-${serviceId}` };
  const { layout } = host.parts;
  const tree = treeOf(serviceId);
  rmSync(tree, { recursive: true, force: true });
  for (const folder of [tree, layout.cache(serviceId)]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(tree, name), text, { mode: 0o600 });
  }
  await giveToTenant(host.parts, serviceId, [tree, layout.cache(serviceId)]);
  return { service, releaseId: 'dep-1', commitId: null, env: [] };
}

function treeOf(serviceId: string): string {
  return releasePlace(host.parts.layout.release(serviceId, 'dep-1')).tree;
}

/** A file without a name, which nobody reaches but by a descriptor; it stays open with the test. */
function plantOpenFile(path: string): void {
  writeFileSync(path, CANARIES.gone);
  openSync(path, 'r+');
  rmSync(path);
}

function listening(place: number | string): Promise<Server> {
  const server = createServer((socket) => {
    heard += 1;
    socket.on('error', () => undefined);
    socket.end(PORT_CANARY);
  });
  return new Promise((done) => {
    if (typeof place === 'number') server.listen(place, '127.0.0.1', () => done(server));
    else server.listen(place, () => done(server));
  });
}

function line(message: string) {
  const at = new Date().toISOString();
  return { end: 1, resource: 'srv-victim', type: 'app', level: 'info', message, at } as never;
}

function token(): string {
  return randomBytes(12).toString('hex');
}
