import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuntimeSample } from '../../../../src/domain/inspect/wire.ts';
import { useTopic } from '../../connection/use-connection.ts';
import { ErrorState, Loading } from '../../parts/notice.tsx';
import { EffectTable } from '../../plots/effect-table.tsx';
import { applyFrame, type History } from '../../plots/history.ts';
import {
  BYTE_STEPS,
  COUNT_STEPS,
  formatBytes,
  formatMilliseconds,
  formatNumber,
} from '../../plots/number-format.ts';
import { Plot } from '../../plots/plot.tsx';
import { StoreTable } from '../../plots/store-table.tsx';
import { useSite } from '../../shell/console-site.ts';
import './runtime.css';

type Member = { [Key in keyof RuntimeSample]: Key }[keyof RuntimeSample];

interface ChartSpec {
  /** Shown only there. */
  readonly host?: 'server';
  readonly title: string;
  readonly lines: readonly (readonly [label: string, member: Member])[];
  readonly format: (value: number | null) => string;
  readonly steps?: readonly number[];
}

/** The charts in page order. */
const CHARTS: readonly ChartSpec[] = [
  {
    title: 'Events per second',
    lines: [
      ['events', 'events'],
      ['commits', 'commits'],
    ],
    format: formatNumber,
    steps: COUNT_STEPS,
  },
  {
    title: 'Commit latency',
    lines: [
      ['p50', 'commitP50Ms'],
      ['p99', 'commitP99Ms'],
    ],
    format: formatMilliseconds,
  },
  {
    title: 'Timers',
    lines: [
      ['pending', 'timers'],
      ['due', 'timersDue'],
    ],
    format: formatNumber,
    steps: COUNT_STEPS,
  },
  {
    title: 'Work in progress',
    lines: [
      ['pending commits', 'pendingCommits'],
      ['effects', 'runningEffects'],
    ],
    format: formatNumber,
    steps: COUNT_STEPS,
  },
  {
    title: 'Live actors',
    lines: [['in memory', 'liveActors']],
    format: formatNumber,
    steps: COUNT_STEPS,
  },
  {
    title: 'Memory',
    lines: [
      ['process', 'rssBytes'],
      ['heap', 'heapBytes'],
    ],
    format: formatBytes,
    steps: BYTE_STEPS,
  },
  {
    title: 'Event loop delay',
    lines: [['p99', 'loopDelayP99Ms']],
    format: formatMilliseconds,
  },
  {
    title: 'Clients',
    host: 'server',
    lines: [
      ['sessions', 'sessions'],
      ['streams', 'streams'],
      ['consoles', 'consoles'],
      ['calls', 'calls'],
    ],
    format: formatNumber,
    steps: COUNT_STEPS,
  },
];

/** The runtime page: rates, latency, timers, effects, store, memory and clients. */
export function RuntimePage(): JSX.Element {
  const { host } = useSite();
  const [history, setHistory] = useState<History | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useTopic(
    { name: 'runtime' },
    {
      frame: (frame) => setHistory((before) => applyFrame(before, frame)),
      ended: ({ message }) => setFault(message),
    },
  );
  if (fault !== null) return <ErrorState title="The runtime cannot be shown" words={fault} />;
  if (history === null) return <Loading what="the last ten minutes" />;
  const charts = CHARTS.filter((chart) => chart.host === undefined || chart.host === host);
  const times = history.samples.map(({ at }) => at);
  return (
    <>
      <header class="page-head">
        <h1>Runtime</h1>
      </header>
      <div class="runtime-grid">
        {charts.map(({ title, lines, format, steps }) => (
          <Plot
            key={title}
            title={title}
            times={times}
            format={format}
            {...(steps === undefined ? {} : { steps })}
            series={lines.map(([label, member]) => ({
              label,
              values: history.samples.map((sample) => sample[member]),
            }))}
          />
        ))}
        <EffectTable effects={history.effects} />
        {host === 'program' && history.store.length === 0 ? null : (
          <StoreTable store={history.store} />
        )}
      </div>
    </>
  );
}
