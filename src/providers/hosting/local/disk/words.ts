import type { DiskRoom } from '../../../../domain/hosting/disk-caps.ts';

const BYTES_PER_MIB = 1_048_576;

/** Describes a quota violation; `undefined` if there is none. */
export function overWords(used: DiskRoom, room: DiskRoom): string | undefined {
  if (used.bytes > room.bytes) {
    return `its disk: ${mib(used.bytes)} of ${mib(room.bytes)} MiB that its plan has`;
  }
  if (used.files <= room.files) return undefined;
  return `its disk: ${used.files} of ${room.files} files that its plan has`;
}

/** Describes why the fastest-growing tenant is stopped while disk space is low. */
export function grownWords(what: keyof DiskRoom, by: number): string {
  const full = {
    bytes: "the machine's disk is nearly full",
    files: "the machine's disk has room for few files more",
  }[what];
  if (!Number.isFinite(by)) return `${full}, and what it takes cannot be measured`;
  const growth = what === 'bytes' ? `${mib(by)} MiB` : `${by} files`;
  return `${full}, and it grew most: by ${growth}`;
}

function mib(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}
