import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** File of an LMDB environment within its folder. */
export const DATA_FILE = 'data.mdb';
/** Lock of an LMDB environment within its folder; the first process to open it makes it anew. */
export const LOCK_FILE = 'lock.mdb';

/** Folders above a new store whose entries may be new as well. */
const NEW_ABOVE = 3;

/** Makes a folder; tells whether the store in it is yet to be made. */
export function makeFolder(path: string): { readonly isNew: boolean } {
  mkdirSync(path, { recursive: true });
  return { isNew: !existsSync(join(path, DATA_FILE)) };
}

/** Brings the entries of a new store to the disk: a synced file that no folder names is lost. */
export function syncNewFolder(path: string): void {
  let folder = resolve(path);
  for (let above = 0; above <= NEW_ABOVE; above += 1) {
    syncFolder(folder);
    folder = dirname(folder);
  }
}

/** Brings the entries of a folder to the disk, where the system can do that. */
export function syncFolder(path: string): void {
  try {
    syncFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Windows opens no folders, and a stranger's folder above ours may not be readable.
    if (code !== 'EISDIR' && code !== 'EPERM' && code !== 'EACCES' && code !== 'EINVAL')
      throw cause;
  }
}

/** Brings a file to the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Free bytes of a file system; one that does not answer has no room that could be promised. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
