import { z } from 'zod';
import { DAY_MS } from '../../../domain/common/time.ts';
import { EVENT_TYPES } from '../../../domain/hosting/event-types.ts';
import { parseInstantMs } from '../../../domain/hosting/instant.ts';
import {
  ContinuationShape,
  type ServiceEvent,
  ServiceEventShape,
} from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import {
  CursorField,
  idSchema,
  integerSchema,
  timeSchema,
  toPageQuery,
  WorkspaceField,
} from '../inputs.ts';
import { formatCount, toPage } from '../page.ts';
import { parameterError } from '../parameter-error.ts';
import { findService } from '../workspace/workspace.ts';

/** Default window of the first page, in milliseconds. */
export const EVENTS_DEFAULT_MS = 7 * DAY_MS;
/** Bounds for the rows of one page. */
export const EVENT_ROWS = { least: 1, most: 100, default: 20 } as const;

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idSchema('the service'),
  eventTypes: z
    .array(ServiceEventShape.shape.type)
    .max(EVENT_TYPES.length)
    .optional()
    .describe('Event types. Default: all.'),
  startTime: timeSchema('Start. Default on the first page: 7 days ago.').optional(),
  endTime: timeSchema('End. Default: now.').optional(),
  limit: integerSchema(EVENT_ROWS.least, EVENT_ROWS.most)
    .default(EVENT_ROWS.default)
    .describe('Rows per page, newest first.'),
  ...CursorField,
});
type Input = z.infer<typeof Input>;

const Output = z.object({ events: z.array(ServiceEventShape).readonly(), ...ContinuationShape });

/** Creates the tool `list_events`. */
export function listEventsTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_events',
    title: 'List service events',
    description:
      'List the history of a service (not of databases), newest first: builds, deploys, ' +
      'failures, restarts, scaling, plans, disks, suspension, maintenance and job runs. The ' +
      'reason of a failure (out of memory, exit code, health check, eviction) is here and not ' +
      'in the logs; for program output use list_logs. Without times, the first page goes 7 days ' +
      'back. For older events pass the cursor of the previous page. An empty first page has no ' +
      'cursor: set an earlier startTime.',
    summary:
      'List the history of a service, newest first: deploys, failures, restarts, ' +
      'scaling, suspension, job runs. The reason of a failure is here; for program ' +
      'output use list_logs. Without times it starts 7 days back; pass the cursor for ' +
      'older events.',
    example: { workspaceId: 'wks-3f9a', serviceId: 'srv-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const { id: serviceId } = await findService(deps, { input, context }, named);
      const times = resolveTimeRange(input, deps.clock.now());
      const { eventTypes = [] } = input;
      const page = await deps.provider.events.list({
        serviceId,
        ...toPageQuery(input),
        ...times,
        ...(eventTypes.length === 0 ? {} : { types: [...new Set(eventTypes)] }),
      });
      const { items, more } = toPage(page, 'also_last');
      const isEmptyFirst = items.length === 0 && (input.cursor ?? '') === '';
      return {
        line: formatCount(items.length, 'events', serviceId, more),
        lines: [
          ...items.map(lineOf),
          ...(isEmptyFirst
            ? ['No events in this range. Set an earlier startTime to look further back.']
            : []),
        ],
        value: { events: items, ...more },
      };
    },
  });
}

/** The 7-day default applies only to the first page: its cursor continues to all older events. */
function resolveTimeRange({ startTime, endTime, cursor = '' }: Input, now: number) {
  const end = endTime === undefined ? now : (parseInstantMs(endTime) ?? now);
  const isFirst = cursor === '';
  const start = startTime === undefined ? undefined : parseInstantMs(startTime);
  if (start !== undefined && start > end) {
    const allowed = `a time before endTime (${new Date(end).toISOString()})`;
    throw parameterError({ path: 'startTime', received: startTime, allowed });
  }
  const from = start ?? (isFirst ? Math.min(now, end) - EVENTS_DEFAULT_MS : undefined);
  return { end, ...(from === undefined ? {} : { start: from }) };
}

function lineOf({ timestamp, type, details }: ServiceEvent): string {
  const facts = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
  return `- ${timestamp} ${type}${facts}`;
}
