import type { Clock } from '../../../domain/common/clock.ts';
import { AppError } from '../../../domain/common/error.ts';
import { HOUR_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { HostingProvider, MetricQuery } from '../../../domain/hosting/hosting.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import type { TimeSeries } from '../../../domain/hosting/records.ts';
import type { MetricType } from '../../../domain/hosting/value-sets.ts';
import type { HostingPlot, HostingPlots } from '../../../domain/inspect/hosting.ts';
import { readOptionalQuery } from '../../a2a/read-request.ts';
import { requireResource } from './resources.ts';

/** Selectable time ranges in hours, each with its step in seconds. */
export const PLOT_STEPS: Readonly<Record<string, number>> = {
  1: 30,
  6: 180,
  24: 600,
  168: 3_600,
  720: 14_400,
};
/** Most lines per plot: as many as a reader can distinguish. */
export const PLOT_LINES_MAX = 4;
const USUAL_HOURS = '1';

/** The dependencies of the plots. */
export interface MetricReadDeps {
  readonly provider: HostingProvider;
  readonly clock: Pick<Clock, 'now'>;
}

/** One line before it is aligned to the steps of a plot. */
interface Line {
  readonly label: string;
  readonly series: TimeSeries;
}

type PlotQuery = Omit<MetricQuery, 'type'>;

/**
 * Returns the plots of a service or database over a time range that ends now. A step without a
 * value is `null`, never zero.
 *
 * @throws {AppError} `INPUT_INVALID`, `RESOURCE_UNKNOWN`
 */
export async function readMetricPlots(reads: MetricReadDeps, query: string): Promise<HostingPlots> {
  const { resource = '', hours = USUAL_HOURS } = readOptionalQuery(query, ['resource', 'hours']);
  const stepSec = PLOT_STEPS[hours];
  if (stepSec === undefined) throw invalidRange(hours);
  await requireResource(reads.provider, resource);
  const stepMs = stepSec * SECOND_MS;
  const end = Math.floor(reads.clock.now() / stepMs) * stepMs;
  const start = end - Number(hours) * HOUR_MS;
  const times = Array.from({ length: (end - start) / stepMs }, (_, at) => start + at * stepMs);
  const asked: PlotQuery = {
    resourceId: resource,
    start,
    end,
    resolutionSec: stepSec,
    cpuAggregation: 'AVG',
    latencyQuantile: 0.95,
  };
  const plots = await Promise.all(
    plotNames(resource).map(async (name) => {
      const lines = await LINES[name](reads.provider, asked);
      return buildPlot(name, lines, times);
    }),
  );
  return { times, stepSec, plots };
}

function plotNames(id: string): readonly HostingPlot['name'][] {
  const kind = kindOfId(id);
  if (kind === 'postgres' || kind === 'key_value') {
    return ['processor', 'memory', 'connections'];
  }
  return ['processor', 'memory', 'instances', 'requests', 'latency', 'bandwidth'];
}

const LINES: Readonly<
  Record<HostingPlot['name'], (from: HostingProvider, asked: PlotQuery) => Promise<readonly Line[]>>
> = {
  processor: (from, asked) => usageLines(from, asked, 'cpu_usage', 'cpu_limit'),
  memory: (from, asked) => usageLines(from, asked, 'memory_usage', 'memory_limit'),
  instances: (from, asked) => simpleLines(from, asked, 'instance_count', 'instances'),
  requests: requestLines,
  latency: latencyLines,
  bandwidth: (from, asked) => simpleLines(from, asked, 'bandwidth_usage', 'sent'),
  connections: (from, asked) => simpleLines(from, asked, 'active_connections', 'connections'),
};

/** Returns the usage per instance, and the limit, which is the same for each. */
async function usageLines(
  { metrics }: HostingProvider,
  asked: PlotQuery,
  used: MetricType,
  limit: MetricType,
): Promise<readonly Line[]> {
  const [uses, limits] = await Promise.all([
    metrics.series({ ...asked, type: used }),
    metrics.series({ ...asked, type: limit }),
  ]);
  const [most] = limits;
  return [
    ...(most === undefined ? [] : [{ label: 'limit per instance', series: most }]),
    ...uses.map((series) => ({ label: labelOf(series, 'used'), series })),
  ];
}

async function simpleLines(
  { metrics }: HostingProvider,
  asked: PlotQuery,
  type: MetricType,
  label: string,
): Promise<readonly Line[]> {
  const found = await metrics.series({ ...asked, type });
  return found.map((series) => ({ label: labelOf(series, label), series }));
}

/** Returns the requests by the first digit of their status. */
async function requestLines(
  { metrics }: HostingProvider,
  asked: PlotQuery,
): Promise<readonly Line[]> {
  const by = 'statusCode';
  const found = await metrics.series({ ...asked, type: 'http_request_count', requestCountBy: by });
  const classes = new Map<string, readonly TimeSeries[]>();
  for (const series of found) {
    const status = series.labels.find(({ field }) => field === by)?.value ?? '';
    const label = /^[1-5]\d\d$/.test(status) ? `${status[0]}xx` : 'all';
    classes.set(label, [...(classes.get(label) ?? []), series]);
  }
  return [...classes]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, parts]) => ({ label, series: sumSeries(parts) }));
}

async function latencyLines(
  { metrics }: HostingProvider,
  asked: PlotQuery,
): Promise<readonly Line[]> {
  const quantiles = [0.5, 0.95, 0.99];
  const found = await Promise.all(
    quantiles.map((latencyQuantile) =>
      metrics.series({ ...asked, latencyQuantile, type: 'http_latency' }),
    ),
  );
  return found.flatMap(([series], at) =>
    series === undefined ? [] : [{ label: `p${(quantiles[at] ?? 0) * 100}`, series }],
  );
}

function sumSeries(parts: readonly TimeSeries[]): TimeSeries {
  const sums = new Map<string, number>();
  for (const { values } of parts) {
    for (const { timestamp, value } of values) {
      sums.set(timestamp, (sums.get(timestamp) ?? 0) + value);
    }
  }
  const values = [...sums].map(([timestamp, value]) => ({ timestamp, value }));
  return { labels: [], values, unit: parts[0]?.unit ?? 'count' };
}

function labelOf({ labels }: TimeSeries, otherwise: string): string {
  return labels.find(({ field }) => field === 'instance')?.value ?? otherwise;
}

function buildPlot(
  name: HostingPlot['name'],
  lines: readonly Line[],
  times: readonly number[],
): HostingPlot {
  const shown = lines.slice(0, PLOT_LINES_MAX);
  return {
    name,
    unit: lines[0]?.series.unit ?? '',
    lines: shown.map(({ label, series }) => ({ label, values: alignToSteps(series, times) })),
    more: lines.length - shown.length,
  };
}

function alignToSteps(
  { values }: TimeSeries,
  times: readonly number[],
): readonly (number | null)[] {
  const [first = 0, second = first + 1] = times;
  const stepMs = second - first;
  const found: (number | null)[] = times.map(() => null);
  for (const { timestamp, value } of values) {
    const at = Math.floor((Date.parse(timestamp) - first) / stepMs);
    if (at >= 0 && at < found.length) found[at] = value;
  }
  return found;
}

function invalidRange(received: string): AppError {
  const allowed = Object.keys(PLOT_STEPS).join(', ');
  return new AppError('INPUT_INVALID', {
    message: `\`hours\` is ${JSON.stringify(received.slice(0, 40))}; it must be one of ${allowed}.`,
    data: { path: 'hours', received: received.slice(0, 40), allowed },
  });
}
