import { statfs } from 'node:fs/promises';
import type { DiskRoom } from '../../../../domain/hosting/disk-caps.ts';
import { execFile } from '../../../../system/child.ts';

/** Timeout for measuring the folders of one tenant, in milliseconds. */
const MEASURE_MS = 60_000;
/** Maximum output of `du` for a few folders, in bytes. */
const SAID_BYTES_MAX = 65_536;

/**
 * Measures the disk usage of folders; hard links count once. Returns `undefined` if a folder is
 * gone or the measurement timed out.
 */
export async function measureFolders(
  folders: readonly string[],
  signal: AbortSignal,
): Promise<DiskRoom | undefined> {
  const bytes = await counted('-B1', folders, signal);
  if (bytes === undefined) return undefined;
  const files = await counted('--inodes', folders, signal);
  return files === undefined ? undefined : { bytes, files };
}

/** Returns the disk space available to unprivileged users. */
export async function freeRoom(folder: string): Promise<DiskRoom> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some file systems create inodes on demand and report none.
  return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree };
}

function counted(
  unit: '-B1' | '--inodes',
  folders: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const bounds = { timeout: MEASURE_MS, maxBuffer: SAID_BYTES_MAX, signal, cwd: '/' };
  return new Promise((resolve) => {
    // `du` complains about files that vanish, but still prints the sum.
    const quiet = 'exec nice -n 19 du "$@" 2> /dev/null';
    const args = ['-c', quiet, 'stoa', '-s', '-x', '-0', unit, '--', ...folders];
    execFile('/bin/sh', args, { ...bounds, killSignal: 'SIGKILL' }, (fault, said) => {
      const wasCut = fault !== null && (fault.killed === true || typeof fault.code !== 'number');
      const sums = said.split('\0').flatMap((row) => /^(\d+)\t/.exec(row)?.[1] ?? []);
      const isWhole = !wasCut && sums.length === folders.length;
      resolve(isWhole ? sums.reduce((sum, each) => sum + Number(each), 0) : undefined);
    });
  });
}
