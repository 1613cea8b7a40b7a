import { isObject } from '../../common/json.ts';
import { shown } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';
import { cell, isIds, isLine, scalar, wordsOf } from './cells.ts';
import { cites, figure } from './figures.ts';

/** Maximum depth of separate members; deeper members are shown as JSON. */
const DEPTH_MAX = 6;
/** Maximum number of table rows; a note gives the number of further rows in the JSON. */
const ROWS_MAX = 500;
/** Minimum length of a value that is shown once below the table if it is the same in all rows. */
const SAME_CHARS_MIN = 30;
/** A cell with more characters gets a wider column. */
const LONG_CHARS = 60;

/** Renders the data of an answer: objects as terms, lists of objects as tables. */
export function dataPart(part: unknown, name = 'Answer', depth = 0): string {
  if (Array.isArray(part)) return listPart(part, name, depth);
  if (!isObject(part)) return `<p>${scalar(part)}</p>`;
  const value = DataValue.safeParse(part);
  if (value.success) return `<p>${figure(value.data)}</p>`;
  if (depth >= DEPTH_MAX) return `<pre>${shown(JSON.stringify(part, null, 2))}</pre>`;
  const rows = Object.entries(part).map(([key, member]) => {
    const name = shown(wordsOf(key));
    if (isLine(member)) return `<dt>${name}</dt><dd>${cell(member)}</dd>`;
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
  const told = names.filter((key) => sameOf(items, key) === undefined);
  const more = items.length - ROWS_MAX;
  return [
    wideTable(
      wordsOf(name),
      told.map(wordsOf),
      items.slice(0, ROWS_MAX).map((item) => told.map((key) => cell(item[key]))),
    ),
    more > 0 ? `<p>${more} more rows are in the JSON.</p>` : '',
    ...names.flatMap((key) => {
      const same = sameOf(items, key);
      return same === undefined ? [] : [sameNote(key, same)];
    }),
  ].join('');
}

/** Returns the value of a column if it is long and the same in all rows. */
function sameOf(items: readonly Record<string, unknown>[], key: string): object | undefined {
  const [first, ...others] = items.map((item) => item[key]);
  if (others.length === 0 || typeof first !== 'object' || first === null) return undefined;
  const text = JSON.stringify(first);
  const isSame = others.every((other) => JSON.stringify(other) === text);
  return isSame && text.length >= SAME_CHARS_MIN && !DataValue.safeParse(first).success
    ? first
    : undefined;
}

function sameNote(key: string, same: object): string {
  return `<p class="soft">In all rows: ${shown(wordsOf(key))}</p>${cell(same)}`;
}

/** Renders a table that scrolls if it is wider than the page. Cells are markup. */
export function wideTable(
  label: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const names = head.map((name) => `<th scope="col">${shown(name)}</th>`).join('');
  const lines = rows.map((cells) => `<tr>${cells.map(tableCell).join('')}</tr>`);
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="${shown(label)}">` +
    `<table><thead><tr>${names}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  );
}

function tableCell(markup: string): string {
  const chars = markup.replace(/<[^<>]*>/g, '').length;
  return `<td${chars > LONG_CHARS ? ' class="text"' : ''}>${markup}</td>`;
}
