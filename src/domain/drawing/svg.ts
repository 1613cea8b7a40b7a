import { escapeHtml } from '../common/markup.ts';

/** Width of every drawing in its own units; texts stay readable on phones. */
export const WIDTH = 480;
/** Height of a line of text. */
export const LINE_HEIGHT = 18;
/** Maximum length of a row label, in characters. */
const LABEL_CHARS_MAX = 40;

/** Meaning of a mark. A text or shape conveys the same as the colour. */
export type Tone = 'main' | 'good' | 'bad' | 'warn' | 'flat';

/** A drawing with its texts. */
export interface Drawing {
  readonly title: string;
  /** Legend: unit, rule and meaning of the marks. */
  readonly note: string;
  /** Inert markup: only shapes and texts with classes of {@link DRAWING_STYLE}. */
  readonly svg: string;
  /** Ids of the sources of its values. */
  readonly sources: readonly string[];
  /** Oldest and newest time of its values in RFC 3339; `null` if they have none. */
  readonly asOf: readonly [oldest: string, newest: string] | null;
}

/** Wraps shapes in an SVG element of a height; `label` describes it for screen readers. */
export function svgElement(label: string, height: number, shapes: readonly string[]): string {
  return (
    `<svg class="drawing" role="img" aria-label="${escapeHtml(label)}" ` +
    `viewBox="0 0 ${WIDTH} ${formatCoordinate(height)}" xmlns="http://www.w3.org/2000/svg">` +
    `${shapes.join('')}</svg>`
  );
}

/** Returns a text element; `anchor` sets which end is at `x`. */
export function textElement(
  { x, y, anchor = 'start', tone = '' }: TextPosition,
  text: string,
): string {
  const end = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  const kind = tone === '' ? '' : ` class="${tone}"`;
  return (
    `<text x="${formatCoordinate(x)}" y="${formatCoordinate(y)}"${end}${kind}>` +
    `${escapeHtml(text)}</text>`
  );
}

/** Position of a text. */
export interface TextPosition {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly tone?: 'muted' | 'small' | '';
}

/** Returns a filled box. */
export function boxElement({ x, y, width, height }: Box, tone: string): string {
  return (
    `<rect class="${tone}" x="${formatCoordinate(x)}" y="${formatCoordinate(y)}" ` +
    `width="${formatCoordinate(Math.max(1, width))}" height="${formatCoordinate(height)}" rx="2"/>`
  );
}

/** Position and size of a box. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a straight line. */
export function lineElement(
  from: readonly [number, number],
  to: readonly [number, number],
  kind: string,
) {
  return (
    `<line class="${kind}" x1="${formatCoordinate(from[0])}" y1="${formatCoordinate(from[1])}" ` +
    `x2="${formatCoordinate(to[0])}" y2="${formatCoordinate(to[1])}"/>`
  );
}

/** Truncates a label to fit a row. */
export function truncateLabel(text: string, chars = LABEL_CHARS_MAX): string {
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
}

/** Formats a coordinate. */
export function formatCoordinate(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** Returns a linear map between two ranges; an empty source range maps to the middle. */
export function createScale(
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
): (value: number) => number {
  if (high === low) return () => (from + to) / 2;
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}
