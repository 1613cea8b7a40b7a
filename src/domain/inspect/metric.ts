/** The Prometheus type of a metric. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

/** One sample line of a metric. */
export interface MetricValue {
  /** Suffix of the name: `_bucket`, `_sum` and `_count` of histograms. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all of its samples. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly values: readonly MetricValue[];
}

/** Collects all current metrics. */
export type Scrape = () => readonly Metric[];
