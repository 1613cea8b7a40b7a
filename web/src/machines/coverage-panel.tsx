import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CoverageReport } from '../../../src/domain/inspect/coverage.ts';
import type { MachineGraph } from '../../../src/domain/inspect/graph.ts';
import { useConnectionRead } from '../connection/use-connection.ts';
import { formatDateTime } from '../parts/times.tsx';
import { useSite } from '../shell/console-site.ts';
import { computeCoverage, parseReport, REPORT_BYTES_MAX } from './coverage.ts';

/** Selects a coverage report to overlay on the chart, and lists what it does not cover. */
export function CoveragePanel(props: {
  readonly graph: MachineGraph;
  readonly report: CoverageReport | null;
  setReport(report: CoverageReport | null): void;
}): JSX.Element {
  const { graph, report, setReport } = props;
  const [fault, setFault] = useState<string | null>(null);
  const reading = useConnectionRead({ name: 'coverage' });
  const all = reading.name === 'there' ? reading.result.reports : [];
  const reports = all.filter(({ kind }) => kind === graph.kind);
  const take = (taken: CoverageReport): void => {
    const reason = findMismatch(graph, taken);
    setFault(reason);
    setReport(reason === null ? taken : null);
  };
  const picked = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const read =
      file.size > REPORT_BYTES_MAX
        ? { fault: `The file has ${file.size} bytes; at most ${REPORT_BYTES_MAX} are allowed.` }
        : parseReport(await file.text());
    if ('report' in read) take(read.report);
    else {
      setFault(read.fault);
      setReport(null);
    }
  };
  return (
    <section class="panel coverage" aria-labelledby="coverage-title">
      <h2 id="coverage-title">Coverage</h2>
      <div class="toolbar">
        {reports.map((one) => (
          <button
            key={`${one.title} ${one.at}`}
            type="button"
            class="button"
            aria-pressed={one === report}
            onClick={() => (one === report ? setReport(null) : take(one))}
          >
            {one.title}, {formatDateTime(one.at)}
          </button>
        ))}
        <FileChoice take={picked} />
        {report === null ? null : (
          <button type="button" class="button is-quiet" onClick={() => setReport(null)}>
            Remove overlay
          </button>
        )}
      </div>
      {fault === null ? null : (
        <p class="reason" role="alert">
          {fault}
        </p>
      )}
      {report === null ? (
        <Hint kind={graph.kind} hasReports={reports.length > 0} />
      ) : (
        <Result graph={graph} report={report} />
      )}
    </section>
  );
}

function FileChoice(props: { take(file: File | undefined): Promise<void> }): JSX.Element {
  return (
    <label class="button file-choice">
      Open a report …
      <input
        type="file"
        class="visually-hidden"
        accept="application/json,.json"
        onChange={({ currentTarget }) => {
          void props.take(currentTarget.files?.[0]);
          // Allows picking the same file again after it was rewritten.
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

function Hint(props: { readonly kind: string; readonly hasReports: boolean }): JSX.Element {
  const { host } = useSite();
  if (props.hasReports) return <p class="muted">Choose a report to overlay it on the chart.</p>;
  if (host === 'program') {
    return <p class="muted">The testing kit writes reports of the paths that it has tested.</p>;
  }
  return (
    <p class="muted">
      The data directory has no report for this machine. The testing kit writes reports;{' '}
      <code>stoa paths {props.kind}</code> lists the paths that it tests.
    </p>
  );
}

function Result(props: {
  readonly graph: MachineGraph;
  readonly report: CoverageReport;
}): JSX.Element {
  const { graph, report } = props;
  const covered = computeCoverage(graph, report);
  const states = covered.states + covered.uncoveredStates.length;
  const missing = [
    ...covered.uncoveredStates.map((id) => `state ${id}`),
    ...covered.uncoveredTransitions.map((id) => `transition ${formatTransitionId(id)}`),
  ];
  return (
    <div data-coverage={report.title}>
      <p>
        {report.title}: {report.paths} paths cover {covered.states} of {states} states and{' '}
        {covered.transitions} of {graph.transitions.length} transitions.
      </p>
      {missing.length === 0 ? (
        <p class="is-good">Full coverage.</p>
      ) : (
        <>
          <h3>Not covered</h3>
          <ul class="missing">
            {missing.map((words) => (
              <li key={words} class="mono">
                {words}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function findMismatch(graph: MachineGraph, { kind, version }: CoverageReport): string | null {
  if (kind === graph.kind && version === graph.version) return null;
  return `The report is for ${kind} v${version}; this machine is ${graph.kind} v${graph.version}.`;
}

/** Formats a transition's id, `source|event|index`. */
function formatTransitionId(id: string): string {
  const [source = '', event = '', index = '0'] = id.split('|');
  const nth = index === '0' ? '' : ` (choice ${Number(index) + 1})`;
  return `${source === '' ? 'any state' : source} on ${event === '' ? 'always' : event}${nth}`;
}
