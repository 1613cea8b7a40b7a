import type { ServicePlan } from './plans.ts';
import { DEFAULT_SERVICE_PLAN, KEY_VALUE_PLANS } from './plans.ts';
import type { KeyValue, Postgres, Service } from './records.ts';

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

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

/** The most that a service may have on the disk, in bytes. */
export function serviceDiskBytes({ serviceDetails }: Service): number {
  const plan = 'plan' in serviceDetails ? serviceDetails.plan : DEFAULT_SERVICE_PLAN;
  return SERVICE_DISK_GIB[plan] * GIB;
}

/** The most that a database may have on the disk, in bytes. */
export function databaseDiskBytes(
  record: Omit<Postgres, 'status' | 'reason'> | Omit<KeyValue, 'status' | 'reason'>,
): number {
  if ('diskSizeGB' in record) return record.diskSizeGB * GIB + POSTGRES_OWN_BYTES;
  const { memoryMib } = KEY_VALUE_PLANS[record.plan];
  return KEY_VALUE_TIMES * memoryMib * MIB + KEY_VALUE_OWN_BYTES;
}
