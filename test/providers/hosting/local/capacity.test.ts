import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppError } from '../../../../src/domain/common/error.ts';
import {
  assertDiskSpace,
  assertPlanFits,
  type PlanInUse,
} from '../../../../src/providers/hosting/local/capacity.ts';
import { tempDir } from '../../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => {
  spawnSync('umount', [dir.path]);
  dir.remove();
});

test.runIf(mayMount()).each([
  ['2 GiB and 65,536 files free', 'size=3g,nr_inodes=70000', undefined],
  ['few bytes free', 'size=1g,nr_inodes=70000', { freeBytes: 1_073_741_824 }],
  ['few files free', 'size=3g,nr_inodes=60000', { reserveFiles: 65_536 }],
  ['files that are not counted', 'size=3g,nr_inodes=0', undefined],
])('on a disk with %s work that writes is refused where it is short', (_what, options, data) => {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'stoa', dir.path]);
  expect(mounted.status).toBe(0);
  const refusal = refusalOf(dir.path);
  expect(refusal?.code).toBe(data === undefined ? undefined : 'HOST_CAPACITY');
  if (data !== undefined) expect(refusal?.data).toMatchObject(data);
});

test('a refusal names who holds the memory, and of other workspaces the sum alone', () => {
  const taken: readonly PlanInUse[] = [
    ...['small', 'large', 'large'].map((name) => heldBy('tea-a', name)),
    heldBy('tea-b', 'secret'),
    { cpu: 1, memoryMib: 100 },
  ];
  const refuse = (ownerId: string) => {
    const wanted = { cpu: 1, memoryMib: 512, name: 'starter', count: 1, ownerId };
    return catchRefusal(() => assertPlanFits(wanted, taken, { cpus: 4, memoryMib: 3_000 }));
  };
  const { message = '' } = refuse('tea-a') ?? {};
  expect(message).toContain(
    'Memory in use: large (srv-large) 1500 MiB, small (srv-small) 200 MiB, others 850 MiB.',
  );
  expect(message).not.toContain('secret');
  expect(refuse('tea-b')?.message).toContain('in use: secret (srv-secret) 750 MiB, others 1800');
  expect(refuse('tea-c')?.message).toContain('Memory in use: others 2550 MiB.');
});

test('of many holders the largest are named, and the rest is their sum', () => {
  const taken = Array.from({ length: 40 }, (_, at) => ({
    cpu: 1,
    memoryMib: 10 + at,
    holder: { id: `srv-${at}`, name: `n${at}`, ownerId: 'tea-a' },
  }));
  const wanted = { cpu: 1, memoryMib: 4_000, name: 'pro', count: 1, ownerId: 'tea-a' };
  const refusal = catchRefusal(() => assertPlanFits(wanted, taken, { cpus: 4, memoryMib: 3_000 }));
  const named = refusal?.message.match(/srv-\d+/g) ?? [];
  expect(named).toEqual(Array.from({ length: 10 }, (_, at) => `srv-${39 - at}`));
  expect(refusal?.message).toContain('others 735 MiB');
});

const MEMORY_MIB: Readonly<Record<string, number>> = { small: 200, large: 750, secret: 750 };

function heldBy(ownerId: string, name: string): PlanInUse {
  const holder = { id: `srv-${name}`, name, ownerId };
  return { cpu: 1, memoryMib: MEMORY_MIB[name] ?? 0, holder };
}

function catchRefusal(run: () => void): AppError | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown as AppError;
  }
}

function refusalOf(folder: string): AppError | undefined {
  try {
    assertDiskSpace(folder);
    return undefined;
  } catch (thrown) {
    return thrown as AppError;
  }
}

/** Disks of a test need root. */
function mayMount(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;
}
