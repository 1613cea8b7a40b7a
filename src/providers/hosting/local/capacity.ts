import { statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { AppError } from '../../../domain/common/error.ts';
import { type PlanLimits, SERVICE_PLANS } from '../../../domain/hosting/plans.ts';

/** Share of the memory reserved for the machine itself. */
const OWN_MEMORY_SHARE = 0.1;
/** Free disk space kept in reserve, in bytes. */
export const DISK_RESERVE_BYTES = 2 * 1024 ** 3;
/** Free inodes kept in reserve, if the file system counts them. */
export const DISK_RESERVE_FILES = 65_536;
const BYTES_PER_MIB = 1_048_576;

/** Total resources of the machine; tests can override them. */
export interface MachineSize {
  readonly cpus: number;
  readonly memoryMib: number;
}

/** Returns the size of this machine. */
export function getMachineSize(): MachineSize {
  return { cpus: availableParallelism(), memoryMib: totalmem() / BYTES_PER_MIB };
}

/** A plan in use, and its holder. */
export interface PlanInUse extends PlanLimits {
  readonly holder?: { readonly id: string; readonly name: string; readonly ownerId: string };
}

/** Maximum holders named in an error. */
const HOLDERS_LISTED = 10;

/**
 * Rejects a plan that exceeds the free resources. Processors are shared, so one program may use all
 * of them; memory is reserved.
 *
 * @param plansInUse - Plans of all other holders, once per instance.
 * @param machine - Size of the machine, and the plans to suggest; default: service plans.
 * @throws {AppError} `HOST_CAPACITY` naming the plans that fit.
 */
export function assertPlanFits(
  wanted: PlanLimits & {
    readonly name: string;
    readonly count: number;
    /** The workspace that wants the plan. */
    readonly ownerId?: string;
  },
  plansInUse: readonly PlanInUse[],
  machine: MachineSize & { readonly plans?: Readonly<Record<string, PlanLimits>> },
): void {
  const { plans = SERVICE_PLANS, ...size } = machine;
  const used = plansInUse.reduce((sum, { memoryMib }) => sum + memoryMib, 0);
  const free = size.memoryMib * (1 - OWN_MEMORY_SHARE) - used;
  const isFitting = ({ memoryMib, cpu }: PlanLimits, count: number): boolean =>
    memoryMib * count <= free && cpu <= size.cpus;
  if (isFitting(wanted, wanted.count)) return;
  const fitting = Object.entries(plans)
    .filter(([, plan]) => isFitting(plan, 1))
    .map(([name]) => name);
  const freeMib = Math.max(0, Math.floor(free));
  const what = wanted.count === 1 ? wanted.name : `${wanted.count} instances of ${wanted.name}`;
  throw new AppError('HOST_CAPACITY', {
    message:
      `plan: ${what} needs ${wanted.memoryMib * wanted.count} MiB and ${wanted.cpu} processors; ` +
      `this machine has ${freeMib} MiB free and ${size.cpus} processors. ` +
      (fitting.length === 0 ? 'No plan fits now.' : `These fit: ${fitting.join(', ')}.`) +
      describeHolders(plansInUse, wanted.ownerId),
    data: { received: wanted.name, allowed: fitting, freeMib, cpus: size.cpus },
  });
}

/** Describes who holds memory; other workspaces are summed up. */
function describeHolders(taken: readonly PlanInUse[], ownerId: string | undefined): string {
  const own = new Map<string, number>();
  let othersMib = 0;
  for (const { holder, memoryMib } of taken) {
    if (holder === undefined || holder.ownerId !== ownerId) {
      othersMib += memoryMib;
      continue;
    }
    const key = `${holder.name} (${holder.id})`;
    own.set(key, (own.get(key) ?? 0) + memoryMib);
  }
  const sorted = [...own].sort(([, one], [, other]) => other - one);
  for (const [, memoryMib] of sorted.slice(HOLDERS_LISTED)) othersMib += memoryMib;
  const listed = sorted
    .slice(0, HOLDERS_LISTED)
    .map(([who, memoryMib]) => `${who} ${memoryMib} MiB`);
  const others = othersMib === 0 ? [] : [`others ${othersMib} MiB`];
  if (listed.length + others.length === 0) return '';
  const holders = [...listed, ...others].join(', ');
  return ` Memory in use: ${holders}. Suspend or remove one in the dashboard to free it.`;
}

/** Rejects work that writes while the disk is nearly full. */
export function assertDiskSpace(folder: string): void {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  const hasFiles = files === 0 || ffree >= DISK_RESERVE_FILES;
  if (freeBytes >= DISK_RESERVE_BYTES && hasFiles) return;
  throw new AppError('HOST_CAPACITY', {
    message: 'The disk of this machine is nearly full; builds resume when there is free space.',
    data: {
      freeBytes,
      reserveBytes: DISK_RESERVE_BYTES,
      ...(files === 0 ? {} : { freeFiles: ffree, reserveFiles: DISK_RESERVE_FILES }),
    },
  });
}
