import { shown } from '../common/markup.ts';

/** Width of every drawing in its own units: texts can be read on a phone, too. */
export const WIDTH = 480;
/** Height of a line of text. */
export const LINE = 18;
/** Longest label of a row, in characters. */
const LABEL_CHARS_MAX = 40;

/** How something is to be taken; a text or a shape says the same beside the colour. */
export type Tone = 'main' | 'good' | 'bad' | 'warn' | 'flat';

/** A drawing with its words. */
export interface Drawing {
  readonly title: string;
  /** What is drawn: unit, rule, and what the marks mean. */
  readonly note: string;
  /** Inert markup: shapes and texts with classes of {@link DRAWING_STYLE}, and nothing else. */
  readonly svg: string;
  /** Ids of the sources that its figures cite. */
  readonly sources: readonly string[];
  /** Oldest and newest time of its figures in RFC 3339; `null` where they have none. */
  readonly asOf: readonly [oldest: string, newest: string] | null;
}

/** Puts shapes into a drawing of a height; `label` tells those who do not see it what it shows. */
export function drawn(label: string, height: number, shapes: readonly string[]): string {
  return (
    `<svg class="drawing" role="img" aria-label="${shown(label)}" ` +
    `viewBox="0 0 ${WIDTH} ${place(height)}" xmlns="http://www.w3.org/2000/svg">` +
    `${shapes.join('')}</svg>`
  );
}

/** A text; `anchor` says which of its ends stands at `x`. */
export function words({ x, y, anchor = 'start', tone = '' }: Spot, text: string): string {
  const end = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  const kind = tone === '' ? '' : ` class="${tone}"`;
  return `<text x="${place(x)}" y="${place(y)}"${end}${kind}>${shown(text)}</text>`;
}

/** Where a text stands. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly tone?: 'muted' | 'small' | '';
}

/** A filled box. */
export function box({ x, y, width, height }: Box, tone: string): string {
  return (
    `<rect class="${tone}" x="${place(x)}" y="${place(y)}" ` +
    `width="${place(Math.max(1, width))}" height="${place(height)}" rx="2"/>`
  );
}

/** Measures of a box. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A straight line. */
export function line(from: readonly [number, number], to: readonly [number, number], kind: string) {
  return (
    `<line class="${kind}" x1="${place(from[0])}" y1="${place(from[1])}" ` +
    `x2="${place(to[0])}" y2="${place(to[1])}"/>`
  );
}

/** A label that fits a row. */
export function cut(text: string, chars = LABEL_CHARS_MAX): string {
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
}

/** A coordinate as text. */
export function place(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** Maps figures from one range to another; a range without length lies in the middle. */
export function scaleOf(
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
): (value: number) => number {
  if (high === low) return () => (from + to) / 2;
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}
