/** Runtimes of services and cron jobs (hosting specification, section 2). */
export const RUNTIMES = ['node', 'python', 'go', 'rust', 'ruby', 'elixir', 'docker'] as const;
/** The runtime that builds and runs a program. */
export type Runtime = (typeof RUNTIMES)[number];

/** Regions. On a single machine a region is only a label, and results say so. */
export const REGIONS = ['oregon', 'frankfurt', 'singapore', 'ohio', 'virginia'] as const;
/** A region. */
export type Region = (typeof REGIONS)[number];
/** The region of a resource whose order names none. */
export const DEFAULT_REGION: Region = 'oregon';

/** Whether a service deploys when its branch changes. These are strings on the wire. */
export const AUTO_DEPLOY = ['yes', 'no'] as const;
/** Whether a changed branch is deployed. */
export type AutoDeploy = (typeof AUTO_DEPLOY)[number];

/** Eviction policies of a Key Value instance at its memory limit. */
export const MAXMEMORY_POLICIES = [
  'noeviction',
  'allkeys_lfu',
  'allkeys_lru',
  'allkeys_random',
  'volatile_lfu',
  'volatile_lru',
  'volatile_random',
  'volatile_ttl',
] as const;
/** An eviction policy. */
export type MaxmemoryPolicy = (typeof MAXMEMORY_POLICIES)[number];

/** Persistence modes of a Key Value instance. */
export const PERSISTENCE_MODES = ['journal_snapshot', 'snapshot', 'off'] as const;
/** A persistence mode. */
export type PersistenceMode = (typeof PERSISTENCE_MODES)[number];

/** Metric types, grouped by subject. A type that does not apply to a resource returns no series. */
export const METRIC_TYPES = [
  'cpu_usage',
  'cpu_limit',
  'cpu_target',
  'memory_usage',
  'memory_limit',
  'memory_target',
  'instance_count',
  'http_request_count',
  'http_latency',
  'bandwidth_usage',
  'active_connections',
] as const;
/** A metric type. */
export type MetricType = (typeof METRIC_TYPES)[number];

/** Units of metric values. */
export const METRIC_UNITS: Readonly<Record<MetricType, string>> = {
  cpu_usage: 'cpu',
  cpu_limit: 'cpu',
  cpu_target: 'cpu',
  memory_usage: 'bytes',
  memory_limit: 'bytes',
  memory_target: 'bytes',
  instance_count: 'count',
  http_request_count: 'count',
  http_latency: 'ms',
  bandwidth_usage: 'bytes',
  active_connections: 'count',
};

/** Aggregations of CPU usage within one step. */
export const CPU_AGGREGATIONS = ['AVG', 'MAX', 'MIN'] as const;
/** An aggregation of the values within one step. */
export type CpuAggregation = (typeof CPU_AGGREGATIONS)[number];

/** Labels by which request counts can be split. */
export const REQUEST_COUNT_LABELS = ['host', 'statusCode'] as const;
/** A label by which request counts are split. */
export type RequestCountLabel = (typeof REQUEST_COUNT_LABELS)[number];

/** Labels whose values can be listed. Paths are excluded because their number is unbounded. */
export const LOG_LABELS = ['host', 'instance', 'level', 'method', 'statusCode', 'type'] as const;
/** A label whose values can be listed. */
export type LogLabel = (typeof LOG_LABELS)[number];

/** Types of log lines: from the program, from the router per request, or from a build. */
export const LOG_TYPES = ['app', 'request', 'build'] as const;
/** A type of log line. */
export type LogType = (typeof LOG_TYPES)[number];

/** Log levels, least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
/** A log level. */
export type LogLevel = (typeof LOG_LEVELS)[number];
