import { z } from 'zod';
import { INPUT_CHARS_MAX, textSchema } from '../../../domain/hosting/input-text.ts';
import { TimeSeriesShape } from '../../../domain/hosting/records.ts';
import { alignWindow } from '../../../domain/hosting/telemetry/metric-window.ts';
import {
  CPU_AGGREGATIONS,
  METRIC_TYPES,
  REQUEST_COUNT_LABELS,
} from '../../../domain/hosting/value-sets.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, timeSchema, WorkspaceField } from '../inputs.ts';
import { findResource } from '../workspace/workspace.ts';
import {
  appliesTo,
  formatSeries,
  METRIC_BOUNDS,
  resolveTimeRange,
  unusedParameters,
} from './metric-query.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  resourceId: idSchema('a service, a Postgres or a Key Value instance'),
  metricTypes: z
    .array(z.enum(METRIC_TYPES))
    .min(1)
    .max(METRIC_TYPES.length)
    .describe('At least one. A metric that does not apply to the resource has an empty result.'),
  startTime: timeSchema(
    'Start, within the last 30 days. Default: 1 hour before the end.',
  ).optional(),
  endTime: timeSchema('End, within the last 30 days. Default: now.').optional(),
  resolution: z
    .number()
    .min(METRIC_BOUNDS.resolutionSec.least)
    .max(METRIC_BOUNDS.resolutionSec.most)
    .multipleOf(1)
    .default(METRIC_BOUNDS.resolutionSec.default)
    .describe('Seconds between values, at least 30.'),
  cpuUsageAggregationMethod: z
    .enum(CPU_AGGREGATIONS)
    .default('AVG')
    .describe('How values of cpu_usage within one step are combined.'),
  aggregateHttpRequestCountsBy: z
    .enum(REQUEST_COUNT_LABELS)
    .optional()
    .describe('Splits http_request_count. Default: one total.'),
  httpLatencyQuantile: z
    .number()
    .min(0)
    .max(1)
    .default(0.95)
    .describe('Quantile, 0.0 to 1.0. Only for http_latency.'),
  httpHost: textSchema(INPUT_CHARS_MAX.filter, 'a host')
    .optional()
    .describe('Only this host. For http_request_count and http_latency. Default: all hosts.'),
  httpPath: textSchema(INPUT_CHARS_MAX.filter, 'a path')
    .optional()
    .describe('Only this path. For http_request_count and http_latency. Default: all paths.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  resourceId: z.string(),
  timeRange: z
    .object({ start: z.string(), end: z.string() })
    .describe('Time that the values cover: the whole 30 s buckets in the requested range.'),
  resolution: z.number(),
  metrics: z
    .array(z.object({ type: z.enum(METRIC_TYPES), data: z.array(TimeSeriesShape).readonly() }))
    .readonly(),
  notes: z.array(z.string()).readonly(),
});

const NO_CELL =
  'The requested range holds no whole cell of 30 s (cells begin at :00 and :30), so there are no ' +
  'values. Request a longer range.';

/** Creates the tool `get_metrics`. */
export function getMetricsTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'get_metrics',
    title: 'Get resource metrics',
    description:
      'Get metric series of a service, a Postgres or a Key Value instance. All of them have ' +
      'CPU, memory and instance count. Services also have request count, latency and bandwidth; ' +
      'databases have connections. Without times you get the last hour in steps of 60 s, at ' +
      'most 30 days back. Only whole 30 s buckets inside the time range count; timeRange ' +
      'returns what the values cover. A metric that does not apply to the resource has no ' +
      'values. For failures use list_events.',
    summary:
      'Get metric series of a service or database: CPU, memory, instances; requests, ' +
      'latency and bandwidth of services; connections of databases. Default: the last ' +
      'hour in steps of 60 s, of 30 days. For single requests use list_logs.',
    example: { workspaceId: 'wks-3f9a', resourceId: 'srv-3f9a', metricTypes: ['cpu_usage'] },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { resourceId, resolution, httpHost: host, httpPath: path } = input;
      const types = [...new Set(input.metricTypes)];
      const now = deps.clock.now();
      const { start, end } = alignWindow(resolveTimeRange(input, types.length, now), now);
      const named = { id: resourceId, path: 'resourceId' };
      const resource = await findResource(deps, { input, context }, named);
      const requestCountBy = input.aggregateHttpRequestCountsBy;
      const query = {
        resourceId,
        start,
        end,
        resolutionSec: resolution,
        cpuAggregation: input.cpuUsageAggregationMethod,
        latencyQuantile: input.httpLatencyQuantile,
        ...(requestCountBy === undefined ? {} : { requestCountBy }),
        ...(host === undefined ? {} : { host }),
        ...(path === undefined ? {} : { path }),
      };
      const metrics = [];
      for (const type of types) {
        const isFit = appliesTo(type, resource);
        const data =
          isFit && start < end ? await deps.provider.metrics.series({ ...query, type }) : [];
        metrics.push({ type, data });
      }
      const timeRange = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
      const notes = [...unusedParameters(input, types), ...(start === end ? [NO_CELL] : [])];
      const filled = metrics.filter(({ data }) => data.length > 0).length;
      return {
        line: `${filled} of ${types.length} metrics of ${resourceId} have values.`,
        lines: [...metrics.flatMap(formatSeries), ...notes],
        value: { resourceId, timeRange, resolution, metrics, notes },
      };
    },
  });
}
