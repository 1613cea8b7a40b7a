import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '../../domain/hosting/event-types.ts';
import { KEY_VALUE_PLANS, POSTGRES_PLANS, SERVICE_PLANS } from '../../domain/hosting/plans.ts';
import { DEPLOY_TRIGGERS } from '../../domain/hosting/records.ts';
import { keysOf, RangeShape } from '../../domain/hosting/shapes.ts';
import {
  AUTO_DEPLOY,
  CPU_AGGREGATIONS,
  LOG_LABELS,
  MAXMEMORY_POLICIES,
  METRIC_TYPES,
  PERSISTENCE_MODES,
  REGIONS,
  REQUEST_COUNT_LABELS,
  RUNTIMES,
} from '../../domain/hosting/value-sets.ts';
import { SQL_BOUNDS } from '../../tools/hosting/database/sql-guard.ts';
import { INPUT_CHARS_MAX, idSchema, textSchema, timeSchema } from '../../tools/hosting/inputs.ts';
import {
  EnvVars,
  NewServiceFields,
  ProgramFields,
  SiteFields,
} from '../../tools/hosting/service/service-fields.ts';
import { LOG_BOUNDS } from '../../tools/hosting/telemetry/log-fields.ts';
import { METRIC_BOUNDS } from '../../tools/hosting/telemetry/metric-query.ts';

/** Items per page. */
const ROWS = { least: 1, most: 100, usual: 20 } as const;
/** Limits of an allowlist: its entries, and the length of a description in characters. */
const RANGES = { most: 100, charsMax: 200 } as const;

const OwnerId = idSchema('the workspace');
const ResourceId = idSchema('a service, a Postgres or a Key Value instance');

const PageFields = {
  limit: z.coerce
    .number()
    .min(ROWS.least)
    .max(ROWS.most)
    .multipleOf(1)
    .default(ROWS.usual)
    .describe('Number of items per page.'),
  cursor: z
    .string()
    .max(INPUT_CHARS_MAX.cursor)
    .exactOptional()
    .describe('Cursor of the item after which the page starts.'),
} as const;

/** A page of a list. */
export const PageInput = z.strictObject(PageFields);
/** A page of a workspace's resources. */
export const OwnedInput = z.strictObject({ ownerId: OwnerId, ...PageFields });

/** A page of events. */
export const EventsInput = z.strictObject({
  ...PageFields,
  type: z
    .array(z.enum(EVENT_TYPES as readonly [EventType, ...EventType[]]))
    .max(EVENT_TYPES.length)
    .exactOptional()
    .describe('Event types to include. Default: all.'),
  startTime: timeSchema('Start time, inclusive.').exactOptional(),
  endTime: timeSchema('End time, inclusive.').exactOptional(),
});

const Command = ProgramFields.buildCommand.unwrap();
const InnerPath = ProgramFields.dockerfilePath.unwrap();
const nonEmptyCommand = (what: string) => Command.refine((text) => text.trim() !== '', what);

const Run = z.discriminatedUnion(
  'runtime',
  [
    z.strictObject({
      runtime: z.enum(RUNTIMES).exclude(['docker']),
      buildCommand: nonEmptyCommand('a command; it cannot be empty'),
      startCommand: nonEmptyCommand('a command; it cannot be empty'),
    }),
    z.strictObject({
      runtime: z.literal('docker'),
      dockerfilePath: InnerPath.default('./Dockerfile'),
      dockerContext: InnerPath.default('.'),
      dockerCommand: Command.default(''),
    }),
  ],
  { error: `an object with runtime ${RUNTIMES.join(' | ')}` },
);

const NewServiceBase = {
  ownerId: OwnerId,
  name: NewServiceFields.name,
  repo: NewServiceFields.repo.unwrap().exactOptional(),
  branch: NewServiceFields.branch.unwrap().exactOptional(),
  autoDeploy: NewServiceFields.autoDeploy,
  envVars: NewServiceFields.envVars,
} as const;
const PlanFields = { plan: ProgramFields.plan, region: ProgramFields.region } as const;
const ScheduleText = z.string().max(INPUT_CHARS_MAX.filter);

/** The input that creates a service. */
export const NewServiceInput = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('web_service'), ...NewServiceBase, run: Run, ...PlanFields }),
    z.strictObject({ type: z.literal('static_site'), ...NewServiceBase, ...SiteFields }),
    z.strictObject({
      type: z.literal('cron_job'),
      ...NewServiceBase,
      run: Run,
      ...PlanFields,
      schedule: ScheduleText.describe('Cron expression with 5 fields, in UTC.'),
    }),
  ],
  { error: 'an object with type web_service | static_site | cron_job' },
);

/** The changes to a service. */
export const ServicePatchInput = z.strictObject({
  name: NewServiceFields.name.exactOptional(),
  branch: NewServiceFields.branch.unwrap().exactOptional(),
  autoDeploy: z.enum(AUTO_DEPLOY).exactOptional(),
  buildCommand: Command.exactOptional(),
  startCommand: Command.exactOptional(),
  preDeployCommand: Command.exactOptional(),
  dockerCommand: Command.exactOptional(),
  dockerfilePath: InnerPath.exactOptional(),
  dockerContext: InnerPath.exactOptional(),
  healthCheckPath: z.string().max(INPUT_CHARS_MAX.filter).exactOptional(),
  maxShutdownDelaySeconds: z.number().exactOptional(),
  numInstances: z.number().exactOptional(),
  plan: z.enum(keysOf(SERVICE_PLANS)).exactOptional(),
  publishPath: InnerPath.exactOptional(),
  schedule: ScheduleText.exactOptional(),
  suspended: z.boolean().exactOptional(),
});

/** The full list of environment variables. */
export const EnvVarsInput = z.strictObject({
  envVars: EnvVars,
  merge: z.boolean().default(false).describe('Keep existing variables that the list omits.'),
});

/** The options of a new deploy. */
export const TriggerInput = z.strictObject({
  clearCache: z.boolean().default(false),
  trigger: z
    .enum(DEPLOY_TRIGGERS)
    .exactOptional()
    .describe('Recorded cause of the deploy; requires the toolset host. Default: api.'),
});

function filterTexts(what: string) {
  const text = textSchema(INPUT_CHARS_MAX.filter, what);
  return z.array(text).max(LOG_BOUNDS.filterValues).exactOptional().describe(what);
}

const Resources = z.array(ResourceId).min(1).max(LOG_BOUNDS.resources);
const LogFields = {
  resource: Resources,
  level: filterTexts('Log levels.'),
  type: filterTexts('Log types: app, request, build.'),
  instance: filterTexts('Instance ids.'),
  host: filterTexts('Request hosts.'),
  statusCode: filterTexts('Request status codes.'),
  method: filterTexts('Request methods.'),
  path: filterTexts('Request paths.'),
  text: filterTexts('Text in the line: words, * or /regular expressions/.'),
  startTime: timeSchema('Start time, inclusive.'),
  endTime: timeSchema('End time, exclusive.'),
  direction: z.enum(['backward', 'forward']).default('backward'),
} as const;

/** A query for log lines. */
export const LogsInput = z.strictObject({
  ...LogFields,
  limit: z.number().min(ROWS.least).max(ROWS.most).multipleOf(1).default(ROWS.usual),
});
/** A query for the values of a log label. */
export const LabelInput = z.strictObject({ ...LogFields, label: z.enum(LOG_LABELS) });
/** The resources whose new log lines are streamed. */
export const TailInput = z.strictObject({ resource: Resources });

/** A query for metric series. */
export const MetricsInput = z.strictObject({
  resourceId: ResourceId,
  type: z.enum(METRIC_TYPES),
  startTime: timeSchema('Start time, inclusive.'),
  endTime: timeSchema('End time, exclusive.'),
  resolutionSec: z
    .number()
    .min(METRIC_BOUNDS.resolutionSec.least)
    .max(METRIC_BOUNDS.resolutionSec.most)
    .multipleOf(1)
    .default(METRIC_BOUNDS.resolutionSec.default),
  cpuAggregation: z.enum(CPU_AGGREGATIONS).default('AVG'),
  requestCountBy: z.enum(REQUEST_COUNT_LABELS).exactOptional(),
  latencyQuantile: z.number().min(0).max(1).default(0.95),
  host: textSchema(INPUT_CHARS_MAX.filter, 'a host').exactOptional(),
  path: textSchema(INPUT_CHARS_MAX.filter, 'a path').exactOptional(),
});

const StoreName = textSchema(INPUT_CHARS_MAX.name, 'a name');

/** The input that creates a Postgres server. */
export const NewPostgresInput = z.strictObject({
  ownerId: OwnerId,
  name: StoreName,
  plan: z.enum(POSTGRES_PLANS),
  region: ProgramFields.region,
  version: z.number().min(13).max(18).multipleOf(1),
  diskSizeGB: z.number().min(1).max(16_000).multipleOf(1),
});
/** The input that creates a Key Value instance. */
export const NewKeyValueInput = z.strictObject({
  ownerId: OwnerId,
  name: StoreName,
  plan: z.enum(keysOf(KEY_VALUE_PLANS)),
  region: z.enum(REGIONS),
  maxmemoryPolicy: z.enum(MAXMEMORY_POLICIES),
  persistenceMode: z.enum(PERSISTENCE_MODES),
});
/** The networks that may connect from outside. An empty list allows none. */
export const AllowListInput = z.strictObject({
  ranges: z
    .array(
      z.strictObject({
        cidrBlock: RangeShape.shape.cidrBlock.max(INPUT_CHARS_MAX.id),
        description: RangeShape.shape.description.max(RANGES.charsMax),
      }),
    )
    .max(RANGES.most),
});
/** One read-only SQL statement. */
export const SqlInput = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(SQL_BOUNDS.statementChars)
    .refine((text) => !text.includes('\0'), 'a statement without NUL characters'),
});
