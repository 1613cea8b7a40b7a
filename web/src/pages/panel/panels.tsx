import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ActorRow, ActorsFrame, PanelLine } from '../../../../src/domain/inspect/wire.ts';
import { useTopic } from '../../connection/use-connection.ts';
import { formatCount } from '../../journal/format.ts';
import { ShortName } from '../../parts/facts.tsx';
import { FirstCall } from '../../parts/first-call.tsx';
import { EmptyState, ErrorState, Loading } from '../../parts/notice.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { consoleUrl } from '../../shell/router.ts';
import { PANEL_KINDS } from './panel-kinds.ts';
import { usePanelLines } from './panel-lines.ts';
import './panel.css';

/** Number of panels listed initially. */
const SHOWN_FIRST = 100;

/** The list of all panels: running ones first, then newest first. */
export function PanelsPage(): JSX.Element {
  const [panels, setPanels] = useState<Panels>({ rows: new Map(), isWhole: false });
  const [fault, setFault] = useState<string | null>(null);
  const [shown, setShown] = useState(SHOWN_FIRST);
  useTopic(
    { name: 'actors' },
    {
      frame: (frame) => setPanels((before) => applyFrame(before, frame)),
      ended: ({ message }) => setFault(message),
    },
  );
  const sorted = useMemo(() => [...panels.rows.values()].sort(compareRunningFirst), [panels]);
  const listed = useMemo(() => sorted.slice(0, shown), [sorted, shown]);
  const lines = usePanelLines(listed);
  if (fault !== null) return <ErrorState title="The panels cannot be listed" words={fault} />;
  return (
    <>
      <div class="page-head">
        <h1>Panels</h1>
        <span class="muted">{formatCount(sorted.length, 'panel')}</span>
      </div>
      {sorted.length === 0 ? (
        <NoPanels isWhole={panels.isWhole} />
      ) : (
        <ul class="panel-list">
          {listed.map((row) => (
            <ListedPanel key={row.id} row={row} line={lines.get(row.id)} />
          ))}
        </ul>
      )}
      {sorted.length > shown ? (
        <button type="button" class="button" onClick={() => setShown(shown * 2)}>
          {sorted.length - shown} more
        </button>
      ) : null}
    </>
  );
}

interface Panels {
  readonly rows: ReadonlyMap<string, ActorRow>;
  readonly isWhole: boolean;
}

function applyFrame(before: Panels, { isFirst, isWhole, rows, gone }: ActorsFrame): Panels {
  const of = rows.filter(({ kind }) => PANEL_KINDS.has(kind));
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

function NoPanels({ isWhole }: { readonly isWhole: boolean }): JSX.Element {
  if (!isWhole) return <Loading what="panels" />;
  return (
    <EmptyState title="No panels yet">
      <FirstCall what="A panel" />
    </EmptyState>
  );
}

function ListedPanel({
  row,
  line,
}: {
  readonly row: ActorRow;
  readonly line: PanelLine | undefined;
}): JSX.Element {
  const kind = PANEL_KINDS.get(row.kind);
  return (
    <li class="panel-line" data-panel={row.id}>
      <a class="listed-question" href={consoleUrl([kind?.page ?? 'panel', row.id])} title={row.id}>
        {line === undefined ? <ShortName name={row.id} /> : <bdi>{line.question}</bdi>}
      </a>
      <span class={`state-pill is-${row.status}`}>{row.status}</span>
      <p class="listed-facts">
        <span>{line?.title ?? kind?.label}</span>
        <span>{row.state}</span>
        {line?.decision == null ? null : (
          <span class="listed-decision">
            Decision: <bdi>{line.decision}</bdi>
          </span>
        )}
        <ShortName name={row.id} />
        <RelativeTime at={row.at} />
      </p>
    </li>
  );
}
