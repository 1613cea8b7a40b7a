import type { DiskAmount } from './disk-limits.ts';

/** Share of the limit at which disk usage counts as high. */
export const DISK_HIGH_SHARE = 0.8;
/** Share of the limit below which high disk usage counts as recovered. */
export const DISK_RECOVERED_SHARE = 0.7;

/** Disk usage and its limit. */
export interface DiskUsage {
  readonly used: DiskAmount;
  readonly room: DiskAmount;
}

/**
 * Returns the change of the disk level, or `undefined` if it stays the same. The fuller of bytes
 * and files counts. The two thresholds differ so that usage near one of them does not flap.
 */
export function detectDiskLevelChange(
  isHigh: boolean,
  { used, room }: DiskUsage,
): 'high' | 'recovered' | undefined {
  const share = Math.max(used.bytes / room.bytes, used.files / room.files);
  if (!isHigh) return share >= DISK_HIGH_SHARE ? 'high' : undefined;
  return share < DISK_RECOVERED_SHARE ? 'recovered' : undefined;
}
