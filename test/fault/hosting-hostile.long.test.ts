import { randomInt, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StaticSite, WebService } from '../../src/domain/hosting/records.ts';
import type { HostedVersion } from '../../src/domain/hosting/service-host.ts';
import { detectIsolation, listMissing } from '../../src/providers/hosting/local/isolation.ts';
import { type LocalHost, openLocalHost } from '../../src/providers/hosting/local/local-host.ts';
import { LogTail } from '../../src/providers/hosting/local/telemetry/log-tail.ts';
import { systemClock } from '../../src/runtime/timer/clock.ts';
import { openHostingLogs } from '../../src/store/hosting/hosting-logs.ts';
import { staticSite, webService } from '../../src/testing/plans/hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { tempDir } from '../support/temp-dir.ts';

const TIMEOUT = { timeout: 300_000 };
const canBind = listMissing(detectIsolation(process.env)).length === 0;
const BLOCK_BYTES = 512;
/** The bound of a tenant's processes, and the shell that waits for them. */
const PIDS_MAX = 513;
const LOG_BYTES_MAX = 2 * 1024 ** 3;
const FLOOD_MS = 10_000;
/** What is printed while nobody reads, and the room that it may take. */
const FLOOD_BYTES = 600 * 1024 ** 2;
const AWAY_BYTES_MAX = 128 * 1024 ** 2;

let dir: ReturnType<typeof tempDir>;
let host: LocalHost;
let repo: ReturnType<typeof repository>;
let mark = '';

beforeEach(() => {
  mark = String(randomInt(1e8, 1e9));
  dir = tempDir();
  chmodSync(dir.path, 0o755);
  host = openLocalHost({
    folder: join(dir.path, 'local'),
    sources: { folder: join(dir.path, 'sources'), shared: ['hostile'], workspaces: [] },
    trustsRepositories: false,
    env: process.env,
    clock: systemClock(),
    startTimes: { startMs: 20_000 },
    token: randomUUID,
    closing: new AbortController().signal,
    plansInUse: async () => [],
  });
  repo = repository(join(dir.path, 'sources', 'hostile'));
});
afterEach(async () => {
  for (const name of host.runner.names()) await host.runner.kill(name);
  dir.remove();
});

// Hostile programs run only where the kernel holds what they try.
const hostile = test.runIf(canBind);

hostile(
  'a repository that forks without end stays below its bound, and nothing of it stays',
  TIMEOUT,
  async () => {
    repo.commit({ 'bomb.sh': `(while :; do sleep ${mark} & done)\nsleep ${mark}\n` });
    const end = new AbortController();
    const built = build('sh bomb.sh', end.signal);
    const most = await greatest(() => processesOf(mark), FLOOD_MS);
    expect(most).toBeGreaterThan(PIDS_MAX / 4);
    expect(most).toBeLessThanOrEqual(PIDS_MAX);
    end.abort(new Error('canceled'));
    await expect(built).rejects.toThrow('canceled');
    expect(processesOf(mark)).toBe(0);
  },
);

hostile(
  'a repository that builds without end is ended with all that left its session',
  TIMEOUT,
  async () => {
    repo.commit({ 'README.md': 'nothing' });
    const end = new AbortController();
    const loop = `while :; do sleep ${mark}; done`;
    const command = `setsid sh -c "trap : TERM; ${loop}" & ${loop}`;
    const built = build(command, end.signal);
    await until(async () => processesOf(mark) > 1);
    end.abort(new Error('canceled'));
    await expect(built).rejects.toThrow('canceled');
    expect(processesOf(mark)).toBe(0);
  },
);

hostile('a repository that takes memory without end is killed and told so', TIMEOUT, async () => {
  repo.commit({ 'eat.mjs': 'const all = []; for (;;) all.push(Buffer.alloc(1 << 26, 1));' });
  const end = await build('exec node eat.mjs', new AbortController().signal);
  expect(end).toEqual({ ok: false, reason: { oomKilled: { memoryLimitMib: 2_048 } } });
});

hostile(
  'a repository that floods its log fills no disk, and the lines of others are read',
  TIMEOUT,
  async () => {
    repo.commit({ 'README.md': 'nothing' });
    const logs = openHostingLogs({ path: join(dir.path, 'logs') });
    const tail = new LogTail({ runner: host.runner, logs, clock: systemClock(), notice: () => {} });
    try {
      const end = new AbortController();
      const flood = build('yes 0123456789', end.signal);
      const quiet = versionOf('srv-quiet', 'dep-quiet', 'echo quiet; sleep 600');
      await host.fetch(quiet, end.signal);
      const other = host.build(quiet, { clearCache: false, signal: end.signal });
      other.catch(() => undefined);
      const most = await greatest(() => bytesOfLogs(), FLOOD_MS);
      await until(async () => (await linesOf(logs, 'srv-quiet')).length > 0);
      end.abort(new Error('canceled'));
      await expect(flood).rejects.toThrow('canceled');
      process.stdout.write(`the log took ${Math.round(most / 1024 ** 2)} MiB at most\n`);
      expect(most).toBeLessThan(LOG_BYTES_MAX);
      expect(await linesOf(logs, 'srv-quiet')).toEqual(['quiet']);
      const told = await linesOf(logs, 'srv-hostile', '/were skipped|lines dropped/');
      expect(told.length).toBeGreaterThan(0);
    } finally {
      await tail.stop();
      await logs.close();
    }
  },
);

hostile(
  'a log that is flooded while the server is away takes bounded room, and its end is read',
  TIMEOUT,
  async () => {
    repo.commit({ 'README.md': 'nothing' });
    const line = 'y'.repeat(120);
    const flood = `yes ${line} | head -c ${FLOOD_BYTES}; echo; echo the end`;
    const built = build(flood, new AbortController().signal);
    let isOver = false;
    void built.finally(() => {
      isOver = true;
    });
    let most = 0;
    while (!isOver) {
      most = Math.max(most, bytesOfLogs());
      await new Promise((done) => setTimeout(done, 20));
    }
    expect(await built).toEqual({ ok: true });
    process.stdout.write(`the log took ${Math.round(most / 1024 ** 2)} MiB at most\n`);
    expect(most).toBeLessThan(AWAY_BYTES_MAX);
    expect(most).toBeGreaterThan(AWAY_BYTES_MAX / 8);
    const logs = openHostingLogs({ path: join(dir.path, 'logs') });
    const tail = new LogTail({ runner: host.runner, logs, clock: systemClock(), notice: () => {} });
    try {
      await until(async () => (await linesOf(logs, 'srv-hostile', 'the end')).length > 0);
      expect((await linesOf(logs, 'srv-hostile', '/were skipped/')).length).toBe(1);
    } finally {
      await tail.stop();
      await logs.close();
    }
  },
);

hostile(
  'a repository reads neither the folder of hosting nor what another service has',
  TIMEOUT,
  async () => {
    repo.commit({ 'secret.txt': 'a secret' });
    const victim = versionOf('srv-victim', 'dep-victim', 'chmod -R go-rwx .');
    const signal = new AbortController().signal;
    await host.fetch(victim, signal);
    expect(await host.build(victim, { clearCache: false, signal })).toEqual({ ok: true });
    const tree = join(dir.path, 'local/services/srv-victim/releases/dep-victim/tree');
    expect(existsSync(join(tree, 'secret.txt'))).toBe(true);
    const steps = [
      `! cat ${tree}/secret.txt`,
      `! ls ${join(dir.path, 'local')}`,
      '! ls /mnt/../mnt/x',
    ];
    expect(await build(steps.join(' && '), signal)).toEqual({ ok: true });
  },
);

hostile('a repository that publishes a link out of its build is not served', TIMEOUT, async () => {
  repo.commit({ 'README.md': 'nothing' });
  symlinkSync('/etc', join(repo.path, 'site'));
  repo.commit({});
  const service: StaticSite = {
    ...staticSite,
    id: 'srv-site',
    repo: repo.path,
    branch: 'main',
    serviceDetails: { ...staticSite.serviceDetails, buildCommand: 'true', publishPath: 'site' },
  };
  const version: HostedVersion = { service, releaseId: 'dep-site', commitId: null, env: [] };
  const signal = new AbortController().signal;
  await host.fetch(version, signal);
  await host.build(version, { clearCache: false, signal });
  expect(await host.cutOver(version, [])).toEqual({
    ok: false,
    reason: { missing: 'the folder of publishPath' },
  });
});

hostile('a repository that takes another service’s port is not taken for it', TIMEOUT, async () => {
  repo.commit({
    'squat.mjs': `import { createServer } from 'node:http';
import { readdirSync } from 'node:fs';
for (let port = 30000; port < 31000; port += 1) {
  createServer((_a, b) => b.end('squatted')).on('error', () => {}).listen(port, '127.0.0.1');
}
createServer((_a, b) => b.end('own')).listen(process.env.PORT, '127.0.0.1');`,
    'silent.sh': 'sleep 1000',
  });
  const signal = new AbortController().signal;
  const squatter = started('srv-squat', 'exec node squat.mjs');
  await host.fetch(squatter, signal);
  expect(await host.start(squatter, { instanceId: 'srv-squat-a', start: 1 }, signal)).toEqual({
    ok: true,
  });
  const silent = started('srv-silent', 'sh silent.sh');
  await host.fetch(silent, signal);
  const end = await host.start(silent, { instanceId: 'srv-silent-a', start: 1 }, signal);
  expect(end).toMatchObject({
    ok: false,
    reason: { unhealthy: expect.stringMatching(/^it does not listen on PORT/) },
  });
});

/** Fetches and builds the repository. */
async function build(command: string, signal: AbortSignal) {
  const version = versionOf('srv-hostile', 'dep-hostile', command);
  await host.fetch(version, signal);
  return host.build(version, { clearCache: false, signal });
}

function versionOf(id: string, releaseId: string, buildCommand: string): HostedVersion {
  const plain = webService;
  const serviceDetails = { ...plain.serviceDetails, buildCommand } as WebService['serviceDetails'];
  const service = { ...plain, id, repo: repo.path, branch: 'main', serviceDetails };
  return { service, releaseId, commitId: null, env: [] };
}

function started(id: string, startCommand: string): HostedVersion {
  const version = versionOf(id, `dep-${id}`, 'true');
  const { service } = version;
  const serviceDetails = { ...service.serviceDetails, startCommand };
  return { ...version, service: { ...service, serviceDetails } as WebService };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The greatest of what is seen in a time. */
async function greatest(look: () => number, ms: number): Promise<number> {
  const end = Date.now() + ms;
  let most = 0;
  while (Date.now() < end) {
    most = Math.max(most, look());
    await new Promise((done) => setTimeout(done, 50));
  }
  return most;
}

/** Processes that have a word in their command line; what has ended has none any more. */
function processesOf(word: string): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  }).length;
}

/** Bytes that logs of runs take on the disk. */
function bytesOfLogs(): number {
  const sizes = host.runner.names().map((name) => {
    const stat = statSync(host.runner.paths(name).log, { throwIfNoEntry: false });
    return (stat?.blocks ?? 0) * BLOCK_BYTES;
  });
  return Math.max(0, ...sizes);
}

async function linesOf(
  logs: ReturnType<typeof openHostingLogs>,
  resource: string,
  text?: string,
): Promise<readonly string[]> {
  const times = {
    startTime: new Date(Date.now() - 3_600_000).toISOString(),
    endTime: new Date(Date.now() + 60_000).toISOString(),
  };
  const filters = text === undefined ? {} : { text: [text] };
  const query = { resource: [resource], direction: 'forward', limit: 10, ...times } as const;
  const page = await logs.query({ ...query, ...filters });
  return page.logs.map(({ message }) => message);
}
