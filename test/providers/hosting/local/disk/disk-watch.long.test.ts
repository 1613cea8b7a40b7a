import { randomUUID } from 'node:crypto';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DiskAmount, DiskUsage } from '../../../../../src/domain/hosting/disk.ts';
import {
  type DiskBounds,
  DiskWatch,
} from '../../../../../src/providers/hosting/local/disk/disk-watch.ts';
import { measureFolders } from '../../../../../src/providers/hosting/local/disk/usage.ts';
import { type Layout, openLayout } from '../../../../../src/providers/hosting/local/layout.ts';
import { Runner } from '../../../../../src/providers/hosting/local/run/runner.ts';
import { detectCgroups } from '../../../../../src/providers/sandbox/cgroups.ts';
import { systemClock } from '../../../../../src/runtime/timer/clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const TIMEOUT = { timeout: 240_000 };
const MIB = 1_048_576;
const CAP_BYTES = 24 * MIB;
const CAP: DiskAmount = { bytes: CAP_BYTES, files: 1_000 };
/** Room that nobody fills. */
const AMPLE: DiskAmount = { bytes: 1_024 ** 4, files: 1_024 ** 3 };
const NONE: DiskAmount = { bytes: 0, files: 0 };
/** Writes a MiB each few milliseconds, up to ten times the cap. */
const FILLED_BYTES = 240 * MIB;
const FILLER = `for n in $(seq 240); do head -c ${MIB} /dev/zero >> filler; sleep 0.02; done; sleep 60`;
/** Makes 1,500 empty files each half second, up to a hundred times the cap. */
const MAKER =
  'for b in $(seq 66); do for n in $(seq 1500); do : > "f$b-$n"; done; sleep 0.5; done; sleep 60';
const never = new AbortController().signal;

let dir: ReturnType<typeof tempDir>;
let layout: Layout;
let runner: Runner;
let watch: DiskWatch | undefined;
let notices: string[];
let atRest: readonly string[];
let told: (id: string, usage: DiskUsage) => void;
beforeEach(() => {
  dir = tempDir();
  notices = [];
  atRest = [];
  told = () => undefined;
  layout = openLayout(join(dir.path, 'local'));
  const parts = { cgroups: detectCgroups(), clock: systemClock(), token: randomUUID };
  runner = new Runner({ runs: layout.runs, ...parts, closing: never });
});
afterEach(async () => {
  await watch?.stop();
  watch = undefined;
  for (const name of runner.names()) await runner.stop(name, 0);
  dir.remove();
});

test(
  'whoever fills the disk is ended near the cap, with the reason; neighbours go on',
  TIMEOUT,
  async () => {
    await begin('srv-filler', 'app-filler', FILLER);
    await begin('srv-neighbour', 'app-neighbour', 'head -c 8388608 /dev/zero > own; sleep 60');
    open({ measureMs: 100 });
    const end = await runner.waitForEnd('app-filler', never);
    const reason = runner.failureReason('app-filler', end);
    expect(reason?.evicted).toMatch(/^disk quota exceeded: \d+ MiB of 24 MiB$/);
    expect(await used('srv-filler')).toBeGreaterThan(CAP_BYTES);
    expect(await used('srv-filler')).toBeLessThan(FILLED_BYTES);
    expect(runner.getState('app-neighbour').state).toBe('running');
    // Whoever waits for the end hears of it before the notice is written.
    await expect.poll(() => notices).toEqual([expect.stringContaining('stopped srv-filler')]);
  },
);

test('of a service that builds the build is ended, and what serves goes on', TIMEOUT, async () => {
  await begin('srv-one', 'app-one', 'sleep 60');
  await begin('srv-one', 'build-one', FILLER, 'build');
  open({ measureMs: 100 });
  const end = await runner.waitForEnd('build-one', never);
  expect(runner.failureReason('build-one', end)).toMatchObject({ evicted: expect.any(String) });
  expect(runner.getState('app-one').state).toBe('running');
});

test('what is written fast is seen before the time to measure has come', TIMEOUT, async () => {
  open({ measureMs: 600_000, growth: { ...AMPLE, bytes: 4 * MIB } });
  await begin('srv-filler', 'app-filler', FILLER);
  const end = await runner.waitForEnd('app-filler', never);
  expect(runner.failureReason('app-filler', end)?.evicted).toContain('disk quota');
});

test(
  'below the reserve whoever grows most is ended, and nobody who does not grow',
  TIMEOUT,
  async () => {
    const { bavail, bsize } = statfsSync(dir.path);
    await begin('srv-calm', 'app-calm', 'head -c 16777216 /dev/zero > own; sleep 60');
    // What it writes before anybody looks is no growth.
    await expect.poll(() => used('srv-calm'), { timeout: 60_000 }).toBeGreaterThanOrEqual(16 * MIB);
    open({ measureMs: 100, reserve: { ...NONE, bytes: bavail * bsize * 2 } }, () => AMPLE);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(runner.getState('app-calm').state).toBe('running');
    await begin('srv-filler', 'app-filler', FILLER);
    const end = await runner.waitForEnd('app-filler', never);
    const { evicted } = runner.failureReason('app-filler', end) ?? {};
    expect(evicted).toMatch(/^machine disk nearly full; largest growth \(\d+ MiB\)$/);
    expect(runner.getState('app-calm').state).toBe('running');
  },
);

test('somebody without a cap is ended by nothing but the reserve', TIMEOUT, async () => {
  await begin('srv-free', 'app-free', `head -c ${4 * CAP_BYTES} /dev/zero > own; sleep 60`);
  open({ measureMs: 50 }, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(runner.getState('app-free').state).toBe('running');
});

test('a file with two names counts once, a hole not at all, and a folder that is gone is unknown', async () => {
  const folder = join(dir.path, 'measured');
  mkdirSync(folder);
  await begin(
    'srv-x',
    'run-x',
    `cd ${folder}; head -c ${MIB} /dev/zero > a; ln a b; truncate -s 1G hole`,
  );
  await runner.waitForEnd('run-x', never);
  const used = await measureFolders([folder], never);
  expect(used?.bytes).toBeGreaterThanOrEqual(MIB);
  expect(used?.bytes).toBeLessThan(2 * MIB);
  // The folder itself, `a` and the hole.
  expect(used?.files).toBe(3);
  expect(await measureFolders([folder, join(dir.path, 'none')], never)).toBeUndefined();
});

test(
  'whoever makes more files than its plan has is ended, however empty they are',
  TIMEOUT,
  async () => {
    await begin('srv-files', 'app-files', MAKER);
    open({ measureMs: 100 });
    const end = await runner.waitForEnd('app-files', never);
    const { evicted } = runner.failureReason('app-files', end) ?? {};
    expect(evicted).toMatch(/^disk quota exceeded: \d+ of 1000 files$/);
  },
);

test('many new files are seen before the time to measure has come', TIMEOUT, async () => {
  open({ measureMs: 600_000, growth: { ...AMPLE, files: 500 } });
  await begin(
    'srv-files',
    'app-files',
    'sleep 1; for n in $(seq 3000); do : > "f$n"; done; sleep 60',
  );
  const end = await runner.waitForEnd('app-files', never);
  const { evicted } = runner.failureReason('app-files', end) ?? {};
  expect(evicted).toMatch(/^disk quota exceeded: \d+ of \d+ files$/);
});

test(
  'with few files free on the machine whoever makes most of them is ended',
  TIMEOUT,
  async () => {
    const { ffree } = statfsSync(dir.path);
    await begin('srv-calm', 'app-calm', FILLER);
    open({ measureMs: 100, reserve: { ...NONE, files: ffree * 2 } }, () => AMPLE);
    await begin('srv-files', 'app-files', MAKER);
    const end = await runner.waitForEnd('app-files', never);
    const { evicted } = runner.failureReason('app-files', end) ?? {};
    expect(evicted).toMatch(/^machine disk nearly out of inodes; largest growth \(\d+ files\)$/);
    expect(runner.getState('app-calm').state).toBe('running');
  },
);

test('what was pushed to a service counts as its own', TIMEOUT, async () => {
  mkdirSync(layout.repository('srv-pushed'), { recursive: true });
  writeFileSync(join(layout.repository('srv-pushed'), 'pack'), Buffer.alloc(CAP_BYTES, 1));
  await begin('srv-pushed', 'app-pushed', 'sleep 60');
  await begin('srv-other', 'app-other', 'sleep 60');
  open({ measureMs: 100 });
  const end = await runner.waitForEnd('app-pushed', never);
  expect(runner.failureReason('app-pushed', end)?.evicted).toMatch(
    /^disk quota exceeded: 2[45] MiB of 24 MiB/,
  );
  expect(runner.getState('app-other').state).toBe('running');
});

test('who is asked for is measured at rest, and nobody else is', TIMEOUT, async () => {
  for (const id of ['srv-asked', 'srv-quiet']) {
    mkdirSync(layout.service(id));
    writeFileSync(join(layout.service(id), 'own'), Buffer.alloc(2 * CAP_BYTES, 1));
  }
  const seen = new Map<string, DiskUsage>();
  told = (id, usage) => seen.set(id, usage);
  atRest = ['srv-asked'];
  open({ measureMs: 50 });
  await expect.poll(() => seen.size, { timeout: 30_000 }).toBe(1);
  expect(seen.get('srv-asked')?.room).toEqual(CAP);
  expect(seen.get('srv-asked')?.used.files).toBe(2);
  expect(seen.get('srv-asked')?.used.bytes).toBeGreaterThanOrEqual(2 * CAP_BYTES);
  // There is nobody to end, however much it has.
  expect(notices).toEqual([]);
});

test('a history that cannot be written keeps nobody over its room', TIMEOUT, async () => {
  told = () => {
    throw new Error('the store is full');
  };
  mkdirSync(layout.service('srv-first'));
  atRest = ['srv-first'];
  await begin('srv-filler', 'app-filler', FILLER);
  open({ measureMs: 100 });
  const end = await runner.waitForEnd('app-filler', never);
  expect(runner.failureReason('app-filler', end)?.evicted).toContain('disk quota');
  expect(notices).toContain('disk: the store is full');
});

function open(bounds: Partial<DiskBounds>, cap: () => DiskAmount | undefined = () => CAP): void {
  watch = new DiskWatch({
    layout,
    runner,
    capOf: async () => cap(),
    notice: (line) => void notices.push(line),
    listIdle: async () => atRest,
    onMeasured: async (id, usage) => {
      told(id, usage);
    },
    bounds: { lookMs: 50, reserve: NONE, ...bounds },
  });
}

async function begin(
  service: string,
  name: string,
  script: string,
  type: 'app' | 'build' = 'app',
): Promise<void> {
  const folder = layout.service(service);
  mkdirSync(folder, { recursive: true });
  await runner.start(name, {
    service,
    type,
    limits: { cpu: 1, memoryMib: 256 },
    argv: ['sh', '-c', `cd ${folder}; ${script}`],
    env: { PATH: process.env['PATH'] ?? '' },
  });
}

async function used(id: string): Promise<number> {
  return (await measureFolders([layout.service(id)], never))?.bytes ?? Number.NaN;
}
