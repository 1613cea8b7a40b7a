import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StaticSite, WebService } from '../../../../src/domain/hosting/records.ts';
import type { HostedVersion } from '../../../../src/domain/hosting/service-host.ts';
import { findListeningAddress } from '../../../../src/providers/hosting/local/instances.ts';
import {
  type LocalHost,
  openLocalHost,
} from '../../../../src/providers/hosting/local/local-host.ts';
import { readStartWarning } from '../../../../src/providers/hosting/local/run/run-files.ts';
import { systemClock } from '../../../../src/runtime/timer/clock.ts';
import { staticSite, webService } from '../../../../src/testing/plans/hosting.ts';
import { repository, serverSource } from '../../../support/hosting/sources.ts';
import { HAS_IPV6 } from '../../../support/loopback.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const never = new AbortController().signal;
const once = { instanceId: 'srv-1-a', start: 1 };
const plain = { clearCache: false, signal: never };

let dir: ReturnType<typeof tempDir>;
let host: LocalHost;
let repo: ReturnType<typeof repository>;

beforeEach(() => {
  dir = tempDir();
  chmodSync(dir.path, 0o755);
  host = openHost();
  repo = repository(join(dir.path, 'sources', 'hello'));
});
afterEach(async () => {
  for (const name of host.runner.names()) await host.runner.stop(name, 0);
  dir.remove();
});

test('a repository is fetched, built, started, routed and stopped', async () => {
  repo.commit({ 'server.mjs': serverSource('one') });
  const version = versionOf('dep-1', {});
  await host.admit(version.service);
  expect(await host.fetch(version, never)).toMatchObject({
    ok: true,
    commit: { id: await host.newestCommit(version.service), message: 'A commit' },
  });
  expect(await host.build(version, plain)).toEqual({ ok: true });
  expect(await host.start(version, once, never)).toEqual({ ok: true });
  expect(await host.cutOver(version, [once.instanceId])).toEqual({ ok: true });
  const { targets } = route(version.service.id);
  expect(await text(targets[0]?.port, '/')).toBe('one');
  await host.stop({ ...once, graceMs: 5_000 });
  expect((await host.watch(once, never)).reason).toEqual({ nonZeroExit: 143 });
});

test('programs have their variables, and nothing of the daemon’s', async () => {
  repo.commit({ 'server.mjs': serverSource('one') });
  process.env['STOA_TEST_SECRET'] = 'secret';
  const version = { ...versionOf('dep-1', {}), env: [{ key: 'GREETING', value: 'hi' }] };
  await up(version);
  const env = JSON.parse(await text(route(version.service.id).targets[0]?.port, '/env'));
  expect(env).toMatchObject({ GREETING: 'hi', STOA_INSTANCE_ID: once.instanceId });
  expect(env).not.toHaveProperty('STOA_TEST_SECRET');
});

test('a variable keeps every character of its value, under any name', async () => {
  repo.commit({ 'server.mjs': serverSource('one') });
  const value = `a "b" 'c' $(touch no) \`touch no\` \\n\n${'x'.repeat(9_000)} é`;
  const env = ['PLAIN', 'name', 'IFS', '_own'].map((key) => ({ key, value }));
  const other = [
    { key: 'LANG', value: 'C' },
    { key: 'PATH', value: '/none' },
  ];
  const version = { ...versionOf('dep-1', {}), env: [...env, ...other] };
  await up(version);
  const seen = JSON.parse(await text(route(version.service.id).targets[0]?.port, '/env'));
  expect(seen).toMatchObject(Object.fromEntries(env.map(({ key }) => [key, value])));
  expect(seen['LANG']).toBe('C');
  expect(seen['PATH']).toMatch(/\/usr\/bin/);
  const names = Object.keys(seen).filter((name) => /STOA_GIVEN|__stoa/.test(name));
  expect(names).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  'variables that the loader obeys reach the tenant, and no program that runs as root',
  async () => {
    repo.commit({ 'server.mjs': serverSource('one') });
    const plainVersion = versionOf('dep-1', { buildCommand: 'exec /usr/bin/env' });
    const version = { ...plainVersion, env: [{ key: 'LD_DEBUG', value: 'files' }] };
    await host.fetch(version, never);
    expect(await host.build(version, plain)).toEqual({ ok: true });
    const log = readFileSync(host.runner.paths('build-dep-1').log, 'utf8');
    expect(log).toContain('calling init');
    expect(log).not.toContain('libcap-ng');
    expect(log.match(/initialize program: /g)).toHaveLength(1);
  },
);

test.runIf(process.getuid?.() === 0)(
  'a tenant sees neither the folders of others nor root, and cannot become it',
  async () => {
    const look = [
      `ls ${join(dir.path, 'hosting')} && exit 3`,
      'cat /proc/1/environ && exit 4',
      'test "$(id -u)" = 0 && exit 5',
      'grep -q "NoNewPrivs:.1" /proc/self/status || exit 6',
      'grep -q "CapBnd:.0000000000000000" /proc/self/status || exit 7',
      'touch ok',
    ].join('; ');
    repo.commit({ 'server.mjs': serverSource('one') });
    const version = versionOf('dep-1', { buildCommand: look });
    await host.fetch(version, never);
    expect(await host.build(version, plain)).toEqual({ ok: true });
    expect(host.isolation.sandbox).toBe('user');
  },
);

test('what was done under a name is not done again', async () => {
  repo.commit({ 'server.mjs': serverSource('one') });
  const version = versionOf('dep-1', { buildCommand: 'echo x >> built' });
  await host.fetch(version, never);
  repo.commit({ 'server.mjs': serverSource('two') });
  const again = await host.fetch(version, never);
  expect(again).toMatchObject({ commit: { message: 'A commit' } });
  for (let time = 0; time < 2; time += 1) await host.build(version, plain);
  const built = join(dir.path, 'hosting/services', version.service.id, 'releases/dep-1/tree/built');
  expect(readFileSync(built, 'utf8')).toBe('x\n');
});

test('a build that fails tells its code, one that is cut off is killed', async () => {
  repo.commit({ 'server.mjs': serverSource('one') });
  const bad = versionOf('dep-1', { buildCommand: 'echo no; exit 4' });
  await host.fetch(bad, never);
  expect(await host.build(bad, plain)).toEqual({ ok: false, reason: { nonZeroExit: 4 } });
  const long = versionOf('dep-2', { buildCommand: 'sleep 1000' });
  await host.fetch(long, never);
  const abort = new AbortController();
  const building = host.build(long, { clearCache: false, signal: abort.signal });
  abort.abort(new Error('cancelled'));
  await expect(building).rejects.toThrow('cancelled');
  expect(host.runner.getState('build-dep-2').state).not.toBe('running');
});

test('a program that does not answer well says what it answered', async () => {
  host = openHost(1_500);
  const sick =
    "import { createServer } from 'node:http'; createServer((_, answer) => { " +
    "answer.statusCode = 500; answer.end('out of order'); }).listen(Number(process.env.PORT));";
  repo.commit({ 'server.mjs': sick });
  const version = versionOf('dep-1', { healthCheckPath: '/env' });
  await host.fetch(version, never);
  await host.build(version, plain);
  const end = await host.start(version, once, never);
  expect(end).toMatchObject({ ok: false, reason: { timedOut: { seconds: 1.5 } } });
  expect(JSON.stringify(end)).toContain('/env responded with 500: out of order');
});

test('a program on a port of its own is told so in its log long before its start fails', async () => {
  host = openHost(4_000, 1_000);
  const fixed =
    "import { createServer } from 'node:http'; createServer().listen(0, '127.0.0.1', " +
    'function () { console.log(this.address().port); });';
  repo.commit({ 'server.mjs': fixed });
  const version = versionOf('dep-1', {});
  await host.fetch(version, never);
  await host.build(version, plain);
  const started = host.start(version, once, never);
  const name = `app-${once.instanceId}-1`;
  await expect.poll(() => readStartWarning(host.runner.paths(name))).toBeDefined();
  expect(host.runner.getState(name).state).toBe('running');
  const port = readFileSync(host.runner.paths(name).log, 'utf8').trim();
  const words = `it does not listen on PORT \\(\\d+\\); it listens on ${port}`;
  expect(readStartWarning(host.runner.paths(name))).toMatch(
    new RegExp(`^Not live 1 s after its start: ${words}. The start fails after 4 s.$`),
  );
  const { reason } = (await started) as { readonly reason: { readonly unhealthy: string } };
  expect(reason.unhealthy).toMatch(new RegExp(`^${words}$`));
});

test.runIf(HAS_IPV6)('a program that listens at ::1 alone is asked and routed there', async () => {
  repo.commit({ 'server.mjs': serverSource('six').replace("'127.0.0.1'", "'::1'") });
  const version = versionOf('dep-1', {});
  await up(version);
  expect(findListeningAddress(host, once.instanceId)).toEqual({
    address: '::1',
    port: route(version.service.id).targets[0]?.port,
  });
});

test('a program that ends before it is healthy tells how', async () => {
  repo.commit({ 'server.mjs': 'process.exit(3)' });
  const version = versionOf('dep-1', {});
  await host.fetch(version, never);
  await host.build(version, plain);
  expect(await host.start(version, once, never)).toEqual({
    ok: false,
    reason: { nonZeroExit: 3 },
  });
});

test('a program that died while it served tells how', async () => {
  repo.commit({ 'server.mjs': serverSource('one') });
  const version = versionOf('dep-1', {});
  await up(version);
  await text(route(version.service.id).targets[0]?.port, '/exit').catch(() => undefined);
  expect(await host.watch(once, never)).toEqual({
    reason: { nonZeroExit: 9 },
    isHostRestart: false,
  });
});

test('a runtime whose programs are missing fails the deploy at once and names them', async () => {
  repo.commit({ 'main.ex': '' });
  const version = versionOf('dep-1', { runtime: 'elixir' });
  const { elixir } = await host.runtimes();
  if (elixir.able) return;
  expect(await host.fetch(version, never)).toEqual({ ok: false, reason: { missing: 'elixir' } });
});

test('sources come from https, the folder of sources, or a push, and from nowhere else', async () => {
  repo.commit({ 'server.mjs': '' });
  symlinkSync('/etc', join(dir.path, 'sources', 'link'));
  const allowed = repo.path;
  await host.admit(serviceOf({ repo: allowed }));
  const refused = [
    ...['/etc', join(dir.path, 'sources', 'link'), join(dir.path, 'sources', '..', 'hosting')],
    ...['http://example.org/a', 'ssh://example.org/a', 'git://example.org/a', 'ext::sh -c id'],
    ...['https://me:secret@example.org/a', '--upload-pack=id', 'file:///etc'],
  ];
  for (const address of refused) {
    await expect(host.admit(serviceOf({ repo: address })), address).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  }
  for (const branch of ['-x', 'a..b', 'a b', '', 'a.lock', '/a', 'a\nb']) {
    const order = { ...serviceOf({ repo: allowed }), branch };
    await expect(host.admit(order), branch).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  }
  const foreign = serviceOf({ repo: 'https://example.org/a.git' });
  if (host.isolation.network === 'users') await host.admit(foreign);
  else await expect(host.admit(foreign)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('what is pushed is the source, and hooks of a repository are not run', async () => {
  const service = serviceOf({ repo: '' });
  const url = await host.pushUrl(service.id);
  expect(await host.pushUrl(service.id)).toBe(url);
  expect(await host.newestCommit(service)).toBe(null);
  const commit = repo.commit({ 'server.mjs': serverSource('pushed') });
  repo.git('push', '--quiet', url, 'main');
  expect(await host.newestCommit(service)).toBe(commit);
  const version = { ...versionOf('dep-1', {}), service, commitId: commit };
  expect(await host.fetch(version, never)).toMatchObject({ ok: true, commit: { id: commit } });
  expect(
    existsSync(join(dir.path, 'hosting/services', service.id, 'releases/dep-1/tree/.git')),
  ).toBe(false);
});

test('a site is served from its folder, and from no other', async () => {
  repo.commit({ 'public/index.html': 'hello' });
  repo.git('config', 'core.symlinks', 'true');
  symlinkSync('/etc', join(repo.path, 'away'));
  repo.commit({ 'x.txt': '' });
  const site = (publishPath: string, releaseId: string): HostedVersion => ({
    ...versionOf(releaseId, {}),
    service: {
      ...(staticSite as StaticSite),
      repo: repo.path,
      serviceDetails: { ...staticSite.serviceDetails, publishPath },
    },
  });
  const good = site('public', 'dep-1');
  await host.fetch(good, never);
  expect(await host.cutOver(good, [])).toEqual({ ok: true });
  expect(readdirSync(route(staticSite.id).files ?? '')).toEqual(['index.html']);
  for (const path of ['missing', '../..', 'away']) {
    const bad = site(path, 'dep-1');
    expect(await host.cutOver(bad, []), path).toMatchObject({ ok: false });
  }
});

test('of the builds of a service the newest five are kept', async () => {
  repo.commit({ 'public/index.html': 'hello' });
  for (let at = 1; at <= 7; at += 1) {
    const version = { ...versionOf(`dep-${at}`, {}), service: { ...staticSite, repo: repo.path } };
    await host.fetch(version, never);
    await host.cutOver(version, []);
  }
  const kept = readdirSync(join(dir.path, 'hosting/services', staticSite.id, 'releases'));
  expect(kept.sort()).toEqual(['dep-3', 'dep-4', 'dep-5', 'dep-6', 'dep-7']);
});

test('a plan that is larger than what is free is refused with what fits', async () => {
  repo.commit({ 'server.mjs': '' });
  const service = serviceOf({ repo: repo.path, plan: 'pro_ultra' });
  await expect(host.admit(service)).rejects.toMatchObject({
    code: 'HOST_CAPACITY',
    data: { received: 'pro_ultra', allowed: ['starter', 'standard'] },
  });
});

async function up(version: HostedVersion): Promise<void> {
  await host.fetch(version, never);
  await host.build(version, plain);
  expect(await host.start(version, once, never)).toEqual({ ok: true });
  await host.cutOver(version, [once.instanceId]);
}

function openHost(startMs = 60_000, warnMs = 30_000): LocalHost {
  return openLocalHost({
    folder: join(dir.path, 'hosting'),
    sources: { folder: join(dir.path, 'sources'), shared: ['hello'], workspaces: [] },
    trustsRepositories: false,
    env: process.env,
    clock: systemClock(),
    token: randomUUID,
    closing: never,
    plansInUse: async () => [],
    size: { cpus: 2, memoryMib: 4_096 },
    startTimes: { startMs, warnMs },
  });
}

function serviceOf(details: object): WebService {
  const { repo: address = repo.path, ...more } = details as { repo?: string };
  const serviceDetails = {
    ...webService.serviceDetails,
    healthCheckPath: '/',
    numInstances: 1,
    preDeployCommand: '',
    ...more,
  };
  return { ...webService, repo: address, serviceDetails };
}

function versionOf(releaseId: string, details: object): HostedVersion {
  const service = serviceOf({ startCommand: 'exec node server.mjs', ...details });
  return { service, releaseId, commitId: null, env: [] };
}

function route(serviceId: string): {
  readonly targets: readonly { readonly port: number }[];
  readonly files?: string;
} {
  return JSON.parse(readFileSync(join(dir.path, 'hosting/routes', `${serviceId}.json`), 'utf8'));
}

async function text(port: number | undefined, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}
