import { z } from 'zod';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import { RangeShape, ServiceShape } from './shapes.ts';
import { LOG_LEVELS, LOG_TYPES } from './value-sets.ts';

/** Where the API of a host begins, on its own address. */
export const HOSTING_API_PATH = '/hosting/api/v1/';
/** The header that names an order, so that the same one again makes nothing. */
export const ORDER_KEY_HEADER = 'idempotency-key';
/** Longest name of an order, in characters. */
export const ORDER_KEY_CHARS_MAX = 200;
/** The type of a log tail: an event with a line of JSON as its data for each log line. */
export const TAIL_TYPE = 'text/event-stream';
/** A quiet tail says something so often, in milliseconds. */
export const TAIL_BEAT_MS = 15_000;

/** One page of a list: each item with the cursor that goes on after it. */
export function pageShape<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(z.object({ item, cursor: z.string() })).readonly(),
    hasMore: z.boolean().describe('Whether there is more after the last item.'),
  });
}

/** A service that was made or changed, and the deploy that has begun. */
export const ServiceAnswer = z.object({
  service: ServiceShape,
  deployId: z.string().optional().describe('Absent where no deploy has begun.'),
});

/** The deploy that new variables have begun. */
export const DeployAnswer = z.object({ deployId: z.string().optional() });

/** The names of the variables of a service. */
export const EnvVarNames = z.object({ names: z.array(z.string()).readonly() });

/** Something that happened to a service. */
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

/** A page of lines. */
export const LogPageShape = z.object({
  logs: z.array(LogLineShape).readonly(),
  hasMore: z.boolean(),
  nextStartTime: z.string().describe('startTime of the next page.'),
  nextEndTime: z.string().describe('endTime of the next page.'),
});

/** Values of a label. */
export const LabelValues = z.object({ values: z.array(z.string()).readonly() });

/** Series of a metric. */
export const SeriesShape = z
  .array(
    z.object({
      labels: z.array(z.object({ field: z.string(), value: z.string() })).readonly(),
      values: z.array(z.object({ timestamp: z.string(), value: z.number() })).readonly(),
      unit: z.string(),
    }),
  )
  .readonly();

/** What is answered of a metric. */
export const SeriesAnswer = z.object({ series: SeriesShape });

/** How to connect to a database. Secret. */
export const ConnectionShape = z.object({
  internal: z.string().describe('For programs on the same host. Holds the password.'),
  external: z.string().describe('What the allowlist guards. Holds the password.'),
  allowList: z.array(RangeShape).readonly(),
});

const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Rows of a statement. */
export const SqlShape = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })).readonly(),
  rows: z.array(z.array(Cell).readonly()).readonly().describe('In the order of the columns.'),
  truncated: z.enum(['rows', 'bytes']).optional().describe('The bound that cut the answer.'),
});

const Ability = z.discriminatedUnion('able', [
  z.object({ able: z.literal(true), version: z.string() }),
  z.object({ able: z.literal(false), why: z.string() }),
]);

/** What a host can do. */
export const AbilitiesShape = z.object({
  runtimes: z.object({
    ...{ node: Ability, python: Ability, go: Ability, rust: Ability },
    ...{ ruby: Ability, elixir: Ability, docker: Ability },
  }),
  postgres: z.record(z.string(), Ability).describe('By major version.'),
  keyValue: Ability,
  regions: z.string(),
});

/** Nothing to tell. */
export const NoAnswer = z.undefined();

/** An error as it stands on the wire. */
export const ErrorShape = z.object({
  error: z.string().describe('A code of docs/errors.md.'),
  message: z.string(),
  retry: z.enum(['never', 'after_fix', 'later']),
  data: z.record(z.string(), z.unknown()).optional(),
  doc: z.string(),
});
