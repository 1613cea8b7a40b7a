import type { JSX } from 'preact';
import type { DataValue } from '../../../src/domain/data/value.ts';
import type { Drawing } from '../../../src/domain/drawing/svg.ts';
import { buildReportContent, type Headline } from '../../../src/domain/report/page/chapters.ts';
import { drawCoverage } from '../../../src/domain/report/page/coverage-drawing.ts';
import type { AnyReportState } from '../../../src/domain/report/state.ts';
import { Timestamp } from '../parts/facts.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { InertDrawing } from './inert-drawing.tsx';

/** Poll interval in milliseconds; long, because an answer never changes. */
const POLL_MS = 30_000;

/** The answer of a report with its charts; shown only if the operator allows it. */
export function ReportAnswer({ id }: { readonly id: string }): JSX.Element {
  const read = useRead<AnyReportState>(`/v1/reports/${encodeURIComponent(id)}`, POLL_MS);
  return (
    <ReadView read={read} what="answer">
      {(state) => <Answer state={state} />}
    </ReadView>
  );
}

function Answer({ state }: { readonly state: AnyReportState }): JSX.Element {
  const { report, tool, page_path: path } = state;
  if (report === undefined || report.data === null) {
    return <p class="muted">No answer.</p>;
  }
  const { title, headlines, chapters } = buildReportContent(tool, report.data);
  const drawings = [
    ...chapters.flatMap((chapter) => chapter.drawings),
    ...drawCoverage(report.coverage),
  ];
  return (
    <div data-answer={report.completeness}>
      <h3 class="report-title">
        <bdi>{title}</bdi>
      </h3>
      <p class="muted">
        {report.completeness}, {report.coverage.answered} of {report.coverage.asked} answered,{' '}
        {report.sources.length} sources, generated <Timestamp at={report.generated_at} />
      </p>
      <dl class="report-cards">
        {headlines.map((one) => (
          <Card key={one.name} headline={one} />
        ))}
      </dl>
      <div class="report-drawings">
        {drawings.map((drawing) => (
          <Figure key={drawing.title} drawing={drawing} />
        ))}
      </div>
      <p class="report-links">
        <a href={`${path}?format=html`} target="_blank" rel="noreferrer">
          Full report
        </a>
        <a href={`${path}?format=html&download=1`}>Download HTML</a>
        <a href={`${path}?format=json`} target="_blank" rel="noreferrer">
          Signed JSON
        </a>
      </p>
    </div>
  );
}

function Card({ headline: { name, figure } }: { readonly headline: Headline }): JSX.Element {
  return (
    <div class="report-card">
      <dt>{name}</dt>
      <dd>{typeof figure === 'string' ? <strong>{figure}</strong> : <Value figure={figure} />}</dd>
    </div>
  );
}

function Value({ figure }: { readonly figure: DataValue }): JSX.Element {
  const { value, unit, as_of, stale, sources } = figure;
  return (
    <>
      <strong>{value}</strong> {unit.replaceAll('_', ' ')}
      <small class="muted">
        <Timestamp at={as_of} /> {stale ? 'stale' : ''} [{sources.join(', ')}]
      </small>
    </>
  );
}

function Figure({ drawing }: { readonly drawing: Drawing }): JSX.Element {
  const { title, note, svg, asOf, sources } = drawing;
  const when =
    asOf === null ? '' : ` As of ${asOf[0].slice(0, 19)} to ${asOf[1].slice(0, 19)} UTC.`;
  return (
    <figure class="report-figure">
      <figcaption>
        <strong>{title}</strong>
        <small class="muted">
          <bdi>{note}</bdi>
          {when} {sources.length === 0 ? '' : `[${sources.join(', ')}]`}
        </small>
      </figcaption>
      <InertDrawing svg={svg} />
    </figure>
  );
}
