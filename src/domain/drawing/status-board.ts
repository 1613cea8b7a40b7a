import {
  boxElement,
  LINE_HEIGHT,
  svgElement,
  type Tone,
  textElement,
  truncateLabel,
  WIDTH,
} from './svg.ts';

/** A checked item with its status and counts. */
export interface StatusRow {
  readonly label: string;
  readonly status: string;
  readonly tone: Tone;
  /** Counts by severity, most severe first; zero counts are omitted. */
  readonly counts: readonly {
    readonly word: string;
    readonly count: number;
    readonly tone: Tone;
  }[];
  /** Text if all counts are zero. */
  readonly none: string;
}

const ROW_HEIGHT = 46;
const MARK = 12;
/** Maximum number of squares per count; the text states the number. */
const SQUARES_MAX = 8;
const SQUARE = 11;

/** Draws rows with their status and a square for each counted item. */
export function drawBoard(label: string, rows: readonly StatusRow[]): string {
  const shapes = rows.map((row, index) => {
    const top = index * ROW_HEIGHT;
    return [
      boxElement({ x: 0, y: top + 4, width: 5, height: ROW_HEIGHT - 10 }, row.tone),
      textElement({ x: MARK, y: top + LINE_HEIGHT - 2 }, truncateLabel(row.label, 34)),
      textElement({ x: WIDTH, y: top + LINE_HEIGHT - 2, anchor: 'end' }, row.status),
      ...drawCounts(row, top + LINE_HEIGHT + 6),
    ].join('');
  });
  return svgElement(label, rows.length * ROW_HEIGHT, shapes);
}

function drawCounts({ counts, none }: StatusRow, top: number): readonly string[] {
  const nonZero = counts.filter(({ count }) => count > 0);
  if (nonZero.length === 0)
    return [textElement({ x: MARK, y: top + SQUARE, tone: 'muted' }, truncateLabel(none, 60))];
  let x = MARK;
  return nonZero.map(({ word, count, tone }) => {
    const squares = Array.from({ length: Math.min(count, SQUARES_MAX) }, (_, at) =>
      boxElement({ x: x + at * (SQUARE + 2), y: top, width: SQUARE, height: SQUARE }, tone),
    );
    x += squares.length * (SQUARE + 2) + 4;
    const text = `${count} ${word}`;
    squares.push(textElement({ x, y: top + SQUARE, tone: 'muted' }, text));
    x += text.length * 7.6 + 14;
    return squares.join('');
  });
}
