import type { JSX } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { ErrorState, Loading } from '../parts/notice.tsx';
import { useSite } from '../shell/console-site.ts';
import { ChartFrame, linkChartStyle } from './chart-frame.tsx';
import { applyHighlights, type Highlights } from './highlights.ts';
import { copyInertSvg } from './inert-svg.ts';
import { useChart } from './use-chart.ts';

/** Properties of a state chart. */
export interface ChartProps {
  readonly kind: string;
  /** Machine version of the actor; default: the version of the built chart. */
  readonly version?: number;
  /** Must be the same object while nothing changes. */
  readonly highlights: Highlights;
  /** Accessible description of the current chart. */
  readonly label: string;
}

/** The state chart of a machine with highlighted parts; can be panned and zoomed. */
export function Chart({ kind, version, highlights, label }: ChartProps): JSX.Element {
  const state = useChart(kind);
  const { host } = useSite();
  const paint = useCallback(
    (drawing: SVGSVGElement) => applyHighlights(drawing, highlights),
    [highlights],
  );
  if (state.name === 'waiting') return <Loading what={`the chart of ${kind}`} />;
  if (state.name === 'failed') {
    return <ErrorState title="The chart could not be loaded" words={state.words} />;
  }
  if (state.name === 'unknown') {
    const why = `This ${host} has no chart for machines of the kind “${kind}”.`;
    return <MissingChart why={why} lights={highlights} />;
  }
  const drawn = state.files.graph.version;
  if (version !== undefined && drawn !== version) {
    const why =
      `This actor uses version ${version} of its machine; ` +
      `this ${host} has the chart of version ${drawn}.`;
    return <MissingChart why={why} lights={highlights} />;
  }
  const key = [...(highlights.active ?? [])].join(' ');
  return (
    <ChartFrame
      svg={state.files.svg}
      label={label}
      paint={paint}
      focusSelector=".is-active"
      focusKey={key}
    />
  );
}

/** A static chart preview that fills its container. */
export function ChartPreview({ svg }: { readonly svg: string }): JSX.Element {
  linkChartStyle();
  const drawing = useMemo(() => copyInertSvg(svg), [svg]);
  const place = useCallback(
    (element: HTMLDivElement | null) => {
      if (element !== null && drawing !== null) element.replaceChildren(drawing);
    },
    [drawing],
  );
  return <div ref={place} class="chart-preview" aria-hidden="true" />;
}

function MissingChart({
  why,
  lights,
}: {
  readonly why: string;
  readonly lights: Highlights;
}): JSX.Element {
  return (
    <div class="chart-missing">
      <p>{why} Active states:</p>
      <ul>
        {[...(lights.active ?? [])].map((id) => (
          <li key={id}>
            <code>{id}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
