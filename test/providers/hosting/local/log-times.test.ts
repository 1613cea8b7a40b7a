import { randomUUID } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogIngest, NewLogLine } from '../../../../src/domain/hosting/telemetry/log-ingest.ts';
import { writeStartWarning } from '../../../../src/providers/hosting/local/run/run-files.ts';
import { Runner } from '../../../../src/providers/hosting/local/run/runner.ts';
import { openLogStamps } from '../../../../src/providers/hosting/local/telemetry/log-stamps.ts';
import { LogTail } from '../../../../src/providers/hosting/local/telemetry/log-tail.ts';
import { detectCgroups } from '../../../../src/providers/sandbox/cgroups.ts';
import { systemClock } from '../../../../src/runtime/timer/clock.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const clock = systemClock();
const never = new AbortController().signal;
let dir: ReturnType<typeof tempDir>;
let runner: Runner;
beforeEach(() => {
  dir = tempDir();
  runner = new Runner({
    runs: join(dir.path, 'runs'),
    clock,
    token: randomUUID,
    closing: never,
    cgroups: detectCgroups({ root: '/nowhere', self: '' }),
  });
});
afterEach(async () => {
  for (const name of runner.names()) await runner.stop(name, 0);
  dir.remove();
});

test('each line has the time at which its program wrote it, whenever it is taken in', async () => {
  // The program says when it writes, to the millisecond.
  const code =
    'use Time::HiRes; $| = 1; ' +
    'for (1 .. 5) { printf "%d\\n", Time::HiRes::time() * 1000; select undef, undef, undef, 0.3 }';
  writeFileSync(join(dir.path, 'write.pl'), code);
  await begin(`perl ${dir.path}/write.pl; echo last`);
  await runner.waitForEnd('run', never);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const taken = await takeAll();
  const stamped = taken.filter(({ message }) => /^\d+$/.test(message));
  expect(stamped).toHaveLength(5);
  const late = stamped.map(({ at = 0, message }) => at - Number(message));
  for (const ms of late) expect(ms).toBeGreaterThanOrEqual(0);
  // Each is read out of its pipe at once; on a busy machine one may wait for its turn.
  expect(Math.min(...late)).toBeLessThan(50);
  expect(Math.max(...late)).toBeLessThan(900);
  expect(new Set(stamped.map(({ at }) => at)).size).toBeGreaterThan(3);
  expect(taken.at(-1)).toMatchObject({ message: 'last' });
});

test('a line that is written in parts has the time of its beginning', async () => {
  await begin('printf begun; sleep 1; printf " ended\\nnext\\n"');
  await runner.waitForEnd('run', never);
  const [first, next] = await takeAll();
  expect(first?.message).toBe('begun ended');
  expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(800);
});

test('a flood is stamped by the piece, and no line is before the one that was written first', async () => {
  await begin('seq 1 20000');
  await runner.waitForEnd('run', never);
  const taken = await takeAll();
  expect(taken).toHaveLength(20_000);
  const times = taken.map(({ at = 0 }) => at);
  expect(times.every((ms, at) => ms > 0 && ms >= (times[at - 1] ?? 0))).toBe(true);
});

test('why a program is not live stands in its log once, beside what it writes', async () => {
  await begin('echo begun; sleep 1; echo later');
  writeStartWarning(runner.paths('run'), 'Not live 30 s after its start: nothing listens.');
  await runner.waitForEnd('run', never);
  const taken = await takeAll();
  expect(taken.map(({ message }) => message).sort()).toEqual([
    'Not live 30 s after its start: nothing listens.',
    'begun',
    'later',
  ]);
  const [warning] = taken.filter(({ level }) => level === 'warning');
  expect(warning).toMatchObject({ resource: 'srv-x', type: 'app' });
});

test('a place is found among any stamps: behind a hole, before the first one, in none', () => {
  const file = join(dir.path, 'stamps');
  expect(openLogStamps(file).find(5)).toBeUndefined();
  const write = (...pairs: readonly (readonly [number, number])[]): void => {
    for (const [place, ms] of pairs) {
      const stamp = Buffer.alloc(16);
      stamp.writeBigUInt64LE(BigInt(place), 0);
      stamp.writeBigUInt64LE(BigInt(ms), 8);
      appendFileSync(file, stamp);
    }
  };
  // A hole reads as zeros; its lines have no time.
  write([0, 0], [0, 0], [100, 7], [150, 8], [150, 9], [400, 10]);
  // One that is being written does not count.
  appendFileSync(file, Buffer.alloc(9, 255));
  using stamps = openLogStamps(file);
  const found = [0, 99, 100, 149, 150, 399, 400, 1_000_000].map((place) => stamps.find(place));
  expect(found).toEqual([undefined, undefined, 7, 7, 9, 9, 10, 10]);
});

async function begin(command: string): Promise<void> {
  await runner.start('run', {
    service: 'srv-x',
    type: 'app',
    limits: { cpu: 1, memoryMib: 64 },
    argv: ['/bin/sh', '-c', command],
    env: { PATH: process.env['PATH'] ?? '' },
  });
}

/** Everything that the program wrote, as it is handed to the store. */
async function takeAll(): Promise<readonly NewLogLine[]> {
  const lines: NewLogLine[] = [];
  const ends = new Map<string, number>();
  const logs: LogIngest = {
    storedUntil: (source) => ends.get(source) ?? 0,
    append: async (source, more) => {
      lines.push(...more);
      ends.set(source, more.at(-1)?.end ?? 0);
    },
    forget: async () => undefined,
  };
  const tail = new LogTail({ runner, logs, clock, notice: () => undefined });
  const size = () => lines.length;
  for (let before = -1; before < size(); ) {
    before = size();
    await tail.forwardAll();
  }
  await tail.stop();
  return lines;
}
