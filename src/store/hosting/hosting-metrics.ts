import pLimit from 'p-limit';
import { invariant } from '../../domain/common/error.ts';
import { DAY_MS, HOUR_MS } from '../../domain/common/time.ts';
import type {
  GaugeSample,
  HostingMetrics,
} from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import {
  LABEL_BOUNDS,
  limitValues,
  normalizePath,
} from '../../domain/hosting/telemetry/request-path.ts';
import type { RequestRow } from '../../domain/hosting/telemetry/request-row.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import { convertStoreError } from '../common/store-error.ts';
import {
  addCount,
  addLatency,
  addSample,
  BLOCK_BUCKETS,
  BUCKET_MS,
} from './hosting-metric-blocks.ts';
import { readSeries } from './hosting-metric-series.ts';
import { type Metric, MetricTable } from './hosting-metric-table.ts';

/** Retention limits of the metrics. */
export interface MetricRetention {
  readonly daysMax: number;
  readonly bytesMax: number;
}

/** Default metric retention: 30 days, 1 GiB. */
export const METRIC_RETENTION: MetricRetention = { daysMax: 30, bytesMax: 1024 ** 3 };
/** Maximum sources whose positions are kept; the least recently written one is dropped first. */
export const METRIC_SOURCES_MAX = 10_000;

/** Location and limits of the metrics. */
export interface MetricOptions extends EnvironmentOptions {
  readonly retention?: MetricRetention;
  readonly clock?: RuntimeClock;
}

/**
 * Opens the metrics of all resources.
 *
 * @throws {EngineError} `STORE_FULL`, `STORE_NEWER`, `STORE_BUSY`, `STORE_FAILED`
 */
export function openHostingMetrics(options: MetricOptions): HostingMetrics {
  return new MetricStore(options);
}

/** Hosts and paths that have their own label in one hour. */
interface KnownLabels {
  readonly hour: number;
  readonly hosts: Set<string>;
  readonly paths: Set<string>;
}

class MetricStore implements HostingMetrics {
  readonly #table: MetricTable;
  readonly #retention: MetricRetention;
  readonly #clock: RuntimeClock;
  readonly #knownLabels = new Map<string, KnownLabels>();
  /** Positions on disk; and positions counted, least recently written source first. */
  readonly #stored: Map<string, number>;
  readonly #counted: Map<string, number>;
  readonly #dropped = new Set<string>();
  readonly #serialize = pLimit(1);
  #cancel: () => void = () => undefined;
  #trimmedAt: number;
  #isClosed = false;

  constructor({ retention = METRIC_RETENTION, clock = systemClock(), ...place }: MetricOptions) {
    this.#table = new MetricTable(place);
    this.#retention = retention;
    this.#clock = clock;
    this.#stored = new Map(this.#table.positions());
    this.#counted = new Map(this.#stored);
    this.#trimmedAt = clock.now();
    this.#scheduleFlush();
  }

  recordGauge({ resource, metric, instance = '', at, value }: GaugeSample): void {
    invariant(Number.isFinite(value), 'a sample is a finite number');
    const bucket = this.#bucketOf(at);
    addSample(this.#table.openBlock({ resource, metric, labels: instance }, bucket), bucket, value);
  }

  markObserved(resource: string, at: number): void {
    const bucket = this.#bucketOf(at);
    addCount(
      this.#table.openBlock({ resource, metric: 'observed', labels: '' }, bucket),
      bucket,
      1,
    );
  }

  countRequests(
    source: string,
    rows: readonly { readonly end: number; readonly row: RequestRow }[],
  ): void {
    let counted = this.#counted.get(source) ?? 0;
    for (const { end, row } of rows) {
      if (end <= counted) continue;
      counted = end;
      this.#countRequest(row);
    }
    this.#counted.delete(source);
    this.#counted.set(source, counted);
    this.#dropped.delete(source);
    for (const oldest of this.#counted.keys()) {
      if (this.#counted.size <= METRIC_SOURCES_MAX) break;
      this.#counted.delete(oldest);
      this.#dropped.add(oldest);
    }
  }

  countedUntil(source: string): number {
    return this.#stored.get(source) ?? 0;
  }

  series(query: Parameters<HostingMetrics['series']>[0]): ReturnType<HostingMetrics['series']> {
    return readSeries(this.#table, query, this.#clock.now());
  }

  flush(): Promise<void> {
    return this.#serialize(() => this.#flush());
  }

  async trim(): Promise<void> {
    const { daysMax, bytesMax } = this.#retention;
    for (let days = daysMax; days > 0; days -= 1) {
      await this.#table.removeBefore(this.#clock.now() - days * DAY_MS);
      const { sizeBytes, freeBytes } = this.#table.usage();
      if (sizeBytes - freeBytes <= bytesMax) return;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    // If this flush fails, the data since the last one is lost; the sources know its position.
    await this.flush().catch(() => undefined);
    await this.#table.close();
  }

  async #flush(): Promise<void> {
    const counted = new Map(this.#counted);
    const moved = new Map([...counted].filter(([source, end]) => this.#stored.get(source) !== end));
    const gone = [...this.#dropped];
    this.#dropped.clear();
    try {
      await this.#table.flush(moved, gone, this.#clock.now());
    } catch (thrown) {
      for (const source of gone) if (!this.#counted.has(source)) this.#dropped.add(source);
      throw convertStoreError(thrown);
    }
    for (const source of gone) this.#stored.delete(source);
    for (const [source, end] of moved) this.#stored.set(source, end);
    const hour = Math.floor(this.#clock.now() / HOUR_MS);
    for (const [resource, known] of this.#knownLabels) {
      if (known.hour < hour - 1) this.#knownLabels.delete(resource);
    }
  }

  #scheduleFlush(): void {
    this.#cancel = this.#clock.at(this.#clock.now() + BUCKET_MS, () => {
      // What could not be written is written the next time.
      void this.#flushAndTrim().finally(() => {
        if (!this.#isClosed) this.#scheduleFlush();
      });
    });
  }

  async #flushAndTrim(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.#isClosed || this.#clock.now() - this.#trimmedAt < HOUR_MS) return;
    this.#trimmedAt = this.#clock.now();
    await this.trim().catch(() => undefined);
  }

  #countRequest(row: RequestRow): void {
    const { resource, status, ms, bytes } = row;
    const bucket = this.#bucketOf(row.at);
    const { host, path } = this.#boundLabels(row, bucket);
    const block = (metric: Metric, labels: string) =>
      this.#table.openBlock({ resource, metric, labels }, bucket);
    addCount(block('http_request_count', `${host}\n${status}\n${path}`), bucket, 1);
    addCount(block('bandwidth_usage', ''), bucket, bytes);
    addLatency(block('http_latency', `${host}\n${path}`), bucket, ms);
  }

  /** Returns host and path shape as labels; values beyond the hourly limits share one label. */
  #boundLabels(
    { resource, host, path }: RequestRow,
    bucket: number,
  ): { host: string; path: string } {
    const hour = Math.floor(bucket / BLOCK_BUCKETS.counter);
    let known = this.#knownLabels.get(resource);
    if (known?.hour !== hour) {
      known = this.#loadKnown(resource, hour);
      this.#knownLabels.set(resource, known);
    }
    return {
      host: limitValues(known.hosts, host.toLowerCase(), LABEL_BOUNDS.hosts),
      path: limitValues(known.paths, normalizePath(path).replaceAll('\n', ' '), LABEL_BOUNDS.paths),
    };
  }

  #loadKnown(resource: string, hour: number): KnownLabels {
    const labels = [...this.#table.listLabels(resource, 'http_request_count', hour)];
    const parts = labels.map((one) => one.split('\n'));
    return {
      hour,
      hosts: new Set(parts.map(([host = '']) => host)),
      paths: new Set(parts.map(([, , path = '']) => path)),
    };
  }

  /** A time in the future, or more than a day old, is replaced by the current time. */
  #bucketOf(at: number): number {
    const now = this.#clock.now();
    return Math.floor((at > now || at <= now - DAY_MS ? now : at) / BUCKET_MS);
  }
}
