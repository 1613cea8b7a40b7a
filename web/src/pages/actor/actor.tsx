import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ActorPoint } from '../../../../src/domain/inspect/wire.ts';
import { Chart } from '../../chart/chart.tsx';
import { getHighlights } from '../../chart/highlights.ts';
import { useConnection } from '../../connection/use-connection.ts';
import { type ActorModel, createActorModel } from '../../journal/actor-model.ts';
import { DifferencePanel } from '../../journal/difference.tsx';
import { JournalList } from '../../journal/journal-list.tsx';
import { TravelBar } from '../../journal/travel-bar.tsx';
import { ErrorState, Loading } from '../../parts/notice.tsx';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl, navigate } from '../../shell/router.ts';
import { ActorActions } from './actor-actions.tsx';
import { ActorDetails } from './actor-details.tsx';
import { ActorHead } from './actor-head.tsx';
import './actor.css';

/** Delay before the URL is updated to the selected row, in milliseconds. */
const ADDRESS_DELAY_MS = 300;

/** The page of one actor: chart, journal with time travel, and everything pending. */
export function ActorPage({ rest, query }: PageProps): JSX.Element {
  const actorId = rest.join('/');
  const connection = useConnection();
  const [model, setModel] = useState<ActorModel | null>(null);
  useEffect(() => {
    const begun = createActorModel(connection, actorId, parseSeq(query));
    setModel(begun);
    return () => begun.stop();
  }, [connection, actorId]);
  if (model === null) return <Loading what={actorId} />;
  return <LoadedActor model={model} query={query} />;
}

function LoadedActor({
  model,
  query,
}: {
  readonly model: ActorModel;
  readonly query: URLSearchParams;
}): JSX.Element {
  useUrlSync(model, query);
  const frame = model.frame.value;
  const ended = model.ended.value;
  if (frame === null) {
    if (ended === null) return <Loading what={model.actorId} />;
    return (
      <ErrorState title={`${model.actorId} cannot be shown`} words={ended}>
        <a href={consoleUrl(['actors'])}>All actors</a>
      </ErrorState>
    );
  }
  const point = model.point.value;
  return (
    <article class="actor" data-live-seq={frame.seq} data-shown-seq={point?.seq}>
      <ActorHead model={model} frame={frame} point={point ?? frame} />
      {ended === null ? null : (
        <p class="reason" role="alert">
          No longer live: {ended}
        </p>
      )}
      {point === null ? <MissingPoint model={model} /> : <PointChart point={point} />}
      <TravelBar model={model} />
      <ActorActions model={model} frame={frame} />
      <DifferencePanel model={model} />
      <div class="actor-columns">
        <JournalList model={model} />
        {point === null ? null : <ActorDetails model={model} frame={frame} point={point} />}
      </div>
    </article>
  );
}

function MissingPoint({ model }: { readonly model: ActorModel }): JSX.Element {
  const state = model.points.state.value;
  if (state.kind !== 'refused') return <Loading what={`row ${model.travel.at.value ?? ''}`} />;
  return <ErrorState title={`Row ${state.seq} cannot be shown`} words={state.words} />;
}

function PointChart({ point }: { readonly point: ActorPoint }): JSX.Element {
  const lights = useMemo(() => getHighlights(point), [point]);
  return (
    <Chart
      kind={point.kind}
      version={point.version}
      highlights={lights}
      label={chartLabel(point)}
    />
  );
}

function chartLabel({ kind, activeIds, possible }: ActorPoint): string {
  const labels = [...new Set(possible.map(({ label }) => label))];
  const next =
    labels.length === 0 ? 'No event is possible.' : `Possible now: ${labels.join(', ')}.`;
  return `State chart of ${kind}. Active: ${activeIds.join(', ')}. ${next}`;
}

/** Syncs the URL and the selected row in both directions. */
function useUrlSync({ actorId, travel, rows }: ActorModel, query: URLSearchParams): void {
  const at = travel.at.value;
  const asked = parseSeq(query);
  const written = useRef<number | null | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => {
      // Effects run after paint, so the row may have changed since.
      const now = travel.at.peek();
      const isPlaced = rows.span.peek().lastSeq >= 0;
      if (!isPlaced || parseSeq(new URLSearchParams(location.search)) === now) return;
      written.current = now;
      navigate(consoleUrl(['actor', actorId], { at: now ?? undefined }), { replace: true });
    }, ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [at, actorId]);
  useEffect(() => {
    // Ignore URLs written by this page: they could undo a later step.
    const isOwn = asked === written.current;
    written.current = undefined;
    // The model selects its first row itself once the journal is known.
    if (isOwn || asked === travel.at.peek() || rows.span.peek().lastSeq < 0) return;
    if (asked === null) travel.live();
    else travel.goTo(asked);
  }, [asked]);
}

function parseSeq(query: URLSearchParams): number | null {
  const text = query.get('at');
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
