import { SECOND_MS } from '../../domain/common/time.ts';
import {
  LabelValues,
  LogLineShape,
  LogPageShape,
  SeriesResponse,
  TAIL_CONTENT_TYPE,
} from '../../domain/hosting/api-shapes.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { parseInstantMs } from '../../domain/hosting/instant.ts';
import { parameterError } from '../../tools/hosting/parameter-error.ts';
import { METRIC_BOUNDS } from '../../tools/hosting/telemetry/metric-query.ts';
import { LabelInput, LogsInput, MetricsInput, TailInput } from './api-inputs.ts';
import type { ApiReach } from './api-reach.ts';
import { type ApiRoute, apiRoute } from './api-route.ts';

/** Creates the routes of logs and metrics. Queries use POST because filters may exceed a URL. */
export function readingRoutes({ logs, metrics }: HostingProvider): readonly ApiRoute[] {
  const toolset = 'logs';
  return [
    apiRoute({
      ...{ method: 'POST', path: 'logs/query', operation: 'queryLogs', toolset, act: 'reads' },
      ...{ summary: 'Query log lines', status: 200, body: LogsInput, answer: LogPageShape },
      run: async ({ body, reach }) => {
        await requireAll(reach, body.resource);
        return logs.query(body);
      },
    }),
    apiRoute({
      ...{ method: 'POST', path: 'logs/values', operation: 'listLogValues', toolset },
      ...{ summary: 'List the values of a log label', act: 'reads', status: 200 },
      ...{ body: LabelInput, answer: LabelValues },
      run: async ({ body, reach }) => {
        await requireAll(reach, body.resource);
        return { values: await logs.labelValues(body) };
      },
    }),
    apiRoute({
      ...{ method: 'GET', path: 'logs/tail', operation: 'tailLogs', toolset, act: 'reads' },
      ...{ summary: 'Stream new log lines until the caller disconnects', status: 200 },
      ...{
        query: TailInput,
        repeated: ['resource'],
        answer: LogLineShape,
        type: TAIL_CONTENT_TYPE,
      },
      stream: async ({ query: { resource }, reach, signal }) => {
        await requireAll(reach, resource);
        // After the reply has started, an unknown id could no longer be reported.
        for (const id of resource) await reach.findResource(id);
        return logs.tail({ resource }, signal);
      },
    }),
    apiRoute({
      ...{ method: 'POST', path: 'metrics/query', operation: 'queryMetrics', toolset: 'metrics' },
      ...{ summary: 'Query the series of a metric', act: 'reads', status: 200, body: MetricsInput },
      answer: SeriesResponse,
      run: async ({ body, reach }) => {
        await reach.requireResource(body.resourceId, 'resourceId');
        const { startTime, endTime, ...query } = body;
        const [start, end] = [parseInstantMs(startTime) ?? 0, parseInstantMs(endTime) ?? 0];
        requireFit(end - start, query.resolutionSec);
        return { series: await metrics.series({ ...query, start, end }) };
      },
    }),
  ];
}

async function requireAll(reach: ApiReach, resource: readonly string[]): Promise<void> {
  for (const [at, id] of resource.entries()) await reach.requireResource(id, `resource.${at}`);
}

/** @throws {AppError} `INPUT_INVALID` when the reply would exceed the limit on values. */
function requireFit(spanMs: number, resolutionSec: number): void {
  const seconds = spanMs / SECOND_MS;
  if (seconds / resolutionSec <= METRIC_BOUNDS.values) return;
  const allowed = `at least ${Math.ceil(seconds / METRIC_BOUNDS.values)} for this time`;
  throw parameterError({ path: 'resolutionSec', received: resolutionSec, allowed });
}
