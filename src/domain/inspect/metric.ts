/** What a metric is, in the words of Prometheus. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

/** One line of a metric. */
export interface MetricValue {
  /** Stands behind the name: `_bucket`, `_sum` and `_count` of histograms. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with everything that is measured of it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly values: readonly MetricValue[];
}

/** Measures everything now. */
export type Scrape = () => readonly Metric[];
