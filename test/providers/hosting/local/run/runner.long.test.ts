import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  belongsToRun,
  sendSignal,
} from '../../../../../src/providers/hosting/local/run/processes.ts';
import { getRunPaths, readPids } from '../../../../../src/providers/hosting/local/run/run-files.ts';
import { Runner, type RunOrder } from '../../../../../src/providers/hosting/local/run/runner.ts';
import { SHIM } from '../../../../../src/providers/hosting/local/run/shim.ts';
import { type Cgroups, detectCgroups } from '../../../../../src/providers/sandbox/cgroups.ts';
import { systemClock } from '../../../../../src/runtime/timer/clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const NONE = detectCgroups({ root: '/nowhere', self: '' });
const REAL = detectCgroups();
const KINDS: readonly (readonly [string, Cgroups])[] = [
  ['none', NONE],
  ...(REAL.kind === 'none' ? [] : [[REAL.kind, REAL] as const]),
];
const clock = systemClock();
const WAIT = { interval: 20, timeout: 20_000 };
const LIMITS = { cpu: 1, memoryMib: 64 };
const never = new AbortController().signal;

/** Ways in which a shell stands before a program. */
const BEHIND: readonly (readonly [string, (program: string) => string])[] = [
  ['a shell with more to do', (program) => `${program}; echo never`],
  ['a condition', (program) => `true && ${program} && echo never`],
  ['two shells', (program) => `sh -c "${program.replaceAll('"', '\\"')}; true"; true`],
  ['a pipe', (program) => `${program} | cat`],
  ['a session of its own', (program) => `setsid -w ${program}; true`],
];

let dir: ReturnType<typeof tempDir>;
let runner: Runner;
beforeEach(() => {
  dir = tempDir();
});
afterEach(async () => {
  for (const name of runner.names()) await runner.stop(name, 0);
  dir.remove();
});

describe.each(KINDS)('with groups of the kind %s', (_kind, cgroups) => {
  beforeEach(() => {
    runner = newRunner(cgroups);
  });

  test('a run tells its code and its lines', async () => {
    await begin('one', 'echo out; echo err >&2; exit 3');
    const end = await runner.waitForEnd('one', never);
    expect(end).toMatchObject({ state: 'ended', code: 3 });
    expect(runner.failureReason('one', end)).toEqual({ nonZeroExit: 3 });
    expect(readFileSync(runner.paths('one').log, 'utf8').split('\n').sort()).toEqual([
      '',
      'err',
      'out',
    ]);
  });

  test('the same name again is the same run, also when it has ended', async () => {
    const mark = join(dir.path, 'mark');
    for (let time = 0; time < 3; time += 1) await begin('twice', `echo x >> ${mark}`);
    await runner.waitForEnd('twice', never);
    await begin('twice', `echo x >> ${mark}`);
    expect(readFileSync(mark, 'utf8')).toBe('x\n');
  });

  test('another runner finds what runs, and sees its end', async () => {
    await begin('kept', 'while [ ! -e go ]; do sleep 0.05; done; exit 7', dir.path);
    const other = newRunner(cgroups);
    expect(other.getState('kept').state).toBe('running');
    await begin('go', 'touch go', dir.path);
    expect(await other.waitForEnd('kept', never)).toMatchObject({ code: 7 });
  });

  test('a program that heeds its signal ends by itself', async () => {
    await begin('polite', 'trap "exit 5" TERM; echo up; while :; do sleep 0.05; done');
    await expect.poll(() => logOf('polite'), WAIT).not.toBe('');
    await runner.stop('polite', 20_000);
    expect(runner.getState('polite')).toMatchObject({ state: 'ended', code: 5 });
  });

  test('what left its session and heeds nothing is killed with the rest', async () => {
    const stubborn = "trap '' TERM; while :; do sleep 0.05; done";
    await begin('tree', `setsid sh -c "${stubborn}" & echo up; ${stubborn}`);
    await expect.poll(() => runner.pids('tree').length, WAIT).toBeGreaterThanOrEqual(3);
    await runner.stop('tree', 200);
    expect(runner.pids('tree')).toEqual([]);
    expect(runner.getState('tree')).toMatchObject({ state: 'ended', code: 137 });
  });

  test('a run whose shim was killed is lost, and nothing of it stays', async () => {
    await begin('orphan', 'sleep 1000');
    const { shim } = readPids(runner.paths('orphan'));
    sendSignal(shim ?? 0, 'SIGKILL');
    const end = await runner.waitForEnd('orphan', never);
    expect(end).toMatchObject({ state: 'lost', isHostRestart: false });
    await runner.stop('orphan', 0);
    expect(runner.pids('orphan')).toEqual([]);
  });

  test('waiting ends with its signal, and the run goes on', async () => {
    await begin('long', 'sleep 1000');
    const abort = new AbortController();
    const ended = runner.waitForEnd('long', abort.signal);
    abort.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    expect(runner.getState('long').state).toBe('running');
  });
});

describe.each(KINDS)('time to end, groups %s', (_kind, cgroups) => {
  beforeEach(() => {
    runner = newRunner(cgroups);
  });

  test.each(BEHIND)('a program behind %s has the time to end', async (_name, wrap) => {
    const mark = join(dir.path, 'mark');
    await begin('shelled', wrap(slowToEnd(mark)));
    await expect.poll(() => logOf('shelled'), WAIT).toContain('up');
    await runner.stop('shelled', 20_000);
    expect(readFileSync(mark, 'utf8')).toBe('asked\nfinished\n');
    expect(logOf('shelled')).toBe('up\n');
    expect(runner.pids('shelled')).toEqual([]);
  });

  test('time to end counts from the first request, also for another runner', async () => {
    const mark = join(dir.path, 'mark');
    await begin('twice', `true && ${slowToEnd(mark, 60)}`);
    await expect.poll(() => logOf('twice'), WAIT).toContain('up');
    const begun = Date.now();
    await Promise.all([runner.stop('twice', 4_000), later(() => newRunner(cgroups), 'twice')]);
    expect(Date.now() - begun).toBeGreaterThan(3_900);
    expect(Date.now() - begun).toBeLessThan(40_000);
    expect(readFileSync(mark, 'utf8')).toBe('asked\n');
    expect(runner.pids('twice')).toEqual([]);
  });
});

test.each(KINDS)('a copy finds nothing of the original, groups %s', async (_kind, cgroups) => {
  runner = newRunner(cgroups);
  await begin('one', 'sleep 60');
  // Programs that only begin it come and go.
  await expect.poll(() => runner.pids('one').map(nameProgram)).toContain('sleep');
  cpSync(join(dir.path, 'runs'), join(dir.path, 'copied'), {
    recursive: true,
    filter: (path) => /(runs|copied|one|run.json|shim|pid)$/.test(path),
  });
  const copy = newRunner(cgroups, 'copied');
  expect(copy.getState('one')).toMatchObject({ state: 'lost', isHostRestart: true });
  expect(copy.pids('one')).toEqual([]);
  await copy.stop('one', 0);
  await copy.evict('one', 'no room');
  await copy.start('one', orderOf('sleep 60'));
  expect(copy.getState('one').state).toBe('running');
  const [own, theirs] = [runner.pids('one'), copy.pids('one')];
  expect(own.filter((pid) => theirs.includes(pid))).toEqual([]);
  await copy.stop('one', 0);
  copy.simulateHostRestart('one');
  copy.removeFiles('one');
  expect(runner.getState('one').state).toBe('running');
  expect(runner.pids('one')).toEqual(own);
});

test('what runs is found again under another name of its folder', async () => {
  runner = newRunner(NONE);
  await begin('one', 'sleep 60');
  renameSync(join(dir.path, 'runs'), join(dir.path, 'renamed'));
  runner = newRunner(NONE, 'renamed');
  expect(runner.getState('one').state).toBe('running');
});

test.runIf(REAL.kind !== 'none')('memory beyond the limit ends a run and is told', async () => {
  runner = newRunner(REAL);
  await begin('hog', 'head -c 200000000 /dev/zero | tail');
  const end = await runner.waitForEnd('hog', never);
  expect(runner.failureReason('hog', end)).toEqual({ oomKilled: { memoryLimitMib: 64 } });
});

test('a number that another process has by now is not taken for the run', () => {
  runner = newRunner(NONE);
  expect(belongsToRun(process.pid, 'another-run')).toBe(false);
});

const SHELLS = ['/bin/bash', '/bin/sh'].filter((shell) => existsSync(shell));

test.each(SHELLS)(
  'a shim in %s hands no file that its starter has open to the program',
  (shell) => {
    runner = newRunner(NONE);
    const { folder } = getRunPaths(dir.path, 'open');
    mkdirSync(folder, { recursive: true });
    const file = openSync(join(dir.path, 'secret'), 'w');
    const run = (count: number) => {
      // Descriptors named in stdio lose the mark that closes them: these are open in the shim.
      const others = Array.from({ length: count }, () => file);
      const program = ['/bin/sh', '-c', `ls -l /proc/self/fd > ${dir.path}/list`];
      return spawnSync(shell, ['-c', SHIM, 'stoa', folder, '', ...program], {
        stdio: ['ignore', 'ignore', 'inherit', ...others],
        timeout: 20_000,
      });
    };
    for (const count of [7, 12, 40]) {
      rmSync(join(dir.path, 'list'), { force: true });
      rmSync(join(folder, 'pipe'), { force: true });
      const { status } = run(count);
      const isRefused = status === 126 && !existsSync(join(dir.path, 'list'));
      // Only the shell that cannot name a descriptor of two digits may refuse.
      expect(isRefused).toBe(isRefused && shell === '/bin/sh' && count > 7);
      if (isRefused) continue;
      expect(status).toBe(0);
      expect(readFileSync(join(dir.path, 'list'), 'utf8')).not.toContain('secret');
    }
    closeSync(file);
  },
);

/** A program that notes each signal, takes some seconds to end, and notes that it did. */
function slowToEnd(mark: string, seconds = 3): string {
  const code =
    `$SIG{TERM} = sub { open F, ">>${mark}"; print F "asked\\n"; close F; $t = 1 }; ` +
    '$| = 1; print "up\\n"; sleep 1 until $t; ' +
    `$end = time + ${seconds}; sleep 1 until time >= $end; ` +
    `open F, ">>${mark}"; print F "finished\\n"`;
  writeFileSync(`${mark}.pl`, code);
  return `perl ${mark}.pl`;
}

async function later(make: () => Runner, name: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await make().stop(name, 4_000);
}

function logOf(name: string): string {
  return readFileSync(runner.paths(name).log, 'utf8');
}

function newRunner(cgroups: Cgroups, runs = 'runs'): Runner {
  return new Runner({
    runs: join(dir.path, runs),
    cgroups,
    clock,
    token: randomUUID,
    closing: never,
  });
}

async function begin(name: string, command: string, folder = '/'): Promise<void> {
  await runner.start(name, orderOf(`cd ${folder}; ${command}`));
}

const orderOf = (command: string): RunOrder => ({
  service: 'srv-x',
  type: 'app',
  limits: LIMITS,
  argv: ['/bin/sh', '-c', command],
  env: { PATH: process.env['PATH'] ?? '' },
});

function nameProgram(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
