import type { DiskRoom } from './disk-caps.ts';

/** Share of its room from which a disk is high. */
export const DISK_HIGH_SHARE = 0.8;
/** Share of its room below which a disk that was high has recovered. */
export const DISK_RECOVERED_SHARE = 0.7;

/** What somebody has on the disk, and what there is room for. */
export interface DiskUsage {
  readonly used: DiskRoom;
  readonly room: DiskRoom;
}

/**
 * Whether a disk turned high, or recovered, with what was measured; `undefined` where it stays as
 * it was. The fuller of bytes and files counts, and the two shares lie apart, so that a disk at
 * one of them does not turn with every measuring.
 */
export function diskTurn(
  isHigh: boolean,
  { used, room }: DiskUsage,
): 'high' | 'recovered' | undefined {
  const share = Math.max(used.bytes / room.bytes, used.files / room.files);
  if (!isHigh) return share >= DISK_HIGH_SHARE ? 'high' : undefined;
  return share < DISK_RECOVERED_SHARE ? 'recovered' : undefined;
}
