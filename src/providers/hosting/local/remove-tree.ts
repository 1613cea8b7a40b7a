import { promisify } from 'node:util';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { execFile } from '../../../system/child.ts';

const run = promisify(execFile);
const REMOVE_MS = 10 * MINUTE_MS;
const OUTPUT_BYTES_MAX = 65_536;

/**
 * Removes a folder filled by a third-party program. Such a program can nest folders deeper than the
 * kernel's path limit; `rm` handles that and does not block the event loop. Idempotent. Throws if
 * something remains.
 */
export async function removeTree(folder: string): Promise<void> {
  await run('rm', ['-rf', '--', folder], { timeout: REMOVE_MS, maxBuffer: OUTPUT_BYTES_MAX });
}
