import type { DiskRoom } from '../../../../domain/hosting/disk-caps.ts';

const BYTES_PER_MIB = 1_048_576;

/** Describes a quota violation; `undefined` if there is none. */
export function overWords(used: DiskRoom, room: DiskRoom): string | undefined {
  if (used.bytes > room.bytes) {
    return `disk quota exceeded: ${mib(used.bytes)} MiB of ${mib(room.bytes)} MiB`;
  }
  if (used.files <= room.files) return undefined;
  return `disk quota exceeded: ${used.files} of ${room.files} files`;
}

/** Describes why the fastest-growing tenant is stopped while disk space is low. */
export function grownWords(what: keyof DiskRoom, by: number): string {
  const full = {
    bytes: 'machine disk nearly full',
    files: 'machine disk nearly out of inodes',
  }[what];
  if (!Number.isFinite(by)) return `${full}; usage could not be measured`;
  const growth = what === 'bytes' ? `${mib(by)} MiB` : `${by} files`;
  return `${full}; largest growth (${growth})`;
}

function mib(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}
