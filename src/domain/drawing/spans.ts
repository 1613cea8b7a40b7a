import { ROWS_MAX } from './bars.ts';
import {
  boxElement,
  createScale,
  formatCoordinate,
  LINE_HEIGHT,
  lineElement,
  svgElement,
  textElement,
  truncateLabel,
  WIDTH,
} from './svg.ts';

/** A value within a range, such as a last trade between bid and ask. */
export interface Span {
  readonly label: string;
  readonly low: number;
  readonly high: number;
  readonly point: number;
  /** The values as shown to the reader. */
  readonly text: string;
}

/** Options for drawing spans. */
export interface SpanOptions {
  /** Ends of the axis; defaults to the smallest and largest value. */
  readonly range?: readonly [number, number];
  /** A labelled line across all rows. */
  readonly mark?: { readonly value: number; readonly text: string } | undefined;
}

const ROW_HEIGHT = 40;
const BAR_THICKNESS = 8;
const MARGIN = 8;
const FOOT_HEIGHT = 20;

/** Draws ranges, each with a point, below each other on one axis. */
export function drawSpans(label: string, all: readonly Span[], setting: SpanOptions = {}): string {
  const spans = all.slice(0, ROWS_MAX);
  const { mark } = setting;
  const values = spans.flatMap(({ low, high, point }) => [low, high, point]);
  const ends = [...values, ...(mark === undefined ? [] : [mark.value])];
  const range = setting.range ?? ([Math.min(...ends), Math.max(...ends)] as const);
  const at = createScale(range, [MARGIN, WIDTH - MARGIN]);
  const foot = spans.length * ROW_HEIGHT;
  const rows = spans.map(({ label: name, low, high, point, text }, row) => {
    const top = row * ROW_HEIGHT;
    const middle = top + LINE_HEIGHT + 4 + BAR_THICKNESS / 2;
    return [
      textElement({ x: 0, y: top + LINE_HEIGHT - 3 }, truncateLabel(name, 24)),
      textElement({ x: WIDTH, y: top + LINE_HEIGHT - 3, anchor: 'end' }, text),
      boxElement({ x: 0, y: top + LINE_HEIGHT + 4, width: WIDTH, height: BAR_THICKNESS }, 'rail'),
      boxElement(
        { x: at(low), y: top + LINE_HEIGHT + 4, width: at(high) - at(low), height: BAR_THICKNESS },
        'main',
      ),
      `<circle class="dot" cx="${formatCoordinate(at(point))}" ` +
        `cy="${formatCoordinate(middle)}" r="5"/>`,
    ].join('');
  });
  return svgElement(label, foot + FOOT_HEIGHT, [
    ...rows,
    ...drawMark(mark, { at, rows: spans.length }),
  ]);
}

function drawMark(
  mark: SpanOptions['mark'],
  { at, rows }: { readonly at: (value: number) => number; readonly rows: number },
): readonly string[] {
  if (mark === undefined) return [];
  const x = at(mark.value);
  const anchor = x < WIDTH / 3 ? 'start' : x > (WIDTH * 2) / 3 ? 'end' : 'middle';
  return [
    // The line is drawn per row, because a continuous line would cross the labels.
    ...Array.from({ length: rows }, (_, row) => {
      const top = row * ROW_HEIGHT + LINE_HEIGHT + 1;
      return lineElement([x, top], [x, top + BAR_THICKNESS + 6], 'mark');
    }),
    textElement({ x, y: rows * ROW_HEIGHT + FOOT_HEIGHT - 4, anchor, tone: 'small' }, mark.text),
  ];
}
