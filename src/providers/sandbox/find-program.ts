import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * How far a tenant's programs are kept apart: `user` gives each service a user of its own and a
 * view of the disk without the data directory; `process` is a process of the daemon's own user.
 */
export type SandboxLevel = 'user' | 'process';

/** Folders where programs are, for users that are nobody of this machine. */
export const PATH_DEFAULT = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Finds a program that tenants may run; `undefined` when there is none. */
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

/** A user of its own may go only where everybody may. */
function isRunnable(file: string, level: SandboxLevel): boolean {
  try {
    accessSync(file, constants.X_OK);
    if (!statSync(file).isFile()) return false;
    if (level === 'process') return true;
    for (let place = file; place !== '/'; place = dirname(place)) {
      if ((statSync(place).mode & 0o001) === 0) return false;
    }
    return true;
  } catch {
    return false;
  }
}
