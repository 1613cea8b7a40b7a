import { isObject } from '../../common/json.ts';
import { shown } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';
import { cites, figure, timedText } from './figures.ts';

/** Deepest member that is written out inside of one cell; what lies deeper stands as JSON. */
const DEPTH_MAX = 3;
/** A list of words that are as long together stands in one line. */
const LINE_CHARS_MAX = 60;
const SOURCE_ID = /^s\d{1,6}$/;

/** A cell of a table: figures with their sources, and parts as names with values. */
export function cell(part: unknown, depth = 0): string {
  if (Array.isArray(part)) return listCell(part, depth);
  if (!isObject(part)) return scalar(part);
  const value = DataValue.safeParse(part);
  if (value.success) return figure(value.data);
  if (depth >= DEPTH_MAX) return `<code>${shown(JSON.stringify(part))}</code>`;
  const terms = Object.entries(part).map(([name, member]) => {
    return `<span class="term"><i>${shown(wordsOf(name))}</i> ${cell(member, depth + 1)}</span>`;
  });
  return terms.length === 0 ? 'none' : terms.join(' ');
}

function listCell(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return 'none';
  if (isIds(items)) return cites(items.map(String));
  const isPlain = items.every((item) => typeof item !== 'object');
  if (isPlain && charsOf(items) <= LINE_CHARS_MAX) return items.map(scalar).join(', ');
  const rows = items.map((item) => `<li>${cell(item, depth + 1)}</li>`);
  return `<ul>${rows.join('')}</ul>`;
}

/** Whether a part stands in one line beside its name. */
export function isLine(part: unknown): boolean {
  if (!Array.isArray(part)) return !isObject(part) || DataValue.safeParse(part).success;
  const isPlain = part.every((item) => typeof item !== 'object');
  return isPlain && (isIds(part) || charsOf(part) <= LINE_CHARS_MAX);
}

/** Whether all of a list are ids of sources. */
export function isIds(items: readonly unknown[]): boolean {
  return (
    items.length > 0 && items.every((item) => typeof item === 'string' && SOURCE_ID.test(item))
  );
}

/** A word, a number or nothing; a time of RFC 3339 is written for people, also inside of a text. */
export function scalar(part: unknown): string {
  if (part === null || part === undefined) return '<em>unknown</em>';
  return typeof part === 'string' ? timedText(part) : shown(JSON.stringify(part));
}

/** The name of a member as words. */
export function wordsOf(name: string): string {
  return name.replaceAll('_', ' ');
}

function charsOf(items: readonly unknown[]): number {
  return items.reduce<number>((sum, item) => sum + String(item).length + 2, 0);
}
