import type { JSX } from 'preact';
import type { HostingPlot, HostingPlots } from '../../../src/domain/inspect/hosting.ts';
import { formatClock, formatDateTime } from '../parts/times.tsx';
import {
  BYTE_STEPS,
  COUNT_STEPS,
  formatBytes,
  formatMilliseconds,
  formatNumber,
} from '../plots/number-format.ts';
import { Plot } from '../plots/plot.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { navigate } from '../shell/router.ts';
import { hostingUrl } from './hosting-url.ts';

/** Poll interval, in milliseconds: the shortest step of a chart. */
const POLL_MS = 30_000;
const MINUTE_SEC = 60;
/** Range of `dd hh:mm` within a formatted date. */
const DAY_CLOCK = { from: 5, to: 16 } as const;
const SPANS = [
  ['1', '1 h'],
  ['6', '6 h'],
  ['24', '1 d'],
  ['168', '7 d'],
  ['720', '30 d'],
] as const;
const TITLES: Readonly<Record<HostingPlot['name'], string>> = {
  processor: 'CPU',
  memory: 'Memory',
  instances: 'Instances',
  requests: 'Requests',
  latency: 'Response time',
  bandwidth: 'Bandwidth',
  connections: 'Connections',
};

/** Metric charts of a service or a database. Missing samples are gaps. */
export function MetricView({
  resource,
  query,
}: {
  readonly resource: string;
  readonly query: URLSearchParams;
}): JSX.Element {
  const hours = SPANS.find(([one]) => one === query.get('hours'))?.[0] ?? '1';
  const read = useRead<HostingPlots>(hostingUrl(['metrics'], { resource, hours }), POLL_MS);
  return (
    <section aria-labelledby="metric-title">
      <h2 id="metric-title">Metrics</h2>
      <fieldset class="bare toolbar" aria-label="Time">
        {SPANS.map(([one, words]) => (
          <button
            key={one}
            type="button"
            class="button is-small"
            aria-pressed={one === hours}
            onClick={() => navigate(`${location.pathname}?hours=${one}`, { replace: true })}
          >
            {words}
          </button>
        ))}
      </fieldset>
      <ReadView read={read} what="metrics">
        {({ times, stepSec, plots }) => (
          <div class="hosting-plots">
            {plots.map((plot) => (
              <MetricPlot key={plot.name} plot={plot} times={times} stepSec={stepSec} />
            ))}
          </div>
        )}
      </ReadView>
    </section>
  );
}

function MetricPlot({
  plot,
  times,
  stepSec,
}: {
  readonly plot: HostingPlot;
  readonly times: readonly number[];
  readonly stepSec: number;
}): JSX.Element {
  const { name, unit, lines, more } = plot;
  const title = `${TITLES[name]}${formatUnit(plot, stepSec)}`;
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
  if (isEmpty) {
    return (
      <section class="panel plot" aria-label={title} data-plot={name}>
        <h2>{title}</h2>
        <p class="muted">No data in this period.</p>
      </section>
    );
  }
  const { format, steps } = chooseFormat(unit);
  const isLong = stepSec * times.length > 26 * MINUTE_SEC * MINUTE_SEC;
  return (
    <div data-plot={name}>
      <Plot
        title={title}
        times={times}
        format={format}
        {...(steps === undefined ? {} : { steps })}
        series={lines}
        timeWords={isLong ? formatDay : formatClock}
        tableWords="newest values"
      />
      {more === 0 ? null : <p class="muted">{more} more lines are not shown.</p>}
    </div>
  );
}

function formatUnit({ name, unit }: HostingPlot, stepSec: number): string {
  if (name === 'requests' || name === 'bandwidth') {
    return stepSec < MINUTE_SEC ? ` per ${stepSec} s` : ` per ${stepSec / MINUTE_SEC} min`;
  }
  return unit === 'cpu' ? ', cores' : '';
}

function chooseFormat(unit: string): {
  readonly format: (value: number | null) => string;
  readonly steps?: readonly number[];
} {
  switch (unit) {
    case 'bytes':
      return { format: formatBytes, steps: BYTE_STEPS };
    case 'ms':
      return { format: formatMilliseconds };
    case 'count':
      return { format: formatNumber, steps: COUNT_STEPS };
    default:
      return { format: formatNumber };
  }
}

function formatDay(at: number): string {
  return formatDateTime(at).slice(DAY_CLOCK.from, DAY_CLOCK.to);
}
