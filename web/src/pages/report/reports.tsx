import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ActorRow, ActorsFrame, PanelLine } from '../../../../src/domain/inspect/wire.ts';
import { useTopic } from '../../connection/use-connection.ts';
import { formatCount } from '../../journal/format.ts';
import { ShortName } from '../../parts/facts.tsx';
import { EmptyState, ErrorState, Loading } from '../../parts/notice.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { useShowMore } from '../../parts/use-show-more.tsx';
import { consoleUrl } from '../../shell/router.ts';
import { usePanelLines } from '../panel/panel-lines.ts';
import '../panel/panel.css';

/** Actor kind of reports. */
const REPORT = 'report';
/** Number of reports listed initially. */
const SHOWN_FIRST = 100;

/** The list of all reports: running ones first, then newest first. */
export function ReportsPage(): JSX.Element {
  const [reports, setReports] = useState<Reports>({ rows: new Map(), isWhole: false });
  const [fault, setFault] = useState<string | null>(null);
  useTopic(
    { name: 'actors' },
    {
      frame: (frame) => setReports((before) => applyFrame(before, frame)),
      ended: ({ message }) => setFault(message),
    },
  );
  const sorted = useMemo(() => [...reports.rows.values()].sort(compareRunningFirst), [reports]);
  const { shown, more } = useShowMore(sorted, SHOWN_FIRST);
  const lines = usePanelLines(shown, reloadKeyOf);
  if (fault !== null) return <ErrorState title="The reports cannot be listed" words={fault} />;
  return (
    <>
      <div class="page-head">
        <h1>Reports</h1>
        <span class="muted">{formatCount(sorted.length, 'report')}</span>
      </div>
      {sorted.length === 0 ? <NoReports isWhole={reports.isWhole} /> : null}
      <ul class="panel-list">
        {shown.map((row) => (
          <ListedReport key={row.id} row={row} line={lines.get(row.id)} />
        ))}
      </ul>
      {more}
    </>
  );
}

interface Reports {
  readonly rows: ReadonlyMap<string, ActorRow>;
  readonly isWhole: boolean;
}

function applyFrame(before: Reports, { isFirst, isWhole, rows, gone }: ActorsFrame): Reports {
  const of = rows.filter(({ kind }) => kind === REPORT);
  if (!isFirst && of.length === 0 && gone.length === 0 && isWhole === before.isWhole) return before;
  const next = new Map(isFirst ? [] : before.rows);
  for (const row of of) next.set(row.id, row);
  for (const id of gone) next.delete(id);
  return { rows: next, isWhole };
}

function compareRunningFirst(one: ActorRow, other: ActorRow): number {
  const running = Number(other.status === 'active') - Number(one.status === 'active');
  return running === 0 ? other.createdAt - one.createdAt : running;
}

/** Returns the reload key of a report's line, which changes with every journal row. */
function reloadKeyOf({ status, seq }: ActorRow): string {
  return `${status} ${seq}`;
}

function NoReports({ isWhole }: { readonly isWhole: boolean }): JSX.Element {
  if (!isWhole) return <Loading what="reports" />;
  return (
    <EmptyState title="No reports yet">
      <p>
        Reports that take minutes, such as <code>ops_due-diligence-scan</code>, run as jobs. They
        appear here as soon as they start.
      </p>
    </EmptyState>
  );
}

function ListedReport({
  row,
  line,
}: {
  readonly row: ActorRow;
  readonly line: PanelLine | undefined;
}): JSX.Element {
  return (
    <li class="panel-line" data-report={row.id}>
      <a class="listed-question" href={consoleUrl([REPORT, row.id])} title={row.id}>
        {line === undefined ? <ShortName name={row.id} /> : <bdi>{line.title}</bdi>}
      </a>
      <span class={`state-pill is-${row.status}`}>{row.status}</span>
      <p class="listed-facts">
        <span>{row.state}</span>
        {line?.decision == null ? null : <span data-progress>{line.decision}</span>}
        <ShortName name={row.id} />
        <RelativeTime at={row.at} />
      </p>
    </li>
  );
}
