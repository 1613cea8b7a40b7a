import {
  boxElement,
  createScale,
  LINE_HEIGHT,
  lineElement,
  svgElement,
  type Tone,
  textElement,
  truncateLabel,
  WIDTH,
} from './svg.ts';

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
const ROW_HEIGHT = 38;
const BAR_THICKNESS = 12;

/** Draws bars from zero, each below its name and value; negative bars extend to the left. */
export function drawBars(label: string, all: readonly Bar[]): string {
  const bars = all.slice(0, ROWS_MAX);
  const values = bars.map(({ value }) => value);
  const range = [Math.min(0, ...values), Math.max(0, ...values)] as const;
  const at = createScale(range, [1, WIDTH - 1]);
  const zero = range[0] === range[1] ? 1 : at(0);
  const height = bars.length * ROW_HEIGHT;
  const shapes = bars.map(({ label: name, value, text, tone = 'main' }, row) => {
    const top = row * ROW_HEIGHT;
    const end = range[0] === range[1] ? zero : at(value);
    return [
      textElement({ x: 0, y: top + LINE_HEIGHT - 3 }, truncateLabel(name)),
      textElement({ x: WIDTH, y: top + LINE_HEIGHT - 3, anchor: 'end' }, text),
      boxElement({ x: 0, y: top + LINE_HEIGHT + 3, width: WIDTH, height: BAR_THICKNESS }, 'rail'),
      boxElement(
        {
          x: Math.min(zero, end),
          y: top + LINE_HEIGHT + 3,
          width: Math.abs(end - zero),
          height: BAR_THICKNESS,
        },
        tone,
      ),
    ].join('');
  });
  // The axis is drawn per row, because a continuous line would cross the labels.
  const axis = bars.map((_, row) => {
    const top = row * ROW_HEIGHT + LINE_HEIGHT + 1;
    return lineElement([zero, top], [zero, top + BAR_THICKNESS + 4], 'axis');
  });
  return svgElement(label, height, [...shapes, ...(range[0] < 0 ? axis : [])]);
}
