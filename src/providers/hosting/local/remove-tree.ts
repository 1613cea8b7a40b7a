import { promisify } from 'node:util';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { execFile } from '../../../system/child.ts';

const run = promisify(execFile);
const REMOVE_MS = 10 * MINUTE_MS;
const SAID_BYTES_MAX = 65_536;

/**
 * Removes a folder that a program of others filled. Such a program can nest folders until their
 * path is longer than the kernel takes; `rm` goes from folder to folder, needs no path, and keeps
 * nobody else waiting. Safe to repeat. Throws where something stays.
 */
export async function removeTree(folder: string): Promise<void> {
  await run('rm', ['-rf', '--', folder], { timeout: REMOVE_MS, maxBuffer: SAID_BYTES_MAX });
}
