import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { CoverageReport } from '../../../src/domain/inspect/coverage.ts';
import type { MachineGraph } from '../../../src/domain/inspect/graph.ts';
import { ChartFrame } from '../chart/chart-frame.tsx';
import { useChart } from '../chart/use-chart.ts';
import { EmptyState, ErrorState, Loading } from '../parts/notice.tsx';
import { useSite } from '../shell/console-site.ts';
import { consoleUrl } from '../shell/router.ts';
import { paintCoverage } from './coverage.ts';
import { CoveragePanel } from './coverage-panel.tsx';
import { StateTable, TransitionTable } from './machine-tables.tsx';

/** The page of one machine: chart, states, transitions and test coverage. */
export function MachineView({ kind }: { readonly kind: string }): JSX.Element {
  const chart = useChart(kind);
  const { host } = useSite();
  switch (chart.name) {
    case 'waiting':
      return <Loading what={`the chart of ${kind}`} />;
    case 'failed':
      return (
        <ErrorState
          title={`The chart of ${kind} could not be loaded`}
          words={chart.words}
          retry={() => location.reload()}
        />
      );
    case 'unknown':
      return (
        <EmptyState title={`This ${host} has no machine “${kind}”`}>
          <p>
            See <a href={consoleUrl(['machines'])}>all machines</a>.
          </p>
        </EmptyState>
      );
    case 'there':
      return <Machine graph={chart.files.graph} svg={chart.files.svg} />;
  }
}

function Machine(props: { readonly graph: MachineGraph; readonly svg: string }): JSX.Element {
  const { graph, svg } = props;
  const [report, setReport] = useState<CoverageReport | null>(null);
  const paint = useCallback((drawing: Element) => paintCoverage(drawing, report), [report]);
  const states = graph.states.filter(({ parentId }) => parentId !== null);
  return (
    <article class="machine">
      <div class="page-head">
        <h1>{graph.title}</h1>
        <p class="muted">
          {graph.kind} v{graph.version} · {states.length} states · {graph.transitions.length}{' '}
          transitions
        </p>
        <Exports kind={graph.kind} />
      </div>
      <ChartFrame
        svg={svg}
        label={`Chart of ${graph.title}; the tables below have the same content`}
        paint={paint}
      />
      <CoveragePanel graph={graph} report={report} setReport={setReport} />
      <StateTable states={states} report={report} />
      <TransitionTable graph={graph} report={report} />
    </article>
  );
}

const FORMATS = [
  ['SVG', 'wide.svg', 'svg'],
  ['Mermaid', 'mmd', 'mmd'],
  ['JSON', 'json', 'json'],
] as const;

function Exports({ kind }: { readonly kind: string }): JSX.Element {
  const base = `/console/charts/${encodeURIComponent(kind)}`;
  return (
    <div class="toolbar exports" role="group" aria-label="Export">
      {FORMATS.map(([name, ending, suffix]) => (
        <a key={name} class="button" href={`${base}.${ending}`} download={`${kind}.${suffix}`}>
          {name}
        </a>
      ))}
    </div>
  );
}
