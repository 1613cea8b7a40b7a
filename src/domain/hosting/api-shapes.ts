import { z } from 'zod';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import { RangeShape, ServiceShape } from './shapes.ts';
import { LOG_LEVELS, LOG_TYPES } from './value-sets.ts';

/** Base path of the API on the address of a host. */
export const HOSTING_API_PATH = '/hosting/api/v1/';
/** Header with the idempotency key of an order. Repeating an order with its key creates nothing. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** Maximum length of an idempotency key, in characters. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 200;
/** Media type of a log tail: one server-sent event per log line, with JSON as its data. */
export const TAIL_CONTENT_TYPE = 'text/event-stream';
/** Interval of keep-alive messages on an idle tail, in milliseconds. */
export const TAIL_KEEP_ALIVE_MS = 15_000;

/** Creates the schema of one page of a list. Each item has the cursor that follows it. */
export function createPageShape<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(z.object({ item, cursor: z.string() })).readonly(),
    hasMore: z.boolean().describe('Whether more items follow the last one.'),
  });
}

/** A service that was created or changed, and the deploy that this started. */
export const ServiceResponse = z.object({
  service: ServiceShape,
  deployId: z.string().optional().describe('Absent if no deploy started.'),
});

/** The deploy that a change of variables started. */
export const DeployResponse = z.object({ deployId: z.string().optional() });

/** The names of the variables of a service. */
export const EnvVarNames = z.object({ names: z.array(z.string()).readonly() });

/** An event of a service. */
export const EventShape = z.object({
  id: z.string(),
  serviceId: z.string(),
  timestamp: z.string(),
  type: z.enum(EVENT_TYPES as readonly [EventType, ...EventType[]]),
  details: z.record(z.string(), z.unknown()),
});

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

/** The values of a label. */
export const LabelValues = z.object({ values: z.array(z.string()).readonly() });

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

/** Response to a metric query. */
export const SeriesResponse = z.object({ series: SeriesShape });

/** Connection details of a database. Secret. */
export const ConnectionShape = z.object({
  internal: z.string().describe('For programs on the same host. Contains the password.'),
  external: z.string().describe('Restricted by the allowlist. Contains the password.'),
  allowList: z.array(RangeShape).readonly(),
});

const SqlValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Result of a SQL statement. */
export const SqlResultShape = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })).readonly(),
  rows: z.array(z.array(SqlValue).readonly()).readonly().describe('In the order of the columns.'),
  truncated: z.enum(['rows', 'bytes']).optional().describe('The limit that truncated the result.'),
});

const FeatureAvailability = z.discriminatedUnion('able', [
  z.object({ able: z.literal(true), version: z.string() }),
  z.object({ able: z.literal(false), why: z.string() }),
]);

/** The capabilities of a host. */
export const HostingFeaturesShape = z.object({
  runtimes: z.object({
    node: FeatureAvailability,
    python: FeatureAvailability,
    go: FeatureAvailability,
    rust: FeatureAvailability,
    ruby: FeatureAvailability,
    elixir: FeatureAvailability,
    docker: FeatureAvailability,
  }),
  postgres: z.record(z.string(), FeatureAvailability).describe('By major version.'),
  keyValue: FeatureAvailability,
  regions: z.string(),
});

/** An empty response. */
export const EmptyResponse = z.undefined();

/** An error in a response. */
export const ErrorShape = z.object({
  error: z.string().describe('A code of docs/errors.md.'),
  message: z.string(),
  retry: z.enum(['never', 'after_fix', 'later']),
  data: z.record(z.string(), z.unknown()).optional(),
  doc: z.string(),
});
