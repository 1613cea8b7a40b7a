import { z } from 'zod';
import { KEY_VALUE_PLANS, POSTGRES_PLANS, SERVICE_PLANS } from './plans.ts';
import { DATABASE_STATUSES, DEPLOY_STATUSES, DEPLOY_TRIGGERS } from './records.ts';
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

const Suspension = z.enum(['suspended', 'not_suspended']);

/** A workspace in a tool result. */
export const WorkspaceShape = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  type: z.enum(['user', 'team']),
});

const serviceBase = {
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  ownerId: z.string().describe('The workspace.'),
  repo: z.string(),
  branch: z.string(),
  pushUrl: z.string().optional().describe('Git push address of a service without repo.'),
  autoDeploy: z.enum(AUTO_DEPLOY),
  suspended: Suspension,
  suspenders: z.array(z.string()).readonly(),
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
  dockerCommand: z.string(),
} as const;
const WebDetails = {
  plan: z.enum(keysOf(SERVICE_PLANS)),
  region: z.enum(REGIONS),
  numInstances: z.number(),
  healthCheckPath: z.string(),
  url: z.string(),
  maxShutdownDelaySeconds: z.number(),
  preDeployCommand: z.string(),
} as const;
const CronDetails = {
  plan: z.enum(keysOf(SERVICE_PLANS)),
  region: z.enum(REGIONS),
  schedule: z.string(),
  nextRunAt: z.string().optional(),
  lastSuccessfulRunAt: z.string().optional(),
} as const;

/** A service in a tool result. Contains no values of variables. */
export const ServiceShape = z.union([
  z.object({
    ...serviceBase,
    type: z.literal('web_service'),
    serviceDetails: z.union([
      z.object({ ...NativeRun, ...WebDetails }),
      z.object({ ...DockerRun, ...WebDetails }),
    ]),
  }),
  z.object({
    ...serviceBase,
    type: z.literal('static_site'),
    serviceDetails: z.object({
      buildCommand: z.string(),
      publishPath: z.string(),
      url: z.string(),
    }),
  }),
  z.object({
    ...serviceBase,
    type: z.literal('cron_job'),
    serviceDetails: z.union([
      z.object({ ...NativeRun, ...CronDetails }),
      z.object({ ...DockerRun, ...CronDetails }),
    ]),
  }),
]);

/** A failure reason in a tool result. */
export const ReasonShape = z.object({
  earlyExit: z.literal(true).optional(),
  nonZeroExit: z.number().optional(),
  oomKilled: z.object({ memoryLimitMib: z.number() }).optional(),
  unhealthy: z.string().optional(),
  timedOut: z.object({ seconds: z.number(), what: z.string() }).optional(),
  evicted: z.string().optional(),
  missing: z.string().optional(),
});

/** A deploy in a tool result. */
export const DeployShape = z.object({
  id: z.string(),
  serviceId: z.string(),
  commit: z.object({ id: z.string(), message: z.string(), createdAt: z.string() }).nullable(),
  status: z.enum(DEPLOY_STATUSES),
  trigger: z.enum(DEPLOY_TRIGGERS),
  reason: ReasonShape.optional(),
  createdAt: z.string(),
  startedAt: z.string().optional(),
  updatedAt: z.string(),
  finishedAt: z.string().optional(),
});

/** An address range that may connect from outside. */
export const RangeShape = z.object({ cidrBlock: z.string(), description: z.string() });

/** A Postgres server in a tool result. Contains no password and no address with one. */
export const PostgresShape = z.object({
  id: z.string(),
  name: z.string(),
  ownerId: z.string().describe('The workspace.'),
  plan: z.enum(POSTGRES_PLANS),
  region: z.enum(REGIONS),
  version: z.string(),
  status: z.enum(DATABASE_STATUSES),
  reason: z.string().optional(),
  role: z.literal('primary'),
  databaseName: z.string(),
  databaseUser: z.string(),
  diskSizeGB: z.number(),
  ipAllowList: z.array(RangeShape).readonly(),
  suspended: Suspension,
  dashboardUrl: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A Key Value instance in a tool result. Contains no password and no address with one. */
export const KeyValueShape = z.object({
  id: z.string(),
  name: z.string(),
  ownerId: z.string().describe('The workspace.'),
  plan: z.enum(keysOf(KEY_VALUE_PLANS)),
  region: z.enum(REGIONS),
  status: z.enum(DATABASE_STATUSES),
  reason: z.string().optional(),
  version: z.string(),
  options: z.object({
    maxmemoryPolicy: z.enum(MAXMEMORY_POLICIES),
    persistenceMode: z.enum(PERSISTENCE_MODES),
  }),
  ipAllowList: z.array(RangeShape).readonly(),
  dashboardUrl: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** Continuation fields of a list. */
export const ContinuationShape = {
  hasMore: z.boolean(),
  cursor: z.string().optional().describe('Pass it as cursor for the next page.'),
} as const;

/** A log line. */
export const LogLineShape = z.object({
  id: z.string(),
  timestamp: z.string(),
  message: z.string(),
  labels: z.object({
    resource: z.string(),
    type: z.enum(LOG_TYPES),
    level: z.enum(LOG_LEVELS),
    instance: z.string().optional(),
    host: z.string().optional(),
    statusCode: z.string().optional(),
    method: z.string().optional(),
    path: z.string().optional(),
  }),
});

/** A page of log lines. */
export const LogPageShape = z.object({
  logs: z.array(LogLineShape).readonly(),
  hasMore: z.boolean(),
  nextStartTime: z.string().describe('startTime of the next page.'),
  nextEndTime: z.string().describe('endTime of the next page.'),
});

/** The time series of a metric. */
export const SeriesShape = z
  .array(
    z.object({
      labels: z.array(z.object({ field: z.string(), value: z.string() })).readonly(),
      values: z.array(z.object({ timestamp: z.string(), value: z.number() })).readonly(),
      unit: z.string(),
    }),
  )
  .readonly();
