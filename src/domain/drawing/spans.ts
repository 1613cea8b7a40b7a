import { ROWS_MAX } from './bars.ts';
import { box, cut, drawn, LINE, line, place, scaleOf, WIDTH, words } from './svg.ts';

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
export interface SpanSetting {
  /** Ends of the axis; defaults to the smallest and largest value. */
  readonly range?: readonly [number, number];
  /** A labelled line across all rows. */
  readonly mark?: { readonly value: number; readonly text: string } | undefined;
}

const ROW = 40;
const THICK = 8;
const MARGIN = 8;
const FOOT = 20;

/** Draws ranges, each with a point, below each other on one axis. */
export function spansOf(label: string, all: readonly Span[], setting: SpanSetting = {}): string {
  const spans = all.slice(0, ROWS_MAX);
  const { mark } = setting;
  const figures = spans.flatMap(({ low, high, point }) => [low, high, point]);
  const ends = [...figures, ...(mark === undefined ? [] : [mark.value])];
  const range = setting.range ?? ([Math.min(...ends), Math.max(...ends)] as const);
  const at = scaleOf(range, [MARGIN, WIDTH - MARGIN]);
  const foot = spans.length * ROW;
  const rows = spans.map(({ label: name, low, high, point, text }, row) => {
    const top = row * ROW;
    const middle = top + LINE + 4 + THICK / 2;
    return [
      words({ x: 0, y: top + LINE - 3 }, cut(name, 24)),
      words({ x: WIDTH, y: top + LINE - 3, anchor: 'end' }, text),
      box({ x: 0, y: top + LINE + 4, width: WIDTH, height: THICK }, 'rail'),
      box({ x: at(low), y: top + LINE + 4, width: at(high) - at(low), height: THICK }, 'main'),
      `<circle class="dot" cx="${place(at(point))}" cy="${place(middle)}" r="5"/>`,
    ].join('');
  });
  return drawn(label, foot + FOOT, [...rows, ...markOf(mark, { at, rows: spans.length })]);
}

function markOf(
  mark: SpanSetting['mark'],
  { at, rows }: { readonly at: (value: number) => number; readonly rows: number },
): readonly string[] {
  if (mark === undefined) return [];
  const x = at(mark.value);
  const anchor = x < WIDTH / 3 ? 'start' : x > (WIDTH * 2) / 3 ? 'end' : 'middle';
  return [
    // The line is drawn per row, because a continuous line would cross the labels.
    ...Array.from({ length: rows }, (_, row) => {
      const top = row * ROW + LINE + 1;
      return line([x, top], [x, top + THICK + 6], 'mark');
    }),
    words({ x, y: rows * ROW + FOOT - 4, anchor, tone: 'small' }, mark.text),
  ];
}
