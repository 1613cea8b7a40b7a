import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invariant } from '../domain/common/error.ts';

/**
 * Returns the file of a worker module. Searches upwards from this file, because a build bundles it
 * into another folder. Worker modules are JavaScript: threads start them without a compiler.
 *
 * @param module - Its path below `src`, such as `system/watchdog-worker.mjs`.
 */
export function findWorker(module: string): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, module))) {
    invariant(folder !== dirname(folder), `the build contains ${module}`);
    folder = dirname(folder);
  }
  return join(folder, module);
}
