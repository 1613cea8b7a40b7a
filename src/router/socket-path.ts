import { openSync } from 'node:fs';
import { join } from 'node:path';

/** Longest path that the kernel takes as the name of a socket, in bytes, with room for its end. */
const PATH_BYTES_MAX = 100;

/**
 * Path of a socket in a folder. Where it is too long for the kernel, it goes through the opened
 * folder, which stays open as long as the process lives.
 */
export function socketPath(folder: string, name: string): string {
  const path = join(folder, name);
  if (process.platform !== 'linux' || Buffer.byteLength(path) <= PATH_BYTES_MAX) return path;
  return `/proc/${process.pid}/fd/${openSync(folder, 'r')}/${name}`;
}
