import type { ServicePlan } from './plans.ts';
import { DEFAULT_SERVICE_PLAN, KEY_VALUE_PLANS } from './plans.ts';
import type { KeyValue, Postgres, Service } from './records.ts';

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

/** An amount of disk space, used or allowed. */
export interface DiskAmount {
  readonly bytes: number;
  /** Files, folders and links; a file with several hard links counts once. */
  readonly files: number;
}

/**
 * Disk limit of a service, in GiB. Covers its kept builds, its cache and the files of its programs.
 */
export const SERVICE_DISK_GIB: Readonly<Record<ServicePlan, number>> = {
  starter: 8,
  standard: 16,
  pro: 32,
  pro_plus: 48,
  pro_max: 64,
  pro_ultra: 96,
};
/**
 * Space of a Postgres server beyond the ordered disk, for its write-ahead log and system tables.
 */
const POSTGRES_OVERHEAD_BYTES = GIB;
/**
 * Ratio of disk to memory of a Key Value instance. Journals and snapshots exist twice while
 * rewritten.
 */
const KEY_VALUE_DISK_FACTOR = 4;
const KEY_VALUE_OVERHEAD_BYTES = 256 * MIB;
/**
 * Bytes of disk per allowed file. A common file system has one inode per 16 KiB; this allows twice
 * as many.
 */
const BYTES_PER_FILE = 8_192;

/** Returns the disk limit of a service. */
export function serviceDiskLimit({ serviceDetails }: Service): DiskAmount {
  const plan = 'plan' in serviceDetails ? serviceDetails.plan : DEFAULT_SERVICE_PLAN;
  return toDiskAmount(SERVICE_DISK_GIB[plan] * GIB);
}

/** Returns the disk limit of a database. */
export function databaseDiskLimit(
  record: Omit<Postgres, 'status' | 'reason'> | Omit<KeyValue, 'status' | 'reason'>,
): DiskAmount {
  if ('diskSizeGB' in record)
    return toDiskAmount(record.diskSizeGB * GIB + POSTGRES_OVERHEAD_BYTES);
  const { memoryMib } = KEY_VALUE_PLANS[record.plan];
  return toDiskAmount(KEY_VALUE_DISK_FACTOR * memoryMib * MIB + KEY_VALUE_OVERHEAD_BYTES);
}

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

function toDiskAmount(bytes: number): DiskAmount {
  return { bytes, files: bytes / BYTES_PER_FILE };
}
