import { existsSync } from 'node:fs';
import { MINUTE_MS, SECOND_MS } from '../../../../domain/common/time.ts';
import type { DiskAmount, DiskUsage } from '../../../../domain/hosting/disk.ts';
import { DISK_RESERVE_BYTES, DISK_RESERVE_FILES } from '../capacity.ts';
import type { Layout } from '../layout.ts';
import type { Runner } from '../run/runner.ts';
import { measureFolders, readFreeSpace } from './usage.ts';

const BYTES_PER_MIB = 1_048_576;

/** Bounds of the disk watch. */
export interface DiskBounds {
  /** Interval between checks of the free space, in milliseconds. */
  readonly lookMs: number;
  /** Maximum interval between measurements of all running tenants, in milliseconds. */
  readonly measureMs: number;
  /** Loss of free space between two checks that triggers a measurement. */
  readonly growth: DiskAmount;
  /** Minimum free space; below it the fastest-growing tenant is stopped. */
  readonly reserve: DiskAmount;
}

/** Default bounds of a hosting machine. */
export const DISK_BOUNDS: DiskBounds = {
  lookMs: SECOND_MS,
  measureMs: MINUTE_MS / 2,
  growth: { bytes: 64 * 1_048_576, files: 16_384 },
  reserve: { bytes: DISK_RESERVE_BYTES, files: DISK_RESERVE_FILES },
};
/** Maximum share of time spent measuring. */
const MEASURING_SHARE = 0.2;
/** Growth between two measurements that is ignored. */
const GROWTH_IGNORED: DiskAmount = { bytes: 4 * 1_048_576, files: 1_024 };

/** Dependencies of the disk watch. */
export interface DiskWatchParts {
  readonly layout: Pick<Layout, 'root' | 'service' | 'repository'>;
  readonly runner: Runner;
  /** Returns the disk quota of a tenant; `undefined` if it is gone. */
  readonly capOf: (id: string) => Promise<DiskAmount | undefined>;
  /** Returns tenants to be measured although none of their programs runs. */
  readonly listIdle: () => Promise<readonly string[]>;
  /** Receives the usage of every measured tenant. */
  readonly onMeasured: (id: string, usage: DiskUsage) => Promise<void>;
  /** Receives messages for the operator. */
  readonly notice: (line: string) => void;
  readonly bounds?: Partial<DiskBounds>;
}

/** A measured tenant and its disk usage. */
interface Tenant {
  readonly id: string;
  readonly runs: readonly { readonly name: string; readonly isBuild: boolean }[];
  /** `undefined` if it could not be measured. */
  readonly used: DiskAmount | undefined;
}

/**
 * Stops programs that exceed the disk quota of their plan, and keeps disk space in reserve by
 * stopping the fastest-growing tenant. A tenant's builds are stopped before its programs. Only
 * folders of running tenants, and of those requested, are measured, for at most a fifth of the
 * time.
 */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  readonly #bounds: DiskBounds;
  readonly #closing = new AbortController();
  readonly #previous = new Map<string, DiskAmount>();
  readonly #unmeasured = new Set<string>();
  #measuredAt = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  #freeAtMeasurement: DiskAmount = {
    bytes: Number.POSITIVE_INFINITY,
    files: Number.POSITIVE_INFINITY,
  };
  readonly #running: Promise<void>;

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
    this.#bounds = { ...DISK_BOUNDS, ...parts.bounds };
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { runner } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#reportFailure(() => this.#check());
      await runner.pause(this.#bounds.lookMs, signal).catch(() => undefined);
    }
  }

  async #check(): Promise<void> {
    const { runner, layout } = this.#parts;
    const { reserve, growth, measureMs } = this.#bounds;
    const free = await readFreeSpace(layout.root);
    const shortage = findShortage(free, reserve);
    const hasGrown =
      this.#freeAtMeasurement.bytes - free.bytes >= growth.bytes ||
      this.#freeAtMeasurement.files - free.files >= growth.files;
    const begun = runner.now();
    if (begun < this.#restUntil) return;
    if (shortage === undefined && !hasGrown && begun - this.#measuredAt < measureMs) return;
    this.#freeAtMeasurement = free;
    const tenants = await this.#measure();
    this.#measuredAt = runner.now();
    this.#restUntil = this.#measuredAt + (this.#measuredAt - begun) * (1 / MEASURING_SHARE - 1);
    for (const tenant of tenants) await this.#enforceQuota(tenant);
    if (shortage !== undefined) await this.#evictLargestGrowth(tenants, shortage);
    this.#previous.clear();
    for (const { id, used } of tenants) if (used !== undefined) this.#previous.set(id, used);
  }

  async #measure(): Promise<readonly Tenant[]> {
    const { notice } = this.#parts;
    const found: Tenant[] = [];
    for (const [id, runs] of await this.#listMeasured()) {
      const used = await measureFolders(this.#listFolders(id), this.#closing.signal);
      this.#closing.signal.throwIfAborted();
      if (used === undefined && !this.#unmeasured.has(id)) {
        notice(`disk: the usage of ${id} could not be measured; only the reserve limits it now`);
        this.#unmeasured.add(id);
      }
      if (used !== undefined) this.#unmeasured.delete(id);
      found.push({ id, runs, used });
    }
    return found;
  }

  async #listMeasured(): Promise<ReadonlyMap<string, Tenant['runs']>> {
    const { runner, listIdle } = this.#parts;
    const found = new Map<string, Tenant['runs']>();
    // A failure here must not affect running tenants.
    await this.#reportFailure(async () => {
      for (const id of await listIdle()) found.set(id, []);
    });
    for (const name of runner.names()) {
      const now = runner.getState(name);
      if (now.state !== 'running') continue;
      const { service, type } = now.record;
      found.set(service, [...(found.get(service) ?? []), { name, isBuild: type === 'build' }]);
    }
    return found;
  }

  #listFolders(id: string): readonly string[] {
    const { layout } = this.#parts;
    const repository = layout.repository(id);
    return [layout.service(id), ...(existsSync(repository) ? [repository] : [])];
  }

  async #enforceQuota(tenant: Tenant): Promise<void> {
    const { capOf, onMeasured } = this.#parts;
    const { id, used } = tenant;
    const quota = await capOf(id);
    if (quota === undefined || used === undefined) return;
    const reason = describeOverQuota(used, quota);
    if (reason !== undefined) await this.#evict(tenant, reason);
    // A quota applies even if the usage history cannot be written.
    await this.#reportFailure(() => onMeasured(id, { used, room: quota }));
  }

  /** Stops the tenant that grew most; none if the growth came from other programs. */
  async #evictLargestGrowth(tenants: readonly Tenant[], what: keyof DiskAmount): Promise<void> {
    const grown = tenants
      .filter(({ runs }) => runs.length > 0)
      .map((tenant) => ({ tenant, by: this.#getGrowth(tenant, what) }))
      .filter(({ by }) => by > GROWTH_IGNORED[what])
      .sort((one, other) => other.by - one.by);
    const [most] = grown;
    if (most !== undefined) await this.#evict(most.tenant, describeLargestGrowth(what, most.by));
  }

  #getGrowth({ id, used }: Tenant, what: keyof DiskAmount): number {
    if (used === undefined) return Number.POSITIVE_INFINITY;
    return used[what] - (this.#previous.get(id) ?? used)[what];
  }

  async #evict({ id, runs }: Tenant, why: string): Promise<void> {
    if (runs.length === 0) return;
    const { runner, notice } = this.#parts;
    const builds = runs.filter(({ isBuild }) => isBuild);
    for (const { name } of builds.length > 0 ? builds : runs) await runner.evict(name, why);
    notice(`disk: stopped ${id}: ${why}`);
  }

  /** Runs work and reports a failure to the operator; the next check repeats it. */
  async #reportFailure(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (this.#closing.signal.aborted) return;
      this.#parts.notice(`disk: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
}

/** Returns the resource below its reserve; `undefined` if there is enough. */
function findShortage(free: DiskAmount, reserve: DiskAmount): keyof DiskAmount | undefined {
  if (free.bytes < reserve.bytes) return 'bytes';
  return free.files < reserve.files ? 'files' : undefined;
}

/** Describes a quota violation; `undefined` if there is none. */
function describeOverQuota(used: DiskAmount, quota: DiskAmount): string | undefined {
  if (used.bytes > quota.bytes) {
    return `disk quota exceeded: ${toMib(used.bytes)} MiB of ${toMib(quota.bytes)} MiB`;
  }
  if (used.files <= quota.files) return undefined;
  return `disk quota exceeded: ${used.files} of ${quota.files} files`;
}

/** Describes why the fastest-growing tenant is stopped while disk space is low. */
function describeLargestGrowth(what: keyof DiskAmount, by: number): string {
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
