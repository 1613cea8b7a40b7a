import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useDrag } from './drag.ts';
import { copyInertSvg } from './inert-svg.ts';
import { clampZoom, fitZoom, initialZoom, type Size, scrollToKeepPoint, ZOOM } from './zoom.ts';
import './chart-frame.css';

// The build writes this style with the charts, so that the page and exported files look alike.
const STYLE_URL = '/console/charts/chart.css';

/** Properties of a chart frame. */
export interface ChartFrameProps {
  /** SVG text of the chart, as built. */
  readonly svg: string;
  /** Accessible description of the current chart. */
  readonly label: string;
  /** Highlights parts of the chart; called again whenever the function changes. */
  readonly paint: (drawing: SVGSVGElement) => void;
  /** Selects the parts to keep in view. */
  readonly focusSelector?: string;
  /** Changes when the parts in focus change. */
  readonly focusKey?: string;
}

/** A chart that can be panned and zoomed by wheel, touch, keys and buttons. */
export function ChartFrame(props: ChartFrameProps): JSX.Element {
  linkChartStyle();
  const frame = useRef<HTMLElement>(null);
  const { drawing, size } = useDrawing(props.svg);
  const { zoom, zoomTo, zoomToFit } = useZoom(frame, drawing, size);
  // A layout effect, so that chart and text never show different states.
  useLayoutEffect(() => {
    if (drawing !== null) props.paint(drawing);
  }, [drawing, props.paint]);
  const showFocus = useFollowFocus(frame, drawing, props);
  useDrag(frame, zoom, zoomTo);
  const handleKey = (event: KeyboardEvent): void => {
    const run = {
      '+': () => zoomTo(zoom * ZOOM.step),
      '=': () => zoomTo(zoom * ZOOM.step),
      '-': () => zoomTo(zoom / ZOOM.step),
      '0': () => zoomTo(1),
      f: zoomToFit,
    }[event.key];
    if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    run();
  };
  return (
    <div class="chart">
      <section
        ref={frame}
        class="chart-frame"
        aria-label={props.label}
        // A scrollable region must be reachable by keyboard.
        tabIndex={0}
        onKeyDown={handleKey}
      />
      <ChartTools zoom={zoom} zoomTo={zoomTo} zoomToFit={zoomToFit} showFocus={showFocus} />
    </div>
  );
}

interface ZoomControls {
  /** Scale; 1 is the natural size. */
  readonly zoom: number;
  /** Keeps the point `at` of the frame in place; default: its center. */
  zoomTo(wanted: number, at?: { readonly x: number; readonly y: number }): void;
  zoomToFit(): void;
}

function ChartTools({
  zoom,
  zoomTo,
  zoomToFit,
  showFocus,
}: ZoomControls & { readonly showFocus: (() => void) | null }): JSX.Element {
  const percent = `${Math.round(zoom * 100)} %`;
  const tools = [
    { words: '−', label: 'Zoom out', run: () => zoomTo(zoom / ZOOM.step) },
    { words: percent, label: `${percent}: reset to natural size`, run: () => zoomTo(1) },
    { words: '+', label: 'Zoom in', run: () => zoomTo(zoom * ZOOM.step) },
    { words: 'Fit', label: 'Fit', run: zoomToFit },
    ...(showFocus === null
      ? []
      : [{ words: 'Active', label: 'Show the active state', run: showFocus }]),
  ];
  return (
    <fieldset class="bare chart-tools" aria-label="Zoom">
      {tools.map(({ words, label, run }, place) => (
        <button
          key={TOOL_KEYS[place]}
          type="button"
          class="button is-small"
          aria-label={label}
          onClick={run}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}

const TOOL_KEYS = ['smaller', 'natural', 'larger', 'fit', 'active'] as const;

function useZoom(
  frame: RefObject<HTMLElement | null>,
  drawing: SVGSVGElement | null,
  size: Size,
): ZoomControls {
  const [chosen, setZoom] = useState<number | null>(null);
  const zoom = chosen ?? 1;
  const zoomTo: ZoomControls['zoomTo'] = (wanted, at) => {
    const element = frame.current;
    if (element === null) return;
    const next = clampZoom(wanted);
    const point = at ?? { x: element.clientWidth / 2, y: element.clientHeight / 2 };
    const { scrollLeft: left, scrollTop: top } = element;
    const scroll = scrollToKeepPoint({ left, top }, point, next / zoom);
    resizeDrawing(drawing, size, next);
    setZoom(next);
    element.scrollTo({ ...scroll, behavior: 'instant' });
  };
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || drawing === null) return;
    const first = initialZoom(size, innerSize(element));
    element.replaceChildren(drawing);
    resizeDrawing(drawing, size, first);
    setZoom(first);
  }, [drawing]);
  return {
    zoom,
    zoomTo,
    zoomToFit: () => {
      if (frame.current !== null) zoomTo(fitZoom(size, innerSize(frame.current)));
    },
  };
}

/** Keeps the parts in focus in view until the user scrolls away. Returns how to scroll back. */
function useFollowFocus(
  frame: RefObject<HTMLElement | null>,
  drawing: SVGSVGElement | null,
  { focusSelector, focusKey }: ChartFrameProps,
): (() => void) | null {
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null || focusSelector === undefined) return;
    const left = before.current?.isConnected === true ? before.current : null;
    const next = findInnermost(element, focusSelector);
    before.current = next;
    if (next !== null && (left === null || isVisible(element, left)))
      scrollIntoFrame(element, next);
  }, [drawing, focusSelector, focusKey]);
  if (focusSelector === undefined) return null;
  return () => {
    if (frame.current !== null && before.current !== null)
      scrollIntoFrame(frame.current, before.current);
  };
}

/** Adds the chart style sheet to the page once. */
export function linkChartStyle(): void {
  if (document.querySelector(`link[href="${STYLE_URL}"]`) !== null) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = STYLE_URL;
  document.head.append(link);
}

function useDrawing(svg: string): { readonly drawing: SVGSVGElement | null; readonly size: Size } {
  return useMemo(() => {
    const drawing = copyInertSvg(svg);
    const box = drawing?.viewBox.baseVal;
    return { drawing, size: { width: box?.width ?? 0, height: box?.height ?? 0 } };
  }, [svg]);
}

function resizeDrawing(drawing: SVGSVGElement | null, size: Size, zoom: number): void {
  drawing?.setAttribute('width', String(Math.round(size.width * zoom)));
  drawing?.setAttribute('height', String(Math.round(size.height * zoom)));
}

function innerSize(element: HTMLElement): Size {
  return { width: element.clientWidth, height: element.clientHeight };
}

/** Returns the last match without inner matches: the innermost active state. */
function findInnermost(frame: HTMLElement, selector: string): Element | null {
  const parts = [...frame.querySelectorAll(selector)];
  return (
    parts.filter((part) => !parts.some((other) => other !== part && part.contains(other))).at(-1) ??
    null
  );
}

function isVisible(frame: HTMLElement, part: Element): boolean {
  const [box, around] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  return (
    box.right > around.left &&
    box.left < around.right &&
    box.bottom > around.top &&
    box.top < around.bottom
  );
}

// Scrolls the frame, never the page, and only if the part is not fully visible.
function scrollIntoFrame(frame: HTMLElement, part: Element): void {
  const [box, around] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  const isWhole =
    box.left >= around.left &&
    box.right <= around.right &&
    box.top >= around.top &&
    box.bottom <= around.bottom;
  if (isWhole) return;
  // Of a part larger than the frame, show the start: it has the name.
  const spare = (of: number, within: number): number => Math.max(0, (within - of) / 2);
  frame.scrollBy({
    left: box.left - around.left - spare(box.width, around.width),
    top: box.top - around.top - spare(box.height, around.height),
    behavior: 'instant',
  });
}
