import type { JSX } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { Fault, Loading } from '../parts/notice.tsx';
import { ChartFrame, linkStyle } from './chart-frame.tsx';
import { inertSvg } from './inert-svg.ts';
import { applyLights, type Lights } from './lights.ts';
import { useChart } from './use-chart.ts';

/** Properties of a state chart. */
export interface ChartProps {
  readonly kind: string;
  /** Machine version of the actor; default: the version of the built chart. */
  readonly version?: number;
  /** Must be the same object while nothing changes. */
  readonly lights: Lights;
  /** Accessible description of the current chart. */
  readonly label: string;
}

/** The state chart of a machine with highlighted parts; can be panned and zoomed. */
export function Chart({ kind, version, lights, label }: ChartProps): JSX.Element {
  const state = useChart(kind);
  const paint = useCallback((drawing: SVGSVGElement) => applyLights(drawing, lights), [lights]);
  if (state.name === 'waiting') return <Loading what={`the chart of ${kind}`} />;
  if (state.name === 'failed') {
    return <Fault title="The chart could not be loaded" words={state.words} />;
  }
  if (state.name === 'unknown') {
    const why = `This server has no chart for machines of the kind “${kind}”.`;
    return <WithoutChart why={why} lights={lights} />;
  }
  const drawn = state.files.graph.version;
  if (version !== undefined && drawn !== version) {
    const why =
      `This actor uses version ${version} of its machine; ` +
      `this server has the chart of version ${drawn}.`;
    return <WithoutChart why={why} lights={lights} />;
  }
  const key = [...(lights.active ?? [])].join(' ');
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
  linkStyle();
  const drawing = useMemo(() => inertSvg(svg), [svg]);
  const place = useCallback(
    (element: HTMLDivElement | null) => {
      if (element !== null && drawing !== null) element.replaceChildren(drawing);
    },
    [drawing],
  );
  return <div ref={place} class="chart-preview" aria-hidden="true" />;
}

function WithoutChart({
  why,
  lights,
}: {
  readonly why: string;
  readonly lights: Lights;
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
