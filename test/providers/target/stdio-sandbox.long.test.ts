import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { startCanaryListener } from '../../../src/providers/target/canary-listener.ts';
import { createTargetSandbox } from '../../../src/providers/target/stdio-sandbox.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { targetContract } from './target.contract.ts';

const SUPPORT = fileURLToPath(new URL('../../support/audits/', import.meta.url));
const limits = { requestsMax: 50, bytesMax: 4_000_000, totalMs: 100_000 };
const hostile = { kind: 'mcp_stdio', name: 'hostile' } as const;
const lacks = createTargetSandbox(undefined).lacks();
const isHere = lacks.length === 0;

let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => {
  vi.unstubAllEnvs();
  dir.remove();
});

/** A machine with what an operator has: a home, a data directory, secrets that everybody reads. */
async function operatorHere(isTrusted: boolean) {
  const at = (path: string) => join(dir.path, path);
  chmodSync(dir.path, 0o755);
  const folders = ['home', 'home/project/data', 'elsewhere'].map(at);
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o777 });
  for (const folder of folders) chmodSync(folder, 0o777);
  const files = folders.map((folder) => join(folder, 'secret'));
  for (const file of files) writeFileSync(file, 'secret of the operator', { mode: 0o666 });
  vi.stubEnv('HOME', at('home'));
  vi.stubEnv('STOA_SECRET_OF_OURS', 'secret of the operator');
  const program = at('home/project/server.mjs');
  copyFileSync(join(SUPPORT, 'hostile-program.mjs'), program);
  writeFileSync(at('home/project/package.json'), '{}');
  const tcp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  const path = createServer((socket) => socket.destroy()).listen(at('elsewhere/socket'));
  let heard = 0;
  const udp = createSocket('udp4').on('message', () => {
    heard += 1;
  });
  await new Promise<void>((done) => udp.bind(0, '127.0.0.1', done));
  chmodSync(at('elsewhere/socket'), 0o777);
  const command = { name: 'hostile', command: process.execPath, args: [program] };
  const owner = at('home/project/data');
  const targets = createAuditTargets({
    allowInternal: false,
    owner,
    commands: [isTrusted ? { ...command, isTrusted } : command],
  });
  const sleep = `${Date.now()}.${Math.floor(Math.random() * 1e6)}`;
  return {
    targets,
    sleep,
    project: at('home/project'),
    heard: () => heard,
    goals: {
      files: [...files, '/etc/shadow'],
      folders: [...folders, at('home/project'), '/root'],
      pids: [process.pid, process.ppid],
      udp: udp.address().port,
      sleep,
      ports: [(tcp.address() as { port: number }).port],
      socket: at('elsewhere/socket'),
      abstract: `stoa-${randomUUID()}`,
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of [tcp, path, udp]) one.close();
    },
  };
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n');
}

/** What a run may leave on the machine. */
function tracesHere(sleep: string) {
  const groups = ['', 'memory', 'pids', 'cpu'].flatMap((name) =>
    [join('/sys/fs/cgroup', name)].filter(existsSync).flatMap((folder) => {
      const all = readdirSync(folder, { recursive: name === 'memory', encoding: 'utf8' });
      return all.filter((each) => /stoa-audit-[^/]*$/.test(each));
    }),
  );
  const processes = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(sleep);
    } catch {
      return false;
    }
  });
  const homes = readdirSync(tmpdir()).filter((name) => name.startsWith('stoa-audit-'));
  return { groups, processes, homes, mounts: linesOf('/proc/self/mounts').length };
}

async function attack(isTrusted: boolean) {
  await using operator = await operatorHere(isTrusted);
  const before = tracesHere(operator.sleep);
  const target = await operator.targets.open(hostile, { limits, canarySeed: 'sandbox' });
  try {
    const connection = await target.connect({ deadlineMs: 60_000 });
    const home = readdirSync(tmpdir()).filter((name) => !before.homes.includes(name));
    const allowed = [operator.project, ...home.map((name) => join(tmpdir(), name))];
    const asked = { ...operator.goals, allowed };
    const told = await connection.request('try', asked, { deadlineMs: 90_000 });
    if (told.kind !== 'result') throw new Error(JSON.stringify(told));
    const got = Object.entries(told.result as Readonly<Record<string, string>>);
    const reached = Object.fromEntries(got.filter(([, word]) => word !== ''));
    const whileOpen = tracesHere(operator.sleep);
    await target.close();
    const after = tracesHere(operator.sleep);
    return { count: got.length, reached, heard: operator.heard(), before, whileOpen, after };
  } finally {
    await target.close();
    // Without a sandbox it leaves a process: nothing of this test may stay.
    for (const pid of tracesHere(operator.sleep).processes) process.kill(Number(pid), 'SIGKILL');
  }
}

test.runIf(isHere)('an audited program reaches nothing and leaves nothing', async () => {
  const { count, reached, heard, before, whileOpen, after } = await attack(false);
  // It was given its own program, which it may read and never write, and the way there.
  const own = `lists ${join(dir.path, 'home/project')}`;
  const way = `lists ${join(dir.path, 'home')}`;
  const { [own]: listed, [way]: folders, ...others } = reached;
  expect(others).toEqual({});
  expect(listed).toContain('server.mjs');
  expect(folders).toBe('project');
  expect(count).toBeGreaterThan(50);
  expect(heard).toBe(0);
  expect(whileOpen.processes.length).toBeGreaterThan(0);
  expect(whileOpen.groups.length).toBeGreaterThan(before.groups.length);
  expect(after.processes).toEqual([]);
  expect(after.groups.length).toBeLessThanOrEqual(before.groups.length);
  expect(after.mounts).toBe(before.mounts);
  expect(after.homes.length).toBeLessThanOrEqual(before.homes.length);
});

test.runIf(isHere)('the same program reaches all of it where it is trusted', async () => {
  const { reached, heard } = await attack(true);
  for (const path of ['home/secret', 'elsewhere/secret', 'home/project/data/secret']) {
    expect(reached).toHaveProperty([`reads ${join(dir.path, path)}`]);
    expect(reached).toHaveProperty([`writes ${join(dir.path, path)}`]);
  }
  const names = ['asks a socket', 'finds files of others', 'is outside of its groups'];
  for (const name of [...names, `sees ${process.pid}`, `signals ${process.pid}`]) {
    expect(reached).toHaveProperty([name]);
  }
  expect(Object.keys(reached).some((name) => name.startsWith('asks 127.0.0.1'))).toBe(true);
  expect(heard).toBe(1);
});

test.runIf(isHere)('of the network it has the listener of the audit alone', async () => {
  await using operator = await operatorHere(false);
  const listener = await startCanaryListener();
  const how = { limits, canarySeed: 'sandbox', listeners: listener.origins };
  const target = await operator.targets.open(hostile, how);
  try {
    const connection = await target.connect({ deadlineMs: 60_000 });
    for (const url of [listener.url('goal'), listener.redirect('guide')]) {
      const said = await connection.request('ask', { url }, { deadlineMs: 30_000 });
      expect(said).toMatchObject({ kind: 'result', result: expect.stringContaining('seen ') });
    }
    expect([listener.countHits('goal'), listener.countHits('guide')]).toEqual([1, 1]);
  } finally {
    await target.close();
    await listener.close();
  }
});

test.runIf(isHere)('a place that cannot be made leaves nothing and says why', async () => {
  const commands = [{ name: 'hostile', command: process.execPath, args: [], reads: ['/no/such'] }];
  const targets = createAuditTargets({ allowInternal: false, commands, owner: dir.path });
  const before = tracesHere('none');
  await expect(targets.open(hostile, { limits, canarySeed: 'x' })).rejects.toMatchObject({
    code: 'INTERNAL',
    data: { reason: expect.stringContaining('/no/such') },
  });
  const after = tracesHere('none');
  expect(after.groups.length).toBeLessThanOrEqual(before.groups.length);
  expect(after.homes.length).toBeLessThanOrEqual(before.homes.length);
});

if (isHere) {
  const command = process.execPath;
  const commands = [{ name: 'small', command, args: [join(SUPPORT, 'small-server.mjs')] }];
  const targets = createAuditTargets({ allowInternal: false, commands });
  targetContract(() => ({ targets, address: { kind: 'mcp_stdio', name: 'small' } }));
}

test('a machine without a sandbox refuses, and starts nothing, unless the program is trusted', async () => {
  const mark = join(dir.path, 'started');
  const args = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`];
  const program = { command: process.execPath, args };
  const sandbox = { lacks: () => ['perl', 'root on Linux'], open: refuseToOpen };
  const commands = [
    { name: 'hostile', ...program },
    { name: 'own', ...program, isTrusted: true },
  ];
  const targets = createAuditTargets({ allowInternal: false, commands, sandbox });
  expect(() => targets.requireOpenable(hostile)).toThrow(
    expect.objectContaining({
      code: 'NOT_CONFIGURED',
      message: expect.stringMatching(/lacks perl and root on Linux.*--trust-target/s),
      data: { received: 'hostile', lacks: ['perl', 'root on Linux'], allowed: '--trust-target' },
    }),
  );
  await expect(targets.open(hostile, { limits, canarySeed: 'x' })).rejects.toThrow('not open');
  expect(existsSync(mark)).toBe(false);
  targets.requireOpenable({ kind: 'mcp_stdio', name: 'own' });
  const own = await targets.open({ kind: 'mcp_stdio', name: 'own' }, { limits, canarySeed: 'x' });
  await own.connect().catch(() => undefined);
  await own.close();
  expect(existsSync(mark)).toBe(true);
});

async function refuseToOpen(): Promise<never> {
  throw new Error('not open');
}
