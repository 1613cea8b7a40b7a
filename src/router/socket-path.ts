import { openSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum length of a socket path in the kernel, in bytes, with a margin. */
const PATH_BYTES_MAX = 100;

/**
 * Returns the path of a socket in a folder. If it is too long for the kernel, it goes through a
 * descriptor of the folder, which stays open for the life of the process.
 */
export function socketPath(folder: string, name: string): string {
  const path = join(folder, name);
  if (process.platform !== 'linux' || Buffer.byteLength(path) <= PATH_BYTES_MAX) return path;
  return `/proc/${process.pid}/fd/${openSync(folder, 'r')}/${name}`;
}
