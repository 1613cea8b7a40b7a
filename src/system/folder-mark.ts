import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';

const MARK_CHARS = 12;

/**
 * Returns a hash that distinguishes a folder from every simultaneous copy: it covers device and
 * inode, which a copy never shares. It survives renaming the folder.
 */
export function hashFolderIdentity(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, MARK_CHARS);
}
