import { z } from 'zod';
import { SeriesShape } from '../../../domain/hosting/api-shapes.ts';
import { coverWindow } from '../../../domain/hosting/telemetry/metric-window.ts';
import {
  CPU_AGGREGATIONS,
  METRIC_TYPES,
  REQUEST_COUNT_LABELS,
} from '../../../domain/hosting/value-sets.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { INPUT_CHARS_MAX, idOf, plainText, timeOf, WorkspaceField } from '../inputs.ts';
import { ownResource } from '../workspace/workspace.ts';
import {
  fitsResource,
  METRIC_BOUNDS,
  metricWindow,
  seriesLine,
  unusedParameters,
} from './metric-query.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  resourceId: idOf('a service, a Postgres or a Key Value instance'),
  metricTypes: z
    .array(z.enum(METRIC_TYPES))
    .min(1)
    .max(METRIC_TYPES.length)
    .describe('At least one. A metric that does not fit the resource gives an empty result.'),
  startTime: timeOf('Within the last 30 days; an hour ago where left out.').optional(),
  endTime: timeOf('Within the last 30 days; now where left out.').optional(),
  resolution: z
    .number()
    .min(METRIC_BOUNDS.resolutionSec.least)
    .max(METRIC_BOUNDS.resolutionSec.most)
    .multipleOf(1)
    .default(METRIC_BOUNDS.resolutionSec.default)
    .describe('Seconds from one value to the next, at least 30.'),
  cpuUsageAggregationMethod: z
    .enum(CPU_AGGREGATIONS)
    .default('AVG')
    .describe('How cpu_usage within a step becomes one value.'),
  aggregateHttpRequestCountsBy: z
    .enum(REQUEST_COUNT_LABELS)
    .optional()
    .describe('Splits http_request_count; one total where left out.'),
  httpLatencyQuantile: z
    .number()
    .min(0)
    .max(1)
    .default(0.95)
    .describe('Quantile of http_latency, 0.0 to 1.0; for http_latency alone.'),
  httpHost: plainText(INPUT_CHARS_MAX.filter, 'a host')
    .optional()
    .describe('For http_request_count and http_latency: this host alone; all where left out.'),
  httpPath: plainText(INPUT_CHARS_MAX.filter, 'a path')
    .optional()
    .describe('For http_request_count and http_latency: this path alone; all where left out.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  resourceId: z.string(),
  timeRange: z
    .object({ start: z.string(), end: z.string() })
    .describe('The time that the values cover: the whole cells of 30 s in the time asked for.'),
  resolution: z.number(),
  metrics: z.array(z.object({ type: z.enum(METRIC_TYPES), data: SeriesShape })).readonly(),
  notes: z.array(z.string()).readonly(),
});

const NO_CELL =
  'The time asked for holds no whole cell of 30 s (they begin at :00 and :30), so there are no ' +
  'values: ask for a longer time.';

/** The tool that reads how a resource is loaded. */
export function getMetricsTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'get_metrics',
    title: 'Get resource metrics',
    description:
      'Reads series of a service, a Postgres or a Key Value instance: processor, memory and ' +
      'instances of all of them; requests, latency and bandwidth of services; connections of ' +
      'databases. The last hour in steps of 60 s unless said otherwise, at most 30 days back. ' +
      'Only whole cells of 30 s inside the time count; timeRange tells what the values cover.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { resourceId, resolution, httpHost: host, httpPath: path } = input;
      const types = [...new Set(input.metricTypes)];
      const now = deps.clock.now();
      const { start, end } = coverWindow(metricWindow(input, types.length, now), now);
      const named = { id: resourceId, path: 'resourceId' };
      const resource = await ownResource(deps, { input, context }, named);
      const requestCountBy = input.aggregateHttpRequestCountsBy;
      const query = {
        ...{ resourceId, start, end, resolutionSec: resolution },
        cpuAggregation: input.cpuUsageAggregationMethod,
        latencyQuantile: input.httpLatencyQuantile,
        ...(requestCountBy === undefined ? {} : { requestCountBy }),
        ...(host === undefined ? {} : { host }),
        ...(path === undefined ? {} : { path }),
      };
      const metrics = [];
      for (const type of types) {
        const isFit = fitsResource(type, resource);
        const data =
          isFit && start < end ? await deps.provider.metrics.series({ ...query, type }) : [];
        metrics.push({ type, data });
      }
      const timeRange = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
      const notes = [...unusedParameters(input, types), ...(start === end ? [NO_CELL] : [])];
      const filled = metrics.filter(({ data }) => data.length > 0).length;
      return {
        line: `${filled} of ${types.length} metrics of ${resourceId} have values.`,
        lines: [...metrics.flatMap(seriesLine), ...notes],
        value: { resourceId, timeRange, resolution, metrics, notes },
      };
    },
  });
}
