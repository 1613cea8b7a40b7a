import { randomUUID } from 'node:crypto';
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCgroups } from '../../../../../src/providers/hosting/local/cgroups.ts';
import {
  type DiskBounds,
  DiskWatch,
} from '../../../../../src/providers/hosting/local/disk/disk-watch.ts';
import { measureFolder } from '../../../../../src/providers/hosting/local/disk/usage.ts';
import { Keeper } from '../../../../../src/providers/hosting/local/keeper.ts';
import { type Layout, openLayout } from '../../../../../src/providers/hosting/local/layout.ts';
import { systemClock } from '../../../../../src/runtime/clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const TIMEOUT = { timeout: 60_000 };
const MIB = 1_048_576;
const CAP_BYTES = 24 * MIB;
/** What may be written between two looks of the tests, at the pace of the filler. */
const SLACK_BYTES = 64 * MIB;
/** Writes a MiB each few milliseconds, up to ten times the cap. */
const FILLER = `for n in $(seq 240); do head -c ${MIB} /dev/zero >> filler; sleep 0.02; done; sleep 60`;
const never = new AbortController().signal;

let dir: ReturnType<typeof tempDir>;
let layout: Layout;
let keeper: Keeper;
let watch: DiskWatch | undefined;
let notices: string[];
beforeEach(() => {
  dir = tempDir();
  notices = [];
  layout = openLayout(join(dir.path, 'local'));
  const parts = { cgroups: openCgroups(), clock: systemClock(), token: randomUUID };
  keeper = new Keeper({ runs: layout.runs, ...parts, closing: never });
});
afterEach(async () => {
  await watch?.stop();
  watch = undefined;
  for (const name of keeper.names()) await keeper.stop(name, 0);
  dir.remove();
});

test(
  'whoever fills the disk is ended near the cap, with the reason; neighbours go on',
  TIMEOUT,
  async () => {
    await begin('srv-filler', 'app-filler', FILLER);
    await begin('srv-neighbour', 'app-neighbour', 'head -c 8388608 /dev/zero > own; sleep 60');
    open({ measureMs: 100 });
    const end = await keeper.ended('app-filler', never);
    const reason = keeper.reasonOf('app-filler', end);
    expect(reason?.evicted).toMatch(/^its disk: \d+ of 24 MiB that its plan has$/);
    expect(await used('srv-filler')).toBeGreaterThan(CAP_BYTES);
    expect(await used('srv-filler')).toBeLessThan(CAP_BYTES + SLACK_BYTES);
    expect(keeper.look('app-neighbour').state).toBe('running');
    expect(notices).toEqual([expect.stringContaining('srv-filler was ended')]);
  },
);

test('of a service that builds the build is ended, and what serves goes on', TIMEOUT, async () => {
  await begin('srv-one', 'app-one', 'sleep 60');
  await begin('srv-one', 'build-one', FILLER, 'build');
  open({ measureMs: 100 });
  const end = await keeper.ended('build-one', never);
  expect(keeper.reasonOf('build-one', end)).toMatchObject({ evicted: expect.any(String) });
  expect(keeper.look('app-one').state).toBe('running');
});

test('what is written fast is seen before the time to measure has come', TIMEOUT, async () => {
  open({ measureMs: 600_000, growthBytes: 4 * MIB });
  await begin('srv-filler', 'app-filler', FILLER);
  const end = await keeper.ended('app-filler', never);
  expect(keeper.reasonOf('app-filler', end)?.evicted).toContain('its disk');
});

test(
  'below the reserve whoever grows most is ended, and nobody who does not grow',
  TIMEOUT,
  async () => {
    const { bavail, bsize } = statfsSync(dir.path);
    await begin('srv-calm', 'app-calm', 'head -c 16777216 /dev/zero > own; sleep 60');
    open({ measureMs: 100, reserveBytes: bavail * bsize * 2 }, () => 1_024 ** 4);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(keeper.look('app-calm').state).toBe('running');
    await begin('srv-filler', 'app-filler', FILLER);
    const end = await keeper.ended('app-filler', never);
    const { evicted } = keeper.reasonOf('app-filler', end) ?? {};
    expect(evicted).toMatch(/^the machine's disk is nearly full, and it grew most: by \d+ MiB$/);
    expect(keeper.look('app-calm').state).toBe('running');
  },
);

test('somebody without a cap is ended by nothing but the reserve', TIMEOUT, async () => {
  await begin('srv-free', 'app-free', `head -c ${4 * CAP_BYTES} /dev/zero > own; sleep 60`);
  open({ measureMs: 50 }, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(keeper.look('app-free').state).toBe('running');
});

test('a file with two names counts once, a hole not at all, and a folder that is gone is unknown', async () => {
  const folder = join(dir.path, 'measured');
  mkdirSync(folder);
  await begin(
    'srv-x',
    'run-x',
    `cd ${folder}; head -c ${MIB} /dev/zero > a; ln a b; truncate -s 1G hole`,
  );
  await keeper.ended('run-x', never);
  const bytes = await measureFolder(folder, never);
  expect(bytes).toBeGreaterThanOrEqual(MIB);
  expect(bytes).toBeLessThan(2 * MIB);
  expect(await measureFolder(join(dir.path, 'none'), never)).toBeUndefined();
});

function open(bounds: Partial<DiskBounds>, cap: () => number | undefined = () => CAP_BYTES): void {
  watch = new DiskWatch({
    ...{ layout, keeper, capOf: async () => cap(), notice: (line) => void notices.push(line) },
    bounds: { lookMs: 50, reserveBytes: 0, ...bounds },
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
  await keeper.begin(name, {
    ...{ service, type, limits: { cpu: 1, memoryMib: 256 } },
    argv: ['sh', '-c', `cd ${folder}; ${script}`],
    env: { PATH: process.env['PATH'] ?? '' },
  });
}

async function used(id: string): Promise<number> {
  return (await measureFolder(layout.service(id), never)) ?? Number.NaN;
}
