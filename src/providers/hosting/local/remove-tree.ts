import { rmSync } from 'node:fs';
import { AppError } from '../../../domain/error.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { spawnSync } from '../../../system/child.ts';

const REMOVE_MS = MINUTE_MS;

/**
 * Removes a folder that a program of others filled. Such a program can nest folders until their
 * path is longer than the kernel takes; `rm` goes from folder to folder and needs no path.
 *
 * @throws {AppError} `INTERNAL` where something stays.
 */
export function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw cause;
    const args = ['-rf', '--', folder];
    const { status } = spawnSync('rm', args, { timeout: REMOVE_MS, stdio: 'ignore' });
    if (status !== 0) throw new AppError('INTERNAL', { message: `rm exits with ${status}`, cause });
  }
}
