import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { type PlotColors, usePlotColors } from './plot-colors.ts';

/** One line of a plot. */
export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Height of the chart, in pixels. */
const HEIGHT = 150;
const AXIS_FONT = '11px system-ui, "DejaVu Sans", sans-serif';
const AXIS_WIDTH = 64;
const AXIS_HEIGHT = 24;
/** Padding for tick labels that exceed the plot area. */
const PADDING: uPlot.Padding = [8, 28, 0, 0];
/** Minimum distance between value ticks, in pixels. */
const VALUE_SPACE = 28;
const DOT_SIZE = 4;
/** Minimum distance between time ticks, in pixels: the width of a label. */
const TIME_SPACE = 64;
const SECOND_MS = 1000;

/** Properties of the canvas. */
export interface PlotCanvasProps {
  /** Milliseconds since 1970, one per sample. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  readonly format: (value: number | null) => string;
  readonly steps?: readonly number[] | undefined;
  /** Index of the selected sample; `null` for none. */
  readonly at: number | null;
  readonly timeWords: (at: number) => string;
  onPoint(at: number | null): void;
}

/** The chart canvas, hidden from screen readers: the plot has the same data as text. */
export function PlotCanvas(props: PlotCanvasProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(props);
  newest.current = props;
  const inks = usePlotColors();
  const labels = props.series.map(({ label }) => label).join('\n');
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const drawn = new uPlot(
      createOptions(newest, inks, element.clientWidth),
      toPlotData(newest.current),
      element,
    );
    plot.current = drawn;
    const sized = new ResizeObserver(() => {
      drawn.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    sized.observe(element);
    return () => {
      sized.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [inks, labels]);
  const { times, series, at } = props;
  useEffect(() => plot.current?.setData(toPlotData({ times, series })), [times, series]);
  useEffect(() => {
    const drawn = plot.current;
    const time = at === null ? undefined : times[at];
    if (drawn === null) return;
    const left = time === undefined ? -1 : drawn.valToPos(time / SECOND_MS, 'x');
    drawn.setCursor({ left, top: time === undefined ? -1 : HEIGHT / 2 }, false);
  }, [at, times]);
  return <div class="plot-canvas" ref={host} aria-hidden="true" />;
}

function toPlotData({
  times,
  series,
}: Pick<PlotCanvasProps, 'times' | 'series'>): uPlot.AlignedData {
  return [times.map((at) => at / SECOND_MS), ...series.map(({ values }) => [...values])];
}

function createOptions(
  newest: { readonly current: PlotCanvasProps },
  inks: PlotColors,
  width: number,
): uPlot.Options {
  const { steps } = newest.current;
  const axis = { stroke: inks.text, font: AXIS_FONT, grid: { stroke: inks.grid, width: 1 } };
  return {
    width,
    height: HEIGHT,
    padding: PADDING,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        ticks: { show: false },
        size: AXIS_HEIGHT,
        space: TIME_SPACE,
        values: (_plot, seconds) =>
          seconds.map((second) => newest.current.timeWords(second * SECOND_MS)),
      },
      {
        ...axis,
        ticks: { show: false },
        size: AXIS_WIDTH,
        space: VALUE_SPACE,
        ...(steps === undefined ? {} : { incrs: [...steps] }),
        values: (_plot, marks) => marks.map((mark) => newest.current.format(mark)),
      },
    ],
    series: [
      {},
      ...newest.current.series.map(({ label }, place) => ({
        label,
        stroke: inks.lines[place % inks.lines.length] ?? inks.text,
        width: 1.5,
        // Lines also differ by dash pattern, not only by colour.
        ...(place === 0 ? {} : { dash: [6 - place, 1 + place] }),
        points: { show: true, size: DOT_SIZE, filter: findIsolatedPoints },
      })),
    ],
    hooks: {
      setCursor: [({ cursor }) => newest.current.onPoint(cursor.idx ?? null)],
    },
  };
}

// A value between two gaps forms no line, so draw it as a point.
function findIsolatedPoints(plot: uPlot, place: number): number[] {
  const values = plot.data[place] ?? [];
  const isThere = (at: number): boolean => typeof values[at] === 'number';
  return [...values.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1));
}
