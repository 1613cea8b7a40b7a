import { z } from 'zod';
import type { JsonObject } from '../common/json.ts';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import { KEY_VALUE_PLANS, POSTGRES_PLANS, SERVICE_PLANS } from './plans.ts';
import {
  AUTO_DEPLOY,
  LOG_LEVELS,
  LOG_TYPES,
  MAXMEMORY_POLICIES,
  PERSISTENCE_MODES,
  REGIONS,
  RUNTIMES,
} from './value-sets.ts';

/** Returns the keys of a table as values for `z.enum`. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>) {
  return Object.keys(table) as [Key, ...Key[]];
}

/** Schema of a workspace, the owner of resources. */
export const WorkspaceShape = z.object({
  /** `tea-` and 20 characters. */
  id: z.string(),
  name: z.string(),
  /** Empty if unknown. */
  email: z.string(),
  type: z.enum(['user', 'team']),
});
/** A workspace, the owner of resources. */
export type Workspace = Readonly<z.infer<typeof WorkspaceShape>>;

const Suspension = z.enum(['suspended', 'not_suspended']);

/** Fields common to all services. Times are RFC 3339 in UTC. */
const serviceBase = {
  /** `srv-` or `crn-` and 20 characters. */
  id: z.string(),
  name: z.string(),
  /** Name in addresses. It has a suffix if the plain name was taken. */
  slug: z.string(),
  ownerId: z.string().describe('The workspace.'),
  /** Address of the source repository. */
  repo: z.string(),
  branch: z.string(),
  pushUrl: z.string().exactOptional().describe('Git push address of a service without repo.'),
  autoDeploy: z.enum(AUTO_DEPLOY),
  suspended: Suspension,
  /** Reasons for the suspension, such as `user` or `stuck_crashlooping`. */
  suspenders: z.array(z.string()).readonly(),
  /** Console page of the service. */
  dashboardUrl: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
} as const;

const NativeRun = {
  runtime: z.enum(RUNTIMES).exclude(['docker']),
  buildCommand: z.string(),
  startCommand: z.string(),
} as const;
const DockerRun = {
  runtime: z.literal('docker'),
  dockerfilePath: z.string(),
  dockerContext: z.string(),
  /** If empty, the entry point and command of the Dockerfile apply. */
  dockerCommand: z.string(),
} as const;
const WebDetails = {
  plan: z.enum(keysOf(SERVICE_PLANS)),
  region: z.enum(REGIONS),
  numInstances: z.number(),
  /** If empty, a listening port counts as healthy. */
  healthCheckPath: z.string(),
  url: z.string(),
  /** Time between SIGTERM and SIGKILL, in seconds. */
  maxShutdownDelaySeconds: z.number(),
  /** Runs before each cut-over; empty for none. */
  preDeployCommand: z.string(),
} as const;
const CronDetails = {
  plan: z.enum(keysOf(SERVICE_PLANS)),
  region: z.enum(REGIONS),
  schedule: z.string(),
  nextRunAt: z.string().exactOptional(),
  lastSuccessfulRunAt: z.string().exactOptional(),
} as const;

const WebServiceShape = z.object({
  ...serviceBase,
  type: z.literal('web_service'),
  serviceDetails: z.union([
    z.object({ ...NativeRun, ...WebDetails }),
    z.object({ ...DockerRun, ...WebDetails }),
  ]),
});
const StaticSiteShape = z.object({
  ...serviceBase,
  type: z.literal('static_site'),
  serviceDetails: z.object({
    buildCommand: z.string(),
    publishPath: z.string(),
    url: z.string(),
  }),
});
const CronJobShape = z.object({
  ...serviceBase,
  type: z.literal('cron_job'),
  serviceDetails: z.union([
    z.object({ ...NativeRun, ...CronDetails }),
    z.object({ ...DockerRun, ...CronDetails }),
  ]),
});
/** Schema of a service of any type. It has no values of variables. */
export const ServiceShape = z.union([WebServiceShape, StaticSiteShape, CronJobShape]);
/** A program that serves HTTP. */
export type WebService = Readonly<z.infer<typeof WebServiceShape>>;
/** A site of static files, served by the router. */
export type StaticSite = Readonly<z.infer<typeof StaticSiteShape>>;
/** A program that runs on a schedule. */
export type CronJob = Readonly<z.infer<typeof CronJobShape>>;
/** A service of any type. */
export type Service = WebService | StaticSite | CronJob;

const RunSpecShape = z.union([z.object(NativeRun), z.object(DockerRun)]);
/** How a service is built and started: by commands or from a Dockerfile. */
export type RunSpec = Readonly<z.infer<typeof RunSpecShape>>;

/**
 * An environment variable. Its value is stored encrypted and leaves the provider only for the
 * program.
 */
export interface EnvVar {
  readonly key: string;
  readonly value: string;
}

/** Deploy states from the vendor's public documentation; the specification lists none. */
export const DEPLOY_STATUSES = [
  'created',
  'queued',
  'build_in_progress',
  'build_failed',
  'pre_deploy_in_progress',
  'pre_deploy_failed',
  'update_in_progress',
  'update_failed',
  'live',
  'deactivated',
  'canceled',
] as const;
/** The state of a deploy. */
export type DeployStatus = (typeof DEPLOY_STATUSES)[number];

/** Causes of a deploy. */
export const DEPLOY_TRIGGERS = [
  'api',
  'first_build',
  'manual',
  'new_commit',
  'rollback',
  'service_resumed',
  'service_updated',
] as const;
/** The cause of a deploy. */
export type DeployTrigger = (typeof DEPLOY_TRIGGERS)[number];

const FailureReasonShape = z.object({
  /** Exited with code 0 although the program must keep running. */
  earlyExit: z.literal(true).exactOptional(),
  nonZeroExit: z.number().exactOptional(),
  /** Killed by the kernel at the memory limit. */
  oomKilled: z.object({ memoryLimitMib: z.number() }).exactOptional(),
  /** Status and start of the body of the health check response, or why there was no response. */
  unhealthy: z.string().exactOptional(),
  timedOut: z.object({ seconds: z.number(), what: z.string() }).exactOptional(),
  /** The host evicted the instance, for example because of disk space. */
  evicted: z.string().exactOptional(),
  /** Name of the toolchain or program that the host lacks. */
  missing: z.string().exactOptional(),
});
/** Why something failed. Recorded in the event and the deploy, never in the logs. */
export type FailureReason = Readonly<z.infer<typeof FailureReasonShape>>;

/** Schema of an attempt to make a version of a service live. */
export const DeployShape = z.object({
  /** `dep-` and 20 characters. */
  id: z.string(),
  serviceId: z.string(),
  /** `null` until the source is fetched. */
  commit: z.object({ id: z.string(), message: z.string(), createdAt: z.string() }).nullable(),
  status: z.enum(DEPLOY_STATUSES),
  trigger: z.enum(DEPLOY_TRIGGERS),
  /** Only on failed deploys. */
  reason: FailureReasonShape.exactOptional(),
  createdAt: z.string(),
  startedAt: z.string().exactOptional(),
  updatedAt: z.string(),
  finishedAt: z.string().exactOptional(),
});
/** An attempt to make a version of a service live. */
export type Deploy = Readonly<z.infer<typeof DeployShape>>;

/** Schema of an event of a service. */
export const ServiceEventShape = z.object({
  /** `evt-` and 20 characters. */
  id: z.string(),
  serviceId: z.string(),
  timestamp: z.string(),
  type: z.enum(EVENT_TYPES as readonly [EventType, ...EventType[]]),
  details: z.record(z.string(), z.unknown()),
});
/** An event of a service. Only machine transitions write events. */
export type ServiceEvent = Readonly<
  Omit<z.infer<typeof ServiceEventShape>, 'details'> & { details: JsonObject }
>;

/** One run of a cron job. */
export interface CronRun {
  /** `crr-` and 20 characters. */
  readonly id: string;
  readonly serviceId: string;
  readonly status: 'pending' | 'successful' | 'unsuccessful' | 'canceled';
  readonly reason?: FailureReason;
  readonly startedAt: string;
  readonly finishedAt?: string;
}

/** Schema of a stored log line. */
export const LogLineShape = z.object({
  /** Resource, time and sequence number; unique and ordered. */
  id: z.string(),
  /** RFC 3339 with nine fractional digits. The last six distinguish lines of one millisecond. */
  timestamp: z.string(),
  message: z.string(),
  /** Those of a request appear only on lines of the router. */
  labels: z.object({
    resource: z.string(),
    type: z.enum(LOG_TYPES),
    level: z.enum(LOG_LEVELS),
    instance: z.string().exactOptional(),
    host: z.string().exactOptional(),
    statusCode: z.string().exactOptional(),
    method: z.string().exactOptional(),
    path: z.string().exactOptional(),
  }),
});
/** A stored log line. */
export type LogLine = Readonly<z.infer<typeof LogLineShape>>;
/** Labels of a log line. */
export type LogLabels = Readonly<LogLine['labels']>;

/** Schema of a page of log lines. */
export const LogPageShape = z.object({
  logs: z.array(LogLineShape).readonly(),
  hasMore: z.boolean(),
  nextStartTime: z.string().describe('startTime of the next page.'),
  nextEndTime: z.string().describe('endTime of the next page.'),
});
/** A page of log lines. The two times continue the query without gaps or duplicates. */
export type LogPage = Readonly<z.infer<typeof LogPageShape>>;

/** Schema of a series of values over time. */
export const TimeSeriesShape = z.object({
  labels: z.array(z.object({ field: z.string(), value: z.string() })).readonly(),
  /** Oldest first. */
  values: z.array(z.object({ timestamp: z.string(), value: z.number() })).readonly(),
  /** Such as `cpu`, `bytes`, `ms`, `count`. */
  unit: z.string(),
});
/** A series of values over time. */
export type TimeSeries = Readonly<z.infer<typeof TimeSeriesShape>>;

/** Schema of an address range that may connect from outside. */
export const AllowedRangeShape = z.object({ cidrBlock: z.string(), description: z.string() });
/** An address range that may connect from outside. */
export type AllowedRange = Readonly<z.infer<typeof AllowedRangeShape>>;

/** Database states used here, from the vendor's public documentation. */
export const DATABASE_STATUSES = [
  'creating',
  'available',
  'unavailable',
  'config_restart',
  'suspended',
  'recovery_in_progress',
  'recovery_failed',
] as const;
/** The state of a database. */
export type DatabaseStatus = (typeof DATABASE_STATUSES)[number];

/** Schema of a Postgres server. It has no password and no address with one. */
export const PostgresShape = z.object({
  /** `dpg-`, 20 characters, `-a`. */
  id: z.string(),
  name: z.string(),
  ownerId: z.string().describe('The workspace.'),
  plan: z.enum(POSTGRES_PLANS),
  region: z.enum(REGIONS),
  /** Major version. */
  version: z.string(),
  status: z.enum(DATABASE_STATUSES),
  /** Why the server is not available, if known. */
  reason: z.string().exactOptional(),
  role: z.literal('primary'),
  databaseName: z.string(),
  databaseUser: z.string(),
  diskSizeGB: z.number(),
  ipAllowList: z.array(AllowedRangeShape).readonly(),
  suspended: Suspension,
  dashboardUrl: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
/** A Postgres server. Contains no password and no address with one. */
export type Postgres = Readonly<z.infer<typeof PostgresShape>>;

/** Schema of a Key Value instance. It has no password and no address with one. */
export const KeyValueShape = z.object({
  /** `red-` and 20 characters. */
  id: z.string(),
  name: z.string(),
  ownerId: z.string().describe('The workspace.'),
  plan: z.enum(keysOf(KEY_VALUE_PLANS)),
  region: z.enum(REGIONS),
  status: z.enum(DATABASE_STATUSES),
  /** Why the server is not available, if known. */
  reason: z.string().exactOptional(),
  /** Name and version of the server program, such as `Redis 7.0.15`. */
  version: z.string(),
  options: z.object({
    maxmemoryPolicy: z.enum(MAXMEMORY_POLICIES),
    persistenceMode: z.enum(PERSISTENCE_MODES),
  }),
  ipAllowList: z.array(AllowedRangeShape).readonly(),
  dashboardUrl: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
/** A Key Value instance. Contains no password and no address with one. */
export type KeyValue = Readonly<z.infer<typeof KeyValueShape>>;

const CellShape = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** Schema of the result of a read-only query. */
export const SqlResultShape = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })).readonly(),
  rows: z
    .array(z.array(CellShape).readonly())
    .readonly()
    .describe('Cells in column order, so that columns with equal names are kept.'),
  truncated: z.enum(['rows', 'bytes']).exactOptional().describe('The limit that cut the answer.'),
});
/** Result of a read-only query. */
export type SqlResult = Readonly<z.infer<typeof SqlResultShape>>;

/** Continuation fields of a list. */
export const ContinuationShape = {
  hasMore: z.boolean(),
  cursor: z.string().exactOptional().describe('Pass it as cursor for the next page.'),
} as const;
