import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';

/** Longest time that the measuring of one folder may take, in milliseconds. */
const MEASURE_MS = 60_000;
/** More than `du` says of one folder, in bytes. */
const SAID_BYTES_MAX = 65_536;

/**
 * What the files of a folder take on the disk, in bytes, a file with several names once.
 * `undefined` where that is not known: the folder is gone, or the measuring took too long.
 */
export function measureFolder(folder: string, signal: AbortSignal): Promise<number | undefined> {
  const bounds = { timeout: MEASURE_MS, maxBuffer: SAID_BYTES_MAX, signal, cwd: '/' };
  return new Promise((resolve) => {
    // What vanishes while it is measured is complained of, and the sum is told all the same.
    const args = ['-n', '19', 'du', '-s', '-x', '-B1', '--', folder];
    execFile('nice', args, { ...bounds, killSignal: 'SIGKILL' }, (fault, said) => {
      const wasCut = fault !== null && (fault.killed === true || typeof fault.code !== 'number');
      const [, bytes] = /^(\d+)\t/.exec(said) ?? [];
      resolve(wasCut || bytes === undefined ? undefined : Number(bytes));
    });
  });
}

/** What is free on the disk of a folder for whoever is not root, in bytes. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
