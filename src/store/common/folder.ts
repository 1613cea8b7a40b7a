import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Data file of an LMDB environment in its folder. */
export const DATA_FILE = 'data.mdb';
/** Lock file of an LMDB environment in its folder, recreated by the first process that opens it. */
export const LOCK_FILE = 'lock.mdb';

/** Number of parent folders of a new store that may be new as well. */
const NEW_PARENTS_MAX = 3;

/** Creates a folder and returns whether it holds no store yet. */
export function createFolder(path: string): { readonly isNew: boolean } {
  mkdirSync(path, { recursive: true });
  return { isNew: !existsSync(join(path, DATA_FILE)) };
}

/** Syncs the folders of a new store, because a synced file without a synced entry can be lost. */
export function syncNewFolder(path: string): void {
  let folder = resolve(path);
  for (let above = 0; above <= NEW_PARENTS_MAX; above += 1) {
    syncFolder(folder);
    folder = dirname(folder);
  }
}

/** Syncs the entries of a folder to disk, where the system supports it. */
export function syncFolder(path: string): void {
  try {
    syncFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Windows cannot open folders, and a parent folder owned by someone else may be unreadable.
    if (code !== 'EISDIR' && code !== 'EPERM' && code !== 'EACCES' && code !== 'EINVAL')
      throw cause;
  }
}

/** Syncs a file to disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Returns the free bytes of a file system; 0 if it does not respond. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
