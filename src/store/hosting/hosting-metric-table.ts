import type { MetricType } from '../../domain/hosting/value-sets.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';
import { Environment, type FileUsage } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from '../engine/commit-queue.ts';
import {
  BLOCK_BUCKETS,
  type Block,
  BUCKET_MS,
  createBlock,
  decodeBlock,
  encodeBlock,
} from './hosting-metric-blocks.ts';

const FORMAT = 1;
/** Rows removed per commit. */
const REMOVED_BATCH = 1_000;
/** How long a finished block stays in memory, in milliseconds. */
const FINISHED_KEPT_MS = 120_000;

/** Metric of a series; `observed` records the buckets in which requests were counted at all. */
export type Metric = MetricType | 'observed';

/** Identifies one series. */
export interface SeriesKey {
  readonly resource: string;
  readonly metric: Metric;
  /** Values of its labels, one per line. */
  readonly labels: string;
}

/** A block of a series, as read. */
export interface SeriesBlock {
  readonly labels: string;
  readonly block: Block;
}

interface OpenBlock extends SeriesKey {
  readonly number: number;
  readonly block: Block;
  isDirty: boolean;
}

/**
 * Blocks of all series: current ones in memory, flushed ones on disk under `[resource, metric,
 * number of the block, labels]`. A time range of a metric is thus one key range.
 */
export class MetricTable {
  readonly #environment: Environment;
  readonly #series: TextTable;
  readonly #sources: TextTable;
  readonly #open = new Map<string, OpenBlock>();

  /** @throws {EngineError} The errors of `Environment`. */
  constructor(options: EnvironmentOptions) {
    this.#environment = new Environment(options, FORMAT);
    this.#series = this.#environment.openTable('series', { isCompressed: true });
    this.#sources = this.#environment.openTable('sources');
  }

  /** Returns the block of a series that contains a bucket, for modification. */
  openBlock(key: SeriesKey, bucket: number): Block {
    const kind = blockKind(key.metric);
    const number = Math.floor(bucket / BLOCK_BUCKETS[kind]);
    const name = blockKey(key, number);
    const known = this.#open.get(name);
    if (known !== undefined) {
      known.isDirty = true;
      return known.block;
    }
    const block = this.#read(key, number) ?? createBlock(kind);
    this.#open.set(name, { ...key, number, block, isDirty: true });
    return block;
  }

  /** Returns all series of a metric in one block, from memory and disk. */
  listBlocks(resource: string, metric: Metric, number: number): readonly SeriesBlock[] {
    const found: SeriesBlock[] = [];
    for (const labels of this.listLabels(resource, metric, number)) {
      const open = this.#open.get(blockKey({ resource, metric, labels }, number));
      const block = open?.block ?? this.#read({ resource, metric, labels }, number);
      if (block !== undefined) found.push({ labels, block });
    }
    return found;
  }

  /** Returns the labels of all series of a metric in one block. */
  listLabels(resource: string, metric: Metric, number: number): ReadonlySet<string> {
    const range = { start: [resource, metric, number], end: [resource, metric, number + 1] };
    const keys = Array.from(this.#series.getKeys(range), (key) => key as readonly unknown[]);
    const found = new Set(keys.map((key) => String(key[3])));
    for (const open of this.#open.values()) {
      const isOf = open.resource === resource && open.metric === metric && open.number === number;
      if (isOf) found.add(open.labels);
    }
    return found;
  }

  /** Returns the positions of the sources when the table was opened. */
  positions(): ReadonlyMap<string, number> {
    const rows = this.#sources.getRange();
    return new Map(Array.from(rows, ({ key, value }) => [String(key), Number(value)]));
  }

  /**
   * Writes changed blocks and the positions of sources, all or nothing. Finished blocks are removed
   * from memory.
   *
   * @throws {EngineError} The errors of `Environment.commit`; the changes are then written the next
   * time.
   */
  async flush(positions: ReadonlyMap<string, number>, removed: Iterable<string>, now: number) {
    const changed = [...this.#open.values()].filter(({ isDirty }) => isDirty);
    const ops: Op[] = changed.map(({ resource, metric, labels, number, block }) => ({
      db: this.#series,
      key: [resource, metric, number, labels],
      text: encodeBlock(block, number * BLOCK_BUCKETS[block.kind]),
    }));
    for (const source of removed) ops.push({ db: this.#sources, key: source });
    for (const [source, end] of positions) {
      ops.push({ db: this.#sources, key: source, text: String(end) });
    }
    if (ops.length === 0) return;
    for (const open of changed) open.isDirty = false;
    try {
      await this.#environment.commit(ops);
    } catch (thrown) {
      for (const open of changed) open.isDirty = true;
      throw thrown;
    }
    for (const [name, { isDirty, number, block }] of this.#open) {
      const overAt = (number + 1) * BLOCK_BUCKETS[block.kind] * BUCKET_MS;
      if (!isDirty && overAt + FINISHED_KEPT_MS < now) this.#open.delete(name);
    }
  }

  /** Removes all blocks that end before a time, in milliseconds. */
  async removeBefore(time: number): Promise<void> {
    let keys: (readonly unknown[])[] = [];
    for (const { resource, metric } of this.#listMetrics()) {
      const number = Math.floor(time / (BUCKET_MS * BLOCK_BUCKETS[blockKind(metric)]));
      const range = { start: [resource, metric], end: [resource, metric, number] };
      for (const key of [...this.#series.getKeys(range)]) {
        keys.push(key as readonly unknown[]);
        if (keys.length < REMOVED_BATCH) continue;
        await this.#remove(keys);
        keys = [];
      }
    }
    await this.#remove(keys);
  }

  usage(): FileUsage {
    return this.#environment.usage();
  }

  /** Returns rows and bytes of each key family. */
  sizes(): readonly FamilySize[] {
    return this.#environment.sizes();
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  async #remove(keys: readonly (readonly unknown[])[]): Promise<void> {
    const ops = keys.map((key) => ({ db: this.#series, key: key as string[] }));
    if (ops.length > 0) await this.#environment.commit(ops);
  }

  /** Lists every metric of every resource on disk; the keys in between are skipped. */
  #listMetrics(): readonly Pick<SeriesKey, 'resource' | 'metric'>[] {
    const found: Pick<SeriesKey, 'resource' | 'metric'>[] = [];
    let start: (string | number)[] = [''];
    for (;;) {
      const [key] = this.#series.getKeys({ start, limit: 1 });
      if (key === undefined) return found;
      const [resource, metric] = key as [string, Metric];
      found.push({ resource, metric });
      start = [resource, metric, Number.MAX_SAFE_INTEGER];
    }
  }

  #read(key: SeriesKey, number: number): Block | undefined {
    const kind = blockKind(key.metric);
    const bytes = this.#series.getBytes([key.resource, key.metric, number, key.labels]);
    return bytes === undefined ? undefined : decodeBlock(kind, number * BLOCK_BUCKETS[kind], bytes);
  }
}

/** Returns how the values of a metric are aggregated. */
export function blockKind(metric: Metric): Block['kind'] {
  switch (metric) {
    case 'http_latency':
      return 'sketch';
    case 'http_request_count':
    case 'bandwidth_usage':
    case 'observed':
      return 'counter';
    case 'cpu_usage':
    case 'cpu_limit':
    case 'cpu_target':
    case 'memory_usage':
    case 'memory_limit':
    case 'memory_target':
    case 'instance_count':
    case 'active_connections':
      return 'gauge';
  }
}

function blockKey({ resource, metric, labels }: SeriesKey, number: number): string {
  return `${resource}\n${metric}\n${number}\n${labels}`;
}
