import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanLimits } from '../../domain/hosting/plans.ts';

/** The version of cgroups that is available here. */
export type CgroupKind = 'v2' | 'v1' | 'none';

/** Most processes of one tenant. */
const PIDS_MAX = 512;
/** Period over which the processor quota applies, in microseconds. */
const CPU_PERIOD_US = 100_000;
const BYTES_PER_MIB = 1_048_576;
const V1_CONTROLLERS = ['memory', 'pids', 'cpu', 'cpuacct'] as const;

/** Control groups for tenants' processes. Where none are available, every answer is empty. */
export interface Cgroups {
  readonly kind: CgroupKind;
  /**
   * Creates a group, or updates its limits.
   *
   * @returns The files to which a process writes its id to join the group.
   */
  createGroup(name: string, limits: PlanLimits): readonly string[];
  /** Returns the ids of the processes of a group. */
  pids(name: string): readonly number[];
  /** Returns whether the kernel killed a process of the group at its memory limit. */
  wasOomKilled(name: string): boolean;
  /** Returns memory in use without reclaimable cache, in bytes, and processor time, in seconds. */
  usage(name: string): { readonly memoryBytes: number; readonly cpuSeconds: number } | undefined;
  /** Removes a group without processes. */
  remove(name: string): void;
}

/** The location of the kernel's cgroup files, which tests replace. */
export interface CgroupFiles {
  /** `/sys/fs/cgroup` */
  readonly root: string;
  /** Content of `/proc/self/cgroup`. */
  readonly self: string;
}

/** Detects the available version of cgroups by creating a group once. */
export function detectCgroups(files: CgroupFiles = kernelFiles()): Cgroups {
  for (const driver of [createV2Driver(files), createV1Driver(files)]) {
    if (driver !== undefined && isWorking(driver)) return driver;
  }
  return NO_CGROUPS;
}

function kernelFiles(): CgroupFiles {
  const self = '/proc/self/cgroup';
  return {
    root: '/sys/fs/cgroup',
    self: existsSync(self) ? readFileSync(self, 'utf8') : '',
  };
}

const NO_CGROUPS: Cgroups = {
  kind: 'none',
  createGroup: () => [],
  pids: () => [],
  wasOomKilled: () => false,
  usage: () => undefined,
  remove: () => undefined,
};

function isWorking(driver: Cgroups): boolean {
  const name = `stoa-probe-${process.pid}`;
  try {
    driver.createGroup(name, { cpu: 1, memoryMib: 64 });
    driver.remove(name);
    return true;
  } catch {
    return false;
  }
}

function createV1Driver({ root, self }: CgroupFiles): Cgroups | undefined {
  const folderOf = (controller: string): string | undefined => {
    const line = self
      .split('\n')
      .find((each) => each.split(':')[1]?.split(',').includes(controller));
    const own = line?.split(':')[2];
    return own === undefined ? undefined : join(root, controller, own);
  };
  const folders = V1_CONTROLLERS.map(folderOf);
  if (folders.some((folder) => folder === undefined || !existsSync(folder))) return undefined;
  const [memory = '', pids = '', cpu = '', cpuacct = ''] = folders.map(String);
  const all = [...new Set([memory, pids, cpu, cpuacct])];
  return {
    kind: 'v1',
    createGroup: (name, limits) => {
      for (const folder of all) mkdirSync(join(folder, name), { recursive: true });
      const bytes = String(limits.memoryMib * BYTES_PER_MIB);
      writeValue(join(memory, name, 'memory.limit_in_bytes'), bytes);
      writeValue(join(pids, name, 'pids.max'), String(PIDS_MAX));
      writeValue(join(cpu, name, 'cpu.cfs_period_us'), String(CPU_PERIOD_US));
      writeValue(join(cpu, name, 'cpu.cfs_quota_us'), String(computeQuota(limits)));
      return all.map((folder) => join(folder, name, 'cgroup.procs'));
    },
    pids: (name) => readNumbers(join(memory, name, 'cgroup.procs')),
    wasOomKilled: (name) => readField(join(memory, name, 'memory.oom_control'), 'oom_kill') > 0,
    usage: (name) => {
      const used = readNumber(join(memory, name, 'memory.usage_in_bytes'));
      if (used === undefined) return undefined;
      const cached = readField(join(memory, name, 'memory.stat'), 'total_inactive_file');
      const nanos = readNumber(join(cpuacct, name, 'cpuacct.usage')) ?? 0;
      return { memoryBytes: Math.max(0, used - cached), cpuSeconds: nanos / 1e9 };
    },
    remove: (name) => {
      for (const folder of all) removeGroup(join(folder, name));
    },
  };
}

function createV2Driver({ root, self }: CgroupFiles): Cgroups | undefined {
  const own = self
    .split('\n')
    .find((line) => line.startsWith('0::'))
    ?.slice(3);
  const controllers = join(root, own ?? '', 'cgroup.controllers');
  if (own === undefined || !existsSync(controllers)) return undefined;
  const has = readFileSync(controllers, 'utf8').trim().split(/\s+/);
  if (!['memory', 'pids', 'cpu'].every((name) => has.includes(name))) return undefined;
  // A group with processes cannot have children with controllers, so ours are its siblings.
  const folder = own === '/' ? join(root, own) : join(root, own, '..');
  return {
    kind: 'v2',
    createGroup: (name, limits) => {
      writeValue(join(folder, 'cgroup.subtree_control'), '+memory +pids +cpu');
      mkdirSync(join(folder, name), { recursive: true });
      writeValue(join(folder, name, 'memory.max'), String(limits.memoryMib * BYTES_PER_MIB));
      writeValue(join(folder, name, 'pids.max'), String(PIDS_MAX));
      writeValue(join(folder, name, 'cpu.max'), `${computeQuota(limits)} ${CPU_PERIOD_US}`);
      return [join(folder, name, 'cgroup.procs')];
    },
    pids: (name) => readNumbers(join(folder, name, 'cgroup.procs')),
    wasOomKilled: (name) => readField(join(folder, name, 'memory.events'), 'oom_kill') > 0,
    usage: (name) => {
      const used = readNumber(join(folder, name, 'memory.current'));
      if (used === undefined) return undefined;
      const cached = readField(join(folder, name, 'memory.stat'), 'inactive_file');
      const micros = readField(join(folder, name, 'cpu.stat'), 'usage_usec');
      return { memoryBytes: Math.max(0, used - cached), cpuSeconds: micros / 1e6 };
    },
    remove: (name) => removeGroup(join(folder, name)),
  };
}

function computeQuota({ cpu }: PlanLimits): number {
  return Math.round(cpu * CPU_PERIOD_US);
}

function writeValue(file: string, text: string): void {
  writeFileSync(file, text);
}

/** Removes a group. One that has processes again, or is already gone, is left as it is. */
function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readNumbers(file: string): readonly number[] {
  return readIfPresent(file)
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

function readNumber(file: string): number | undefined {
  return readNumbers(file)[0];
}

function readField(file: string, name: string): number {
  const line = readIfPresent(file)
    .split('\n')
    .find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
