import { statfs } from 'node:fs/promises';
import type { DiskAmount } from '../../../../domain/hosting/disk.ts';
import { execFile } from '../../../../system/child.ts';

/** Timeout for measuring the folders of one tenant, in milliseconds. */
const MEASURE_MS = 60_000;
/** Maximum output of `du` for a few folders, in bytes. */
const OUTPUT_BYTES_MAX = 65_536;

/**
 * Measures the disk usage of folders; hard links count once. Returns `undefined` if a folder is
 * gone or the measurement timed out.
 */
export async function measureFolders(
  folders: readonly string[],
  signal: AbortSignal,
): Promise<DiskAmount | undefined> {
  const bytes = await countWithDu('-B1', folders, signal);
  if (bytes === undefined) return undefined;
  const files = await countWithDu('--inodes', folders, signal);
  return files === undefined ? undefined : { bytes, files };
}

/** Returns the disk space available to unprivileged users. */
export async function readFreeSpace(folder: string): Promise<DiskAmount> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some file systems create inodes on demand and report none.
  return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree };
}

function countWithDu(
  unit: '-B1' | '--inodes',
  folders: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const bounds = { timeout: MEASURE_MS, maxBuffer: OUTPUT_BYTES_MAX, signal, cwd: '/' };
  return new Promise((resolve) => {
    // `du` complains about files that vanish, but still prints the sum.
    const script = 'exec nice -n 19 du "$@" 2> /dev/null';
    const args = ['-c', script, 'stoa', '-s', '-x', '-0', unit, '--', ...folders];
    execFile('/bin/sh', args, { ...bounds, killSignal: 'SIGKILL' }, (error, output) => {
      const wasCut = error !== null && (error.killed === true || typeof error.code !== 'number');
      const sums = output.split('\0').flatMap((row) => /^(\d+)\t/.exec(row)?.[1] ?? []);
      const isWhole = !wasCut && sums.length === folders.length;
      resolve(isWhole ? sums.reduce((sum, each) => sum + Number(each), 0) : undefined);
    });
  });
}
