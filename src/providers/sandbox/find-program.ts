import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * The isolation of a tenant's programs. `user` gives each service its own user and a view of the
 * file system without the data directory. `process` runs them as the daemon's own user.
 */
export type SandboxLevel = 'user' | 'process';

/** Program folders for users that do not exist on this machine. */
export const PATH_DEFAULT = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Finds a program that tenants may run. Returns `undefined` if there is none. */
export function findProgram(
  name: string,
  { level, path }: { readonly level: SandboxLevel; readonly path: string },
): string | undefined {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder !== '' && isRunnable(file, level)) return file;
  }
  return undefined;
}

/** Returns whether a program is executable. A tenant's own user needs public permissions. */
function isRunnable(file: string, level: SandboxLevel): boolean {
  try {
    accessSync(file, constants.X_OK);
    if (!statSync(file).isFile()) return false;
    if (level === 'process') return true;
    for (let current = file; current !== '/'; current = dirname(current)) {
      if ((statSync(current).mode & 0o001) === 0) return false;
    }
    return true;
  } catch {
    return false;
  }
}
