import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../../domain/common/time.ts';
import type { LogFilters } from '../../../domain/hosting/hosting.ts';
import { INPUT_CHARS_MAX, textSchema } from '../../../domain/hosting/input-text.ts';
import { formatInstant, parseInstant } from '../../../domain/hosting/instant.ts';
import { LOG_LEVELS, LOG_TYPES } from '../../../domain/hosting/value-sets.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, timeSchema, WorkspaceField } from '../inputs.ts';
import { parameterError } from '../parameter-error.ts';
import { type Call, findResource } from '../workspace/workspace.ts';

/** Limits of a log query. */
export const LOG_BOUNDS = {
  resources: 30,
  filterValues: 30,
  windowMs: 30 * DAY_MS,
  defaultWindowMs: HOUR_MS,
} as const;

const NANOS_PER_MS = 1_000_000n;

function textsSchema(what: string) {
  return z
    .array(textSchema(INPUT_CHARS_MAX.filter, what))
    .max(LOG_BOUNDS.filterValues)
    .optional()
    .describe(`${what}. Alternatives; * and /regex/ allowed.`);
}

/** Filter parameters of both log tools. */
export const LogFields = {
  ...WorkspaceField,
  resource: z
    .array(idSchema('a service, a Postgres or a Key Value instance'))
    .min(1)
    .max(LOG_BOUNDS.resources)
    .describe('Ids of the resources, all of one workspace.'),
  level: z
    .array(z.enum(LOG_LEVELS))
    .max(LOG_LEVELS.length)
    .optional()
    .describe('Levels; alternatives.'),
  type: z
    .array(z.enum(LOG_TYPES))
    .max(LOG_TYPES.length)
    .optional()
    .describe('app: from the program; request: from the router; build: from a build.'),
  instance: textsSchema('Instances'),
  host: textsSchema('Hosts of requests (request logs)'),
  statusCode: textsSchema('Status codes of requests (request logs)'),
  method: textsSchema('Methods of requests (request logs)'),
  path: textsSchema('Paths of requests (request logs)'),
  text: textsSchema('Texts in the line'),
  startTime: timeSchema(
    'Start, within the last 30 days. Default: 1 hour before the end.',
  ).optional(),
  endTime: timeSchema('End, exclusive. Default: now.').optional(),
  direction: z
    .enum(['backward', 'forward'])
    .default('backward')
    .describe('backward: the newest lines of the range; forward: the oldest.'),
} as const;

const Fields = z.strictObject(LogFields);
type Input = z.infer<typeof Fields>;

/**
 * Returns the filters of a call with both times set. Checks that the workspace owns each resource.
 *
 * @throws {AppError} `INPUT_INVALID`, `WORKSPACE_MISMATCH` and the others of the workspace.
 */
export async function logFilters(
  deps: HostingToolDeps,
  call: Call,
  input: Input,
): Promise<LogFilters> {
  const times = resolveTimeRange(input, deps.clock.now());
  const resource = [...new Set(input.resource)];
  for (const [at, id] of resource.entries()) {
    await findResource(deps, call, { id, path: `resource.${at}` });
  }
  const { level, type, instance, host, statusCode, method, path, text, direction } = input;
  const labels = { level, type, instance, host, statusCode, method, path, text };
  const given = Object.entries(labels).filter(
    ([, values]) => values !== undefined && values.length > 0,
  );
  return { ...Object.fromEntries(given), resource, ...times, direction };
}

function resolveTimeRange({ startTime, endTime }: Input, now: number) {
  const present = BigInt(now) * NANOS_PER_MS;
  // Lines can still arrive within the current millisecond.
  const end = parseInstantOr(endTime, present + NANOS_PER_MS);
  const start = parseInstantOr(startTime, end - BigInt(LOG_BOUNDS.defaultWindowMs) * NANOS_PER_MS);
  const earliest = present - BigInt(LOG_BOUNDS.windowMs) * NANOS_PER_MS;
  const days = LOG_BOUNDS.windowMs / DAY_MS;
  if (start < earliest) {
    const allowed = `at or after ${formatInstant(earliest)}: logs go ${days} days back`;
    throw parameterError({
      path: startTime === undefined ? 'endTime' : 'startTime',
      received: startTime ?? endTime,
      allowed,
    });
  }
  if (start >= end) {
    const allowed = `a time before endTime (${formatInstant(end)})`;
    throw parameterError({ path: 'startTime', received: startTime, allowed });
  }
  return { startTime: formatInstant(start), endTime: formatInstant(end) };
}

function parseInstantOr(text: string | undefined, otherwise: bigint): bigint {
  return text === undefined ? otherwise : (parseInstant(text) ?? otherwise);
}
