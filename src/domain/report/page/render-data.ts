import { isObject } from '../../common/json.ts';
import { escapeHtml } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';
import { fitsOneLine, isSourceIds, renderCell, renderScalar, toWords } from './render-cell.ts';
import { renderCitations, renderValue } from './render-value.ts';

/** Maximum depth of separate members; deeper members are shown as JSON. */
const DEPTH_MAX = 6;
/** Maximum number of table rows; a note gives the number of further rows in the JSON. */
const ROWS_MAX = 500;
/** Minimum length of a value that is shown once below the table if it is the same in all rows. */
const SHARED_CHARS_MIN = 30;
/** A cell with more characters gets a wider column. */
const WIDE_CELL_CHARS = 60;

/** Renders the data of an answer: objects as terms, lists of objects as tables. */
export function renderData(part: unknown, name = 'Answer', depth = 0): string {
  if (Array.isArray(part)) return renderList(part, name, depth);
  if (!isObject(part)) return `<p>${renderScalar(part)}</p>`;
  const value = DataValue.safeParse(part);
  if (value.success) return `<p>${renderValue(value.data)}</p>`;
  if (depth >= DEPTH_MAX) return `<pre>${escapeHtml(JSON.stringify(part, null, 2))}</pre>`;
  const rows = Object.entries(part).map(([key, member]) => {
    const name = escapeHtml(toWords(key));
    if (fitsOneLine(member)) return `<dt>${name}</dt><dd>${renderCell(member)}</dd>`;
    return `<dt class="big">${name}</dt><dd class="big">${renderData(member, key, depth + 1)}</dd>`;
  });
  return `<dl>${rows.join('')}</dl>`;
}

function renderList(items: readonly unknown[], name: string, depth: number): string {
  if (items.length === 0) return '<p>none</p>';
  if (!items.every(isObject) || depth >= DEPTH_MAX) {
    if (isSourceIds(items)) return `<p>${renderCitations(items.map(String))}</p>`;
    return `<ul>${items.map((item) => `<li>${renderCell(item)}</li>`).join('')}</ul>`;
  }
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const columns = names.filter((key) => findSharedValue(items, key) === undefined);
  const more = items.length - ROWS_MAX;
  return [
    renderTable(
      toWords(name),
      columns.map(toWords),
      items.slice(0, ROWS_MAX).map((item) => columns.map((key) => renderCell(item[key]))),
    ),
    more > 0 ? `<p>${more} more rows are in the JSON.</p>` : '',
    ...names.flatMap((key) => {
      const same = findSharedValue(items, key);
      return same === undefined ? [] : [renderSharedValue(key, same)];
    }),
  ].join('');
}

/** Returns the value of a column if it is long and the same in all rows. */
function findSharedValue(
  items: readonly Record<string, unknown>[],
  key: string,
): object | undefined {
  const [first, ...others] = items.map((item) => item[key]);
  if (others.length === 0 || typeof first !== 'object' || first === null) return undefined;
  const text = JSON.stringify(first);
  const isSame = others.every((other) => JSON.stringify(other) === text);
  return isSame && text.length >= SHARED_CHARS_MIN && !DataValue.safeParse(first).success
    ? first
    : undefined;
}

function renderSharedValue(key: string, same: object): string {
  return `<p class="soft">In all rows: ${escapeHtml(toWords(key))}</p>${renderCell(same)}`;
}

/** Renders a table that scrolls if it is wider than the page. Cells are markup. */
export function renderTable(
  label: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const names = head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const lines = rows.map((cells) => `<tr>${cells.map(renderTableCell).join('')}</tr>`);
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="${escapeHtml(label)}">` +
    `<table><thead><tr>${names}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  );
}

function renderTableCell(markup: string): string {
  return `<td${isWide(markup) ? ' class="text"' : ''}>${markup}</td>`;
}

/** Counts the characters between tags, no further than needed. */
function isWide(markup: string): boolean {
  let chars = 0;
  for (let at = 0; at < markup.length && chars <= WIDE_CELL_CHARS; ) {
    const tag = markup.indexOf('<', at);
    if (tag < 0) return chars + markup.length - at > WIDE_CELL_CHARS;
    chars += tag - at;
    at = markup.indexOf('>', tag) + 1 || markup.length;
  }
  return chars > WIDE_CELL_CHARS;
}
