import type { Metric, MetricValue, Scrape } from '../../domain/inspect/metric.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';

/** The content type of the Prometheus text format 0.0.4. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Creates `GET /metrics` for Prometheus. Open to this machine when no proxy is in between; other
 * callers need the operator token.
 */
export function metricsRoute(scrape: Scrape): FrontRoute {
  return plainRoute({ methods: ['GET'], path: '/metrics', access: 'local' }, () => ({
    status: 200,
    headers: ['content-type', METRICS_TYPE, 'cache-control', 'no-store'],
    body: formatMetrics(scrape()),
  }));
}

/** Formats metrics in the text format 0.0.4. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics.map(formatMetric).join('');
}

function formatMetric({ name, help, type, values }: Metric): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  return head + values.map((value) => formatLine(name, value)).join('');
}

function formatLine(name: string, { suffix, labels, value }: MetricValue): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  const named = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  const number = Number.isFinite(value) ? String(value) : formatNonFinite(value);
  return `${name}${suffix ?? ''}${named} ${number}\n`;
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
