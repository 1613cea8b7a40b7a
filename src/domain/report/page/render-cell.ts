import { isObject } from '../../common/json.ts';
import { escapeHtml } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';
import { renderCitations, renderTimedText, renderValue } from './render-value.ts';

/** Maximum depth of members within a cell; deeper members are shown as JSON. */
const DEPTH_MAX = 3;
/** Maximum length of a list of words that is shown on one line. */
const LINE_CHARS_MAX = 60;
const SOURCE_ID = /^s\d{1,6}$/;

/** Renders a table cell: values with their sources, and members with their names. */
export function renderCell(part: unknown, depth = 0): string {
  if (Array.isArray(part)) return renderListCell(part, depth);
  if (!isObject(part)) return renderScalar(part);
  const value = DataValue.safeParse(part);
  if (value.success) return renderValue(value.data);
  if (depth >= DEPTH_MAX) return `<code>${escapeHtml(JSON.stringify(part))}</code>`;
  const terms = Object.entries(part).map(([name, member]) => {
    const label = escapeHtml(toWords(name));
    return `<span class="term"><i>${label}</i> ${renderCell(member, depth + 1)}</span>`;
  });
  return terms.length === 0 ? 'none' : terms.join(' ');
}

function renderListCell(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return 'none';
  if (isSourceIds(items)) return renderCitations(items.map(String));
  const isPlain = items.every((item) => typeof item !== 'object');
  if (isPlain && countChars(items) <= LINE_CHARS_MAX) return items.map(renderScalar).join(', ');
  const rows = items.map((item) => `<li>${renderCell(item, depth + 1)}</li>`);
  return `<ul>${rows.join('')}</ul>`;
}

/** Checks whether a part fits on one line next to its name. */
export function fitsOneLine(part: unknown): boolean {
  if (!Array.isArray(part)) return !isObject(part) || DataValue.safeParse(part).success;
  const isPlain = part.every((item) => typeof item !== 'object');
  return isPlain && (isSourceIds(part) || countChars(part) <= LINE_CHARS_MAX);
}

/** Checks whether a list consists of source ids. */
export function isSourceIds(items: readonly unknown[]): boolean {
  return (
    items.length > 0 && items.every((item) => typeof item === 'string' && SOURCE_ID.test(item))
  );
}

/** Renders a word, a number or nothing. RFC 3339 times within a text become readable. */
export function renderScalar(part: unknown): string {
  if (part === null || part === undefined) return '<em>unknown</em>';
  return typeof part === 'string' ? renderTimedText(part) : escapeHtml(JSON.stringify(part));
}

/** Returns the name of a member as words. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}

function countChars(items: readonly unknown[]): number {
  return items.reduce<number>((sum, item) => sum + String(item).length + 2, 0);
}
