import { box, cut, drawn, LINE, type Tone, WIDTH, words } from './svg.ts';

/** A checked item with its status and counts. */
export interface BoardRow {
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

const ROW = 46;
const MARK = 12;
/** Maximum number of squares per count; the text states the number. */
const SQUARES_MAX = 8;
const SQUARE = 11;

/** Draws rows with their status and a square for each counted item. */
export function boardOf(label: string, rows: readonly BoardRow[]): string {
  const shapes = rows.map((row, index) => {
    const top = index * ROW;
    return [
      box({ x: 0, y: top + 4, width: 5, height: ROW - 10 }, row.tone),
      words({ x: MARK, y: top + LINE - 2 }, cut(row.label, 34)),
      words({ x: WIDTH, y: top + LINE - 2, anchor: 'end' }, row.status),
      ...countsOf(row, top + LINE + 6),
    ].join('');
  });
  return drawn(label, rows.length * ROW, shapes);
}

function countsOf({ counts, none }: BoardRow, top: number): readonly string[] {
  const seen = counts.filter(({ count }) => count > 0);
  if (seen.length === 0) return [words({ x: MARK, y: top + SQUARE, tone: 'muted' }, cut(none, 60))];
  let x = MARK;
  return seen.map(({ word, count, tone }) => {
    const squares = Array.from({ length: Math.min(count, SQUARES_MAX) }, (_, at) =>
      box({ x: x + at * (SQUARE + 2), y: top, width: SQUARE, height: SQUARE }, tone),
    );
    x += squares.length * (SQUARE + 2) + 4;
    const text = `${count} ${word}`;
    squares.push(words({ x, y: top + SQUARE, tone: 'muted' }, text));
    x += text.length * 7.6 + 14;
    return squares.join('');
  });
}
