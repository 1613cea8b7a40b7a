import type { LogFilters, LogQuery, MetricQuery } from '../hosting.ts';
import type { LogLine, LogPage, TimeSeries } from '../records.ts';
import type { LogLabel, MetricType } from '../value-sets.ts';
import type { LogIngest } from './log-ingest.ts';
import type { RequestRow } from './request-row.ts';

/** The logs of all resources. */
export interface HostingLogs extends LogIngest {
  /** @throws {AppError} `INPUT_INVALID` */
  query(query: LogQuery): Promise<LogPage>;
  /**
   * Returns the values of a label, sorted.
   *
   * @throws {AppError} `INPUT_INVALID`, also if the filters would scan too much.
   */
  labelValues(query: LogFilters & { readonly label: LogLabel }): Promise<readonly string[]>;
  /**
   * Streams lines as they are stored, until the signal aborts. A slow reader receives a notice of
   * skipped lines.
   */
  tail(filters: Pick<LogFilters, 'resource'>, signal: AbortSignal): AsyncIterable<LogLine>;
  /** Deletes lines beyond the age and size limits. Runs every minute while lines arrive. */
  trim(): Promise<void>;
  close(): Promise<void>;
}

/** Metrics that are sampled rather than counted by the router. */
export type GaugeType = Exclude<
  MetricType,
  'http_request_count' | 'http_latency' | 'bandwidth_usage'
>;

/** A sampled metric value. */
export interface GaugeSample {
  readonly resource: string;
  readonly metric: GaugeType;
  /** If absent, the value applies to the whole resource. */
  readonly instance?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** CPUs, bytes, or a count. */
  readonly value: number;
}

/** The metrics of all resources. A new value is readable at once and reaches the disk later. */
export interface HostingMetrics {
  recordGauge(sample: GaugeSample): void;
  /** Records that request counting is active for a service, so that no requests means zero. */
  markObserved(resource: string, at: number): void;
  /** Counts requests. Skips rows that end at or before `countedUntil(source)`. */
  countRequests(
    source: string,
    rows: readonly { readonly end: number; readonly row: RequestRow }[],
  ): void;
  /** Returns the end position of the last row that is counted on disk. */
  countedUntil(source: string): number;
  /** @throws {AppError} `INPUT_INVALID` */
  series(query: MetricQuery): Promise<readonly TimeSeries[]>;
  /** Writes everything to disk. Runs every 30 seconds. */
  flush(): Promise<void>;
  /** Deletes data beyond the age and size limits. Runs every hour. */
  trim(): Promise<void>;
  close(): Promise<void>;
}
