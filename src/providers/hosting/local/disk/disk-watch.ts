import { MINUTE_MS, SECOND_MS } from '../../../../domain/time.ts';
import { DISK_RESERVE_BYTES } from '../capacity.ts';
import type { Keeper } from '../keeper.ts';
import type { Layout } from '../layout.ts';
import { freeBytes, measureFolder } from './usage.ts';

/** What the watch keeps to. */
export interface DiskBounds {
  /** Time between two looks at what is free, in milliseconds. */
  readonly lookMs: number;
  /** Time after which everything that runs is measured, however little was written. */
  readonly measureMs: number;
  /** What may be written between two looks before everything that runs is measured, in bytes. */
  readonly growthBytes: number;
  /** Free disk below which whoever grows most is ended, in bytes. */
  readonly reserveBytes: number;
}

/** Bounds of a machine that hosts. */
export const DISK_BOUNDS: DiskBounds = {
  lookMs: SECOND_MS,
  measureMs: MINUTE_MS / 2,
  growthBytes: 64 * 1_048_576,
  reserveBytes: DISK_RESERVE_BYTES,
};
/** Share of the time that is spent with measuring, at most. */
const MEASURING_SHARE = 0.2;
/** Growth between two looks that is nobody's fault, in bytes. */
const CALM_BYTES = 4 * 1_048_576;
const BYTES_PER_MIB = 1_048_576;

/** What the watch works with. */
export interface DiskWatchParts {
  readonly layout: Pick<Layout, 'root' | 'service'>;
  readonly keeper: Keeper;
  /** The most that somebody may have on the disk, in bytes; `undefined` for one that is gone. */
  readonly capOf: (id: string) => Promise<number | undefined>;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
  readonly bounds?: Partial<DiskBounds>;
}

/** Somebody with runs, and what their folder takes. */
interface Tenant {
  readonly id: string;
  readonly runs: readonly { readonly name: string; readonly isBuild: boolean }[];
  /** `undefined` where it is not known. */
  readonly usedBytes: number | undefined;
}

/**
 * Ends programs that take more of the disk than their plan has, and keeps a reserve of it free:
 * there whoever grew most is ended. A build goes before the programs of its service. Only folders
 * of what runs are measured, and at most a fifth of the time is spent with it.
 */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  readonly #bounds: DiskBounds;
  readonly #closing = new AbortController();
  readonly #before = new Map<string, number>();
  readonly #unmeasured = new Set<string>();
  #measuredAt = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  #freeThen = Number.POSITIVE_INFINITY;
  readonly #running: Promise<void>;

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
    this.#bounds = { ...DISK_BOUNDS, ...parts.bounds };
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#closing.abort(new Error('the server ends'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { keeper, notice } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (thrown) {
        if (signal.aborted) return;
        notice(`disk: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      }
      await keeper.pause(this.#bounds.lookMs, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { keeper, layout } = this.#parts;
    const { reserveBytes, growthBytes, measureMs } = this.#bounds;
    const free = await freeBytes(layout.root);
    const isFull = free < reserveBytes;
    const hasGrown = this.#freeThen - free >= growthBytes;
    const begun = keeper.now();
    if (begun < this.#restUntil) return;
    if (!isFull && !hasGrown && begun - this.#measuredAt < measureMs) return;
    this.#freeThen = free;
    const tenants = await this.#measure();
    this.#measuredAt = keeper.now();
    this.#restUntil = this.#measuredAt + (this.#measuredAt - begun) * (1 / MEASURING_SHARE - 1);
    await this.#endOver(tenants);
    if (isFull) await this.#endGrowing(tenants);
    this.#before.clear();
    for (const { id, usedBytes } of tenants) {
      if (usedBytes !== undefined) this.#before.set(id, usedBytes);
    }
  }

  async #measure(): Promise<readonly Tenant[]> {
    const { layout, notice } = this.#parts;
    const found: Tenant[] = [];
    for (const [id, runs] of this.#runs()) {
      const usedBytes = await measureFolder(layout.service(id), this.#closing.signal);
      this.#closing.signal.throwIfAborted();
      if (usedBytes === undefined && !this.#unmeasured.has(id)) {
        notice(`disk: what ${id} takes could not be measured; only the reserve bounds it now`);
        this.#unmeasured.add(id);
      }
      if (usedBytes !== undefined) this.#unmeasured.delete(id);
      found.push({ id, runs, usedBytes });
    }
    return found;
  }

  #runs(): ReadonlyMap<string, Tenant['runs']> {
    const { keeper } = this.#parts;
    const found = new Map<string, Tenant['runs']>();
    for (const name of keeper.names()) {
      const now = keeper.look(name);
      if (now.state !== 'running') continue;
      const { service, type } = now.record;
      found.set(service, [...(found.get(service) ?? []), { name, isBuild: type === 'build' }]);
    }
    return found;
  }

  async #endOver(tenants: readonly Tenant[]): Promise<void> {
    for (const tenant of tenants) {
      const cap = await this.#parts.capOf(tenant.id);
      const { usedBytes } = tenant;
      if (cap === undefined || usedBytes === undefined || usedBytes <= cap) continue;
      const words = `its disk: ${mib(usedBytes)} of ${mib(cap)} MiB that its plan has`;
      await this.#evict(tenant, words);
    }
  }

  /** Nobody is ended for what others on the machine write. */
  async #endGrowing(tenants: readonly Tenant[]): Promise<void> {
    const grown = tenants
      .map((tenant) => ({ tenant, bytes: this.#growthOf(tenant) }))
      .filter(({ bytes }) => bytes > CALM_BYTES)
      .sort((one, other) => other.bytes - one.bytes);
    const [most] = grown;
    if (most === undefined) return;
    const by = Number.isFinite(most.bytes)
      ? `it grew most: by ${mib(most.bytes)} MiB`
      : 'what it takes cannot be measured';
    await this.#evict(most.tenant, `the machine's disk is nearly full, and ${by}`);
  }

  #growthOf({ id, usedBytes }: Tenant): number {
    if (usedBytes === undefined) return Number.POSITIVE_INFINITY;
    return usedBytes - (this.#before.get(id) ?? usedBytes);
  }

  async #evict({ id, runs }: Tenant, why: string): Promise<void> {
    const { keeper, notice } = this.#parts;
    const builds = runs.filter(({ isBuild }) => isBuild);
    for (const { name } of builds.length > 0 ? builds : runs) await keeper.evict(name, why);
    notice(`disk: ${id} was ended: ${why}`);
  }
}

function mib(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}
