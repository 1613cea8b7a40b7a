import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ChartPreview } from '../chart/chart.tsx';
import { loadChart } from '../chart/chart-files.ts';
import { errorMessage } from '../connection/request-error.ts';
import { EmptyState, ErrorState, Loading } from '../parts/notice.tsx';
import { useSite } from '../shell/console-site.ts';
import { consoleUrl } from '../shell/router.ts';

/** One entry of the chart index that the build writes. */
interface ChartEntry {
  readonly kind: string;
  readonly version: number;
  readonly title: string;
  /** Number of states, including the root. */
  readonly states: number;
  readonly transitions: number;
}

/** All machines, each with a small chart. */
export function Gallery(): JSX.Element {
  const { entries, fault } = useEntries();
  return (
    <>
      <div class="page-head">
        <h1>Machines</h1>
        <p class="muted">
          All state machines of this {useSite().host}, generated from their definitions.
        </p>
      </div>
      {fault !== null ? (
        <ErrorState
          title="The machines could not be loaded"
          words={fault}
          retry={() => location.reload()}
        />
      ) : entries === null ? (
        <Loading what="machines" />
      ) : entries.length === 0 ? (
        <EmptyState title="No charts">
          <p>
            Run <code>npm run build</code> to create them.
          </p>
        </EmptyState>
      ) : (
        <ul class="gallery">
          {entries.map((entry) => (
            <li key={entry.kind}>
              <Card entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Card({ entry }: { readonly entry: ChartEntry }): JSX.Element {
  const { kind, version, title, states, transitions } = entry;
  return (
    <a class="machine-card" href={consoleUrl(['machines', kind])}>
      <Thumbnail kind={kind} />
      <span class="machine-card-title">{title}</span>
      <span class="muted">
        {kind} v{version} · {states - 1} states · {transitions} transitions
      </span>
    </a>
  );
}

// Decorative: the text is below it. Uses the phone layout, which is readable at a small size.
function Thumbnail({ kind }: { readonly kind: string }): JSX.Element {
  const [svg, setSvg] = useState<string | null>(null);
  useEffect(() => {
    // Without its chart, the card still links to the machine, whose page shows the error.
    loadChart(kind, 'narrow').then(
      (files) => setSvg(files?.svg ?? null),
      () => undefined,
    );
  }, [kind]);
  return (
    <div class="thumbnail" aria-hidden="true">
      {svg === null ? null : <ChartPreview svg={svg} />}
    </div>
  );
}

function useEntries(): {
  readonly entries: readonly ChartEntry[] | null;
  readonly fault: string | null;
} {
  const [entries, setEntries] = useState<readonly ChartEntry[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    readEntries().then(setEntries, (thrown: unknown) => setFault(errorMessage(thrown)));
  }, []);
  return { entries, fault };
}

async function readEntries(): Promise<readonly ChartEntry[]> {
  const answer = await fetch('/console/charts/index.json');
  if (answer.status === 404) return [];
  // Written by our build.
  return (await answer.json()) as readonly ChartEntry[];
}
