import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppError } from '../../../../src/domain/error.ts';
import { refuseFullDisk } from '../../../../src/providers/hosting/local/capacity.ts';
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

function refusalOf(folder: string): AppError | undefined {
  try {
    refuseFullDisk(folder);
    return undefined;
  } catch (thrown) {
    return thrown as AppError;
  }
}

/** Disks of a test need root. */
function mayMount(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;
}
