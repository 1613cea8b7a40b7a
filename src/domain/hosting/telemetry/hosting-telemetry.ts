import type { LogFilters, LogPage, LogQuery, MetricQuery } from '../hosting.ts';
import type { LogLine, TimeSeries } from '../records.ts';
import type { LogLabel, LogLevel, LogType, MetricType } from '../value-sets.ts';
import type { RequestRow } from './request-row.ts';

/** A line as its source hands it over. */
export interface NewLogLine {
  /** Where it ends in its source: a count of bytes or of lines. Grows within a source. */
  readonly end: number;
  readonly resource: string;
  readonly type: LogType;
  /** Milliseconds since 1970; left out, in the future or a day old: when it is taken in. */
  readonly at?: number;
  readonly message: string;
  /** Left out: read from the message. */
  readonly level?: LogLevel;
  readonly instance?: string;
  readonly host?: string;
  readonly statusCode?: string;
  readonly method?: string;
  readonly path?: string;
}

/** Takes lines of spool files, each line once, however often it is handed over. */
export interface LogIntake {
  /** Where the last line ends that was taken from a source; 0 for one that is not known. */
  taken(source: string): number;
  /**
   * Takes lines that come after those taken before; earlier ones are passed over.
   *
   * @param lines - At most 4,096.
   *
   * @returns When the disk has them.
   * @throws {AppError} `OVERLOADED` when too much waits for the disk, `STORE_FULL` at the disk
   *   reserve. Nothing of the lines is taken then: they are handed over again later.
   */
  append(source: string, lines: readonly NewLogLine[]): Promise<void>;
  /** Lets go of a source that will not come again. */
  forget(source: string): Promise<void>;
}

/** The logs of all resources. */
export interface HostingLogs extends LogIntake {
  /** @throws {AppError} `INPUT_INVALID` */
  query(query: LogQuery): Promise<LogPage>;
  /**
   * Values of a label, sorted.
   *
   * @throws {AppError} `INPUT_INVALID`, also when the filters ask for more than can be looked at.
   */
  labelValues(query: LogFilters & { readonly label: LogLabel }): Promise<readonly string[]>;
  /**
   * Lines as they reach the disk, until the signal aborts. A slow reader is told what it missed.
   */
  tail(filters: Pick<LogFilters, 'resource'>, signal: AbortSignal): AsyncIterable<LogLine>;
  /** Removes what is too old or too much. Runs by itself once a minute while lines come in. */
  trim(): Promise<void>;
  close(): Promise<void>;
}

/** Metrics that are sampled, and not counted by the router. */
export type GaugeType = Exclude<
  MetricType,
  'http_request_count' | 'http_latency' | 'bandwidth_usage'
>;

/** A sampled value. */
export interface GaugeSample {
  readonly resource: string;
  readonly metric: GaugeType;
  /** Left out: of the resource as a whole. */
  readonly instance?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** CPUs, bytes, or a count. */
  readonly value: number;
}

/** The metrics of all resources. What is taken in can be read at once; the disk has it later. */
export interface HostingMetrics {
  gauge(sample: GaugeSample): void;
  /** Says that requests of a service were counted: without any, their number was zero. */
  observe(resource: string, at: number): void;
  /** Counts requests; those that end at or before `taken(source)` are passed over. */
  requests(
    source: string,
    rows: readonly { readonly end: number; readonly row: RequestRow }[],
  ): void;
  /** Where the last row ends that the disk has counted. */
  taken(source: string): number;
  /** @throws {AppError} `INPUT_INVALID` */
  series(query: MetricQuery): Promise<readonly TimeSeries[]>;
  /** Brings everything to the disk. Runs by itself every 30 seconds. */
  flush(): Promise<void>;
  /** Removes what is too old or too much. Runs by itself once an hour. */
  trim(): Promise<void>;
  close(): Promise<void>;
}
