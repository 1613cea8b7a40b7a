import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPids } from '../../../src/providers/hosting/local/run/run-files.ts';
import { Runner } from '../../../src/providers/hosting/local/run/runner.ts';
import { type CgroupFiles, detectCgroups } from '../../../src/providers/sandbox/cgroups.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { hashFolderIdentity } from '../../../src/system/folder-mark.ts';
import { tempDir } from '../../support/temp-dir.ts';

const LIMITS = { cpu: 0.5, memoryMib: 512 };
const CONTROLLERS = 'cpuset cpu io memory hugetlb pids rdma misc\n';
const never = new AbortController().signal;

let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

test('on v2 groups stand beside the server’s own, with the limits of their plan', () => {
  const groups = detectCgroups(v2('/system.slice/stoa.service'));
  expect(groups.kind).toBe('v2');
  const group = join(dir.path, 'system.slice', 'stoa-run');
  expect(groups.createGroup('stoa-run', LIMITS)).toEqual([join(group, 'cgroup.procs')]);
  expect(text(dir.path, 'system.slice/cgroup.subtree_control')).toBe('+memory +pids +cpu');
  expect(text(group, 'memory.max')).toBe('536870912');
  expect(text(group, 'pids.max')).toBe('512');
  expect(text(group, 'cpu.max')).toBe('50000 100000');
  groups.createGroup('stoa-run', { cpu: 2, memoryMib: 1 });
  expect([text(group, 'memory.max'), text(group, 'cpu.max')]).toEqual(['1048576', '200000 100000']);
});

test('on v2 a server in the root group has its groups below it', () => {
  const groups = detectCgroups(v2('/'));
  expect(groups.createGroup('stoa-run', LIMITS)).toEqual([
    join(dir.path, 'stoa-run', 'cgroup.procs'),
  ]);
  expect(text(dir.path, 'cgroup.subtree_control')).toBe('+memory +pids +cpu');
});

test('on v2 processes, use and kills are read as the kernel writes them', () => {
  const groups = detectCgroups(v2('/own'));
  expect(groups.usage('stoa-run')).toBeUndefined();
  expect(groups.pids('stoa-run')).toEqual([]);
  expect(groups.wasOomKilled('stoa-run')).toBe(false);
  const group = join(dir.path, 'stoa-run');
  mkdirSync(group);
  write(group, {
    'cgroup.procs': '17\n4194303\n',
    'memory.current': '5000000\n',
    'memory.stat': 'anon 1\nactive_file 7\ninactive_file 1000000\nslab 3\n',
    'cpu.stat': 'usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n',
    'memory.events': 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n',
  });
  expect(groups.pids('stoa-run')).toEqual([17, 4_194_303]);
  expect(groups.usage('stoa-run')).toEqual({ memoryBytes: 4_000_000, cpuSeconds: 2.5 });
  expect(groups.wasOomKilled('stoa-run')).toBe(false);
  write(group, { 'memory.events': 'oom 1\noom_kill 1\n' });
  expect(groups.wasOomKilled('stoa-run')).toBe(true);
});

test('a group that is empty is removed, and one that the kernel keeps stays without complaint', () => {
  const groups = detectCgroups(v2('/own'));
  for (const name of ['empty', 'kept']) mkdirSync(join(dir.path, name));
  write(join(dir.path, 'kept'), { 'cgroup.procs': '17\n' });
  for (const name of ['empty', 'kept', 'never-made']) groups.remove(name);
  expect(existsSync(join(dir.path, 'empty'))).toBe(false);
  expect(existsSync(join(dir.path, 'kept'))).toBe(true);
});

test('on v2 a program is in its group before its first instruction', async () => {
  const cgroups = detectCgroups(v2('/own'));
  const clock = systemClock();
  const runs = join(dir.path, 'runs');
  const runner = new Runner({ runs, cgroups, clock, token: randomUUID, closing: never });
  const procs = join(dir.path, `stoa-${hashFolderIdentity(runs)}-one`, 'cgroup.procs');
  await runner.start('one', {
    service: 'srv-x',
    type: 'app',
    limits: LIMITS,
    // Its list is of the program itself, or would stay for ever in a folder that is no group.
    argv: ['/bin/sh', '-c', `cat ${procs}; : > ${procs}; exit 3`],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  expect(await runner.waitForEnd('one', never)).toMatchObject({ state: 'ended', code: 3 });
  const { pid } = readPids(runner.paths('one'));
  expect(pid).toBeGreaterThan(1);
  expect(readFileSync(runner.paths('one').log, 'utf8')).toBe(`${pid}\n`);
});

test.each([
  ['no controllers of ours', () => v2('/own', 'cpuset io\n')],
  ['no file of controllers', () => ({ root: dir.path, self: '0::/nowhere\n' })],
  ['groups that may not be made', () => v2('/own', CONTROLLERS, false)],
  ['nothing at all', () => ({ root: dir.path, self: '' })],
])('with %s the kernel gives no groups', (_what, place) => {
  const groups = detectCgroups(place());
  expect(groups.kind).toBe('none');
  expect(groups.createGroup('stoa-run', LIMITS)).toEqual([]);
});

test('where v2 has none of the controllers those of v1 are taken', () => {
  const lines = ['4:memory:/own', '3:pids:/own', '2:cpu,cpuacct:/own', '0::/own'];
  for (const controller of ['memory', 'pids', 'cpu', 'cpuacct']) {
    mkdirSync(join(dir.path, controller, 'own'), { recursive: true });
  }
  const groups = detectCgroups({ root: dir.path, self: lines.join('\n') });
  expect(groups.kind).toBe('v1');
  expect(groups.createGroup('stoa-run', LIMITS)).toHaveLength(4);
  expect(text(dir.path, 'memory/own/stoa-run/memory.limit_in_bytes')).toBe('536870912');
  expect(text(dir.path, 'pids/own/stoa-run/pids.max')).toBe('512');
  expect(text(dir.path, 'cpu/own/stoa-run/cpu.cfs_quota_us')).toBe('50000');
});

/** A folder that looks like groups of v2, with this process in one of them. */
function v2(own: string, controllers = CONTROLLERS, mayMake = true): CgroupFiles {
  const folder = join(dir.path, own);
  mkdirSync(folder, { recursive: true });
  write(folder, { 'cgroup.controllers': controllers });
  // A folder in its place cannot be written, by root neither.
  if (!mayMake) mkdirSync(join(folder, '..', 'cgroup.subtree_control'));
  return { root: dir.path, self: `0::${own}\n` };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, words] of Object.entries(files)) writeFileSync(join(folder, name), words);
}

function text(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
