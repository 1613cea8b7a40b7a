import type { DiskAmount } from '../../../../domain/hosting/disk-limits.ts';

const BYTES_PER_MIB = 1_048_576;

/** Describes a quota violation; `undefined` if there is none. */
export function describeOverQuota(used: DiskAmount, quota: DiskAmount): string | undefined {
  if (used.bytes > quota.bytes) {
    return `disk quota exceeded: ${toMib(used.bytes)} MiB of ${toMib(quota.bytes)} MiB`;
  }
  if (used.files <= quota.files) return undefined;
  return `disk quota exceeded: ${used.files} of ${quota.files} files`;
}

/** Describes why the fastest-growing tenant is stopped while disk space is low. */
export function describeLargestGrowth(what: keyof DiskAmount, by: number): string {
  const full = {
    bytes: 'machine disk nearly full',
    files: 'machine disk nearly out of inodes',
  }[what];
  if (!Number.isFinite(by)) return `${full}; usage could not be measured`;
  const growth = what === 'bytes' ? `${toMib(by)} MiB` : `${by} files`;
  return `${full}; largest growth (${growth})`;
}

function toMib(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}
