import { box, cut, drawn, LINE, line, scaleOf, type Tone, WIDTH, words } from './svg.ts';

/** A named value drawn as a bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as shown to the reader. */
  readonly text: string;
  readonly tone?: Tone;
}

/** Maximum number of rows in a drawing; tables show the rest. */
export const ROWS_MAX = 30;
const ROW = 38;
const THICK = 12;

/** Draws bars from zero, each below its name and value; negative bars extend to the left. */
export function barsOf(label: string, all: readonly Bar[]): string {
  const bars = all.slice(0, ROWS_MAX);
  const values = bars.map(({ value }) => value);
  const range = [Math.min(0, ...values), Math.max(0, ...values)] as const;
  const at = scaleOf(range, [1, WIDTH - 1]);
  const zero = range[0] === range[1] ? 1 : at(0);
  const height = bars.length * ROW;
  const shapes = bars.map(({ label: name, value, text, tone = 'main' }, row) => {
    const top = row * ROW;
    const end = range[0] === range[1] ? zero : at(value);
    return [
      words({ x: 0, y: top + LINE - 3 }, cut(name)),
      words({ x: WIDTH, y: top + LINE - 3, anchor: 'end' }, text),
      box({ x: 0, y: top + LINE + 3, width: WIDTH, height: THICK }, 'rail'),
      box(
        { x: Math.min(zero, end), y: top + LINE + 3, width: Math.abs(end - zero), height: THICK },
        tone,
      ),
    ].join('');
  });
  // The axis is drawn per row, because a continuous line would cross the labels.
  const axis = bars.map((_, row) => {
    const top = row * ROW + LINE + 1;
    return line([zero, top], [zero, top + THICK + 4], 'axis');
  });
  return drawn(label, height, [...shapes, ...(range[0] < 0 ? axis : [])]);
}
