import { DataValue } from '../../data/value.ts';
import { isObject } from '../../json.ts';
import { shown } from '../../markup.ts';
import { cites, figure, timeText } from './figures.ts';

/** Deepest member that has a place of its own; what lies deeper stands as JSON. */
const DEPTH_MAX = 6;
/** Rows of one table; a note says how many more the JSON has. */
const ROWS_MAX = 500;

/** Writes what an answer holds: objects as terms, rows as tables. */
export function dataPart(part: unknown, name = 'Answer', depth = 0): string {
  if (Array.isArray(part)) return listPart(part, name, depth);
  if (!isObject(part)) return `<p>${scalar(part)}</p>`;
  const value = DataValue.safeParse(part);
  if (value.success) return `<p>${figure(value.data)}</p>`;
  if (depth >= DEPTH_MAX) return `<pre>${shown(JSON.stringify(part, null, 2))}</pre>`;
  const rows = Object.entries(part).map(([key, member]) => {
    const name = shown(words(key));
    if (isSmall(member)) return `<dt>${name}</dt><dd>${cell(member)}</dd>`;
    return `<dt class="big">${name}</dt><dd class="big">${dataPart(member, key, depth + 1)}</dd>`;
  });
  return `<dl>${rows.join('')}</dl>`;
}

function listPart(items: readonly unknown[], name: string, depth: number): string {
  if (items.length === 0) return '<p>none</p>';
  if (!items.every(isObject) || depth >= DEPTH_MAX) {
    if (isIds(items)) return `<p>${cites(items.map(String))}</p>`;
    return `<ul>${items.map((item) => `<li>${cell(item)}</li>`).join('')}</ul>`;
  }
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const more = items.length - ROWS_MAX;
  return (
    wideTable(
      words(name),
      names.map(words),
      items.slice(0, ROWS_MAX).map((item) => names.map((key) => cell(item[key]))),
    ) + (more > 0 ? `<p>${more} more rows stand in the JSON.</p>` : '')
  );
}

/** A table that scrolls by itself where it is wider than the page; its cells are markup already. */
export function wideTable(
  label: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const names = head.map((name) => `<th scope="col">${shown(name)}</th>`).join('');
  const lines = rows.map((cells) => `<tr>${cells.map((one) => `<td>${one}</td>`).join('')}</tr>`);
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="${shown(label)}">` +
    `<table><thead><tr>${names}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  );
}

function isSmall(part: unknown): boolean {
  return !isObject(part) && !Array.isArray(part) ? true : DataValue.safeParse(part).success;
}

function cell(part: unknown): string {
  const value = DataValue.safeParse(part);
  if (value.success) return figure(value.data);
  if (Array.isArray(part)) {
    if (isIds(part)) return cites(part.map(String));
    const isPlain = part.every((item) => typeof item !== 'object');
    return isPlain ? part.map(scalar).join(', ') : json(part);
  }
  return isObject(part) ? json(part) : scalar(part);
}

const SOURCE_ID = /^s\d{1,6}$/;

function isIds(items: readonly unknown[]): boolean {
  return (
    items.length > 0 && items.every((item) => typeof item === 'string' && SOURCE_ID.test(item))
  );
}

function scalar(part: unknown): string {
  if (part === null || part === undefined) return '<em>unknown</em>';
  return typeof part === 'string' ? timeText(part) : shown(JSON.stringify(part));
}

function json(part: unknown): string {
  return `<code>${shown(JSON.stringify(part))}</code>`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
