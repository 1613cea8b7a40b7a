/** Runtimes of services and cron jobs (hosting specification, section 2). */
export const RUNTIMES = ['node', 'python', 'go', 'rust', 'ruby', 'elixir', 'docker'] as const;
/** What builds and runs a program. */
export type Runtime = (typeof RUNTIMES)[number];

/** Regions. On one machine a region is a label, and answers say so. */
export const REGIONS = ['oregon', 'frankfurt', 'singapore', 'ohio', 'virginia'] as const;
/** The name of a region. */
export type Region = (typeof REGIONS)[number];
/** The region of a resource that names none. */
export const DEFAULT_REGION: Region = 'oregon';

/** Whether a service deploys when its branch moves; strings on the wire. */
export const AUTO_DEPLOY = ['yes', 'no'] as const;
/** Whether a moved branch is deployed. */
export type AutoDeploy = (typeof AUTO_DEPLOY)[number];

/** What a Key Value instance evicts at its memory limit. */
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
/** What is evicted. */
export type MaxmemoryPolicy = (typeof MAXMEMORY_POLICIES)[number];

/** How a Key Value instance keeps its data. */
export const PERSISTENCE_MODES = ['journal_snapshot', 'snapshot', 'off'] as const;
/** How data is kept. */
export type PersistenceMode = (typeof PERSISTENCE_MODES)[number];

/** Metric types, by what they belong to. A type that does not fit a resource gives no series. */
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
/** One type of metric. */
export type MetricType = (typeof METRIC_TYPES)[number];

/** What the values of a metric count. */
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

/** How CPU usage is gathered into one value of a longer step. */
export const CPU_AGGREGATIONS = ['AVG', 'MAX', 'MIN'] as const;
/** How values of a step become one. */
export type CpuAggregation = (typeof CPU_AGGREGATIONS)[number];

/** How request counts may be split. */
export const REQUEST_COUNT_LABELS = ['host', 'statusCode'] as const;
/** A label by which requests are counted apart. */
export type RequestCountLabel = (typeof REQUEST_COUNT_LABELS)[number];

/** Labels whose values can be listed. The path is left out: it has no bound. */
export const LOG_LABELS = ['host', 'instance', 'level', 'method', 'statusCode', 'type'] as const;
/** A label whose values can be listed. */
export type LogLabel = (typeof LOG_LABELS)[number];

/** Kinds of log lines: written by the program, by the router for a request, by a build. */
export const LOG_TYPES = ['app', 'request', 'build'] as const;
/** A kind of log lines. */
export type LogType = (typeof LOG_TYPES)[number];

/** Levels of log lines, mildest first. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
/** A level of log lines. */
export type LogLevel = (typeof LOG_LEVELS)[number];
