import type { JSX } from 'preact';
import type { HostingPlot, HostingPlots } from '../../../src/domain/inspect/hosting.ts';
import { clockWords, dateWords } from '../parts/times.tsx';
import { BYTE_STEPS, bytes, COUNT_STEPS, duration, figure } from '../plots/figures.ts';
import { Plot } from '../plots/plot.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { go } from '../shell/router.ts';
import { hostingAddress } from './hosting-address.ts';

/** Poll interval, in milliseconds: the shortest step of a chart. */
const AGAIN_MS = 30_000;
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
  const read = useRead<HostingPlots>(hostingAddress(['metrics'], { resource, hours }), AGAIN_MS);
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
            onClick={() => go(`${location.pathname}?hours=${one}`, { replace: true })}
          >
            {words}
          </button>
        ))}
      </fieldset>
      <ReadView read={read} what="metrics">
        {({ times, stepSec, plots }) => (
          <div class="hosting-plots">
            {plots.map((plot) => (
              <OnePlot key={plot.name} plot={plot} times={times} stepSec={stepSec} />
            ))}
          </div>
        )}
      </ReadView>
    </section>
  );
}

function OnePlot({
  plot,
  times,
  stepSec,
}: {
  readonly plot: HostingPlot;
  readonly times: readonly number[];
  readonly stepSec: number;
}): JSX.Element {
  const { name, unit, lines, more } = plot;
  const title = `${TITLES[name]}${unitWords(plot, stepSec)}`;
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
  if (isEmpty) {
    return (
      <section class="panel plot" aria-label={title} data-plot={name}>
        <h2>{title}</h2>
        <p class="muted">No data in this period.</p>
      </section>
    );
  }
  const { format, steps } = formOf(unit);
  const isLong = stepSec * times.length > 26 * MINUTE_SEC * MINUTE_SEC;
  return (
    <div data-plot={name}>
      <Plot
        title={title}
        times={times}
        format={format}
        {...(steps === undefined ? {} : { steps })}
        series={lines}
        timeWords={isLong ? dayWords : clockWords}
        tableWords="newest values"
      />
      {more === 0 ? null : <p class="muted">{more} more lines are not shown.</p>}
    </div>
  );
}

function unitWords({ name, unit }: HostingPlot, stepSec: number): string {
  if (name === 'requests' || name === 'bandwidth') {
    return stepSec < MINUTE_SEC ? ` per ${stepSec} s` : ` per ${stepSec / MINUTE_SEC} min`;
  }
  return unit === 'cpu' ? ', cores' : '';
}

function formOf(unit: string): {
  readonly format: (value: number | null) => string;
  readonly steps?: readonly number[];
} {
  switch (unit) {
    case 'bytes':
      return { format: bytes, steps: BYTE_STEPS };
    case 'ms':
      return { format: duration };
    case 'count':
      return { format: figure, steps: COUNT_STEPS };
    default:
      return { format: figure };
  }
}

function dayWords(at: number): string {
  return dateWords(at).slice(DAY_CLOCK.from, DAY_CLOCK.to);
}
