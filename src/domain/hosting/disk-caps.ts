import type { ServicePlan } from './plans.ts';
import { DEFAULT_SERVICE_PLAN, KEY_VALUE_PLANS } from './plans.ts';
import type { KeyValue, Postgres, Service } from './records.ts';

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

/** What somebody has on the disk, or may have. */
export interface DiskRoom {
  readonly bytes: number;
  /** Files, folders and links, one with several names once. */
  readonly files: number;
}

/** Disk of a service, in GiB: its builds that are kept, its cache, and what its programs write. */
export const SERVICE_DISK_GIB: Readonly<Record<ServicePlan, number>> = {
  starter: 8,
  standard: 16,
  pro: 32,
  pro_plus: 48,
  pro_max: 64,
  pro_ultra: 96,
};
/** Room of a Postgres server beside the disk of its order, for its journal and its own tables. */
const POSTGRES_OWN_BYTES = GIB;
/** Journals and snapshots of a Key Value instance against its memory, while they are rewritten. */
const KEY_VALUE_TIMES = 4;
const KEY_VALUE_OWN_BYTES = 256 * MIB;
/** Room in bytes for which there is one file: twice as many as a disk is made with. */
const BYTES_PER_FILE = 8_192;

/** The most that a service may have on the disk. */
export function serviceDiskRoom({ serviceDetails }: Service): DiskRoom {
  const plan = 'plan' in serviceDetails ? serviceDetails.plan : DEFAULT_SERVICE_PLAN;
  return roomOf(SERVICE_DISK_GIB[plan] * GIB);
}

/** The most that a database may have on the disk. */
export function databaseDiskRoom(
  record: Omit<Postgres, 'status' | 'reason'> | Omit<KeyValue, 'status' | 'reason'>,
): DiskRoom {
  if ('diskSizeGB' in record) return roomOf(record.diskSizeGB * GIB + POSTGRES_OWN_BYTES);
  const { memoryMib } = KEY_VALUE_PLANS[record.plan];
  return roomOf(KEY_VALUE_TIMES * memoryMib * MIB + KEY_VALUE_OWN_BYTES);
}

function roomOf(bytes: number): DiskRoom {
  return { bytes, files: bytes / BYTES_PER_FILE };
}
