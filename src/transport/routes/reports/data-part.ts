import { DataValue } from '../../../domain/data/value.ts';
import { isObject } from '../../../domain/json.ts';
import { shown } from '../html.ts';
import { chartsOf, drawBars } from './report-chart.ts';

/** Deepest member that has a place of its own; what lies deeper stands as JSON. */
const DEPTH_MAX = 6;
/** Rows of one table; a note says how many more the JSON has. */
const ROWS_MAX = 500;

/** Writes what an answer holds: objects as terms, rows as tables, with charts of their figures. */
export function dataPart(part: unknown, depth = 0): string {
  if (Array.isArray(part)) return listPart(part, depth);
  if (!isObject(part)) return `<p>${scalar(part)}</p>`;
  const value = DataValue.safeParse(part);
  if (value.success) return `<p>${figure(value.data)}</p>`;
  if (depth >= DEPTH_MAX) return `<pre>${shown(JSON.stringify(part, null, 2))}</pre>`;
  const rows = Object.entries(part).map(([name, member]) => {
    if (isSmall(member)) return `<dt>${shown(words(name))}</dt><dd>${cell(member)}</dd>`;
    return `<dt>${shown(words(name))}</dt><dd>${dataPart(member, depth + 1)}</dd>`;
  });
  return `<dl>${rows.join('')}</dl>`;
}

function listPart(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return '<p>none</p>';
  if (!items.every(isObject) || depth >= DEPTH_MAX) {
    return `<ul>${items.map((item) => `<li>${cell(item)}</li>`).join('')}</ul>`;
  }
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const head = names.map((name) => `<th scope="col">${shown(words(name))}</th>`).join('');
  const rows = items
    .slice(0, ROWS_MAX)
    .map((item) => `<tr>${names.map((name) => `<td>${cell(item[name])}</td>`).join('')}</tr>`);
  const more = items.length - rows.length;
  return (
    chartsOf(items).map(drawBars).join('') +
    `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>` +
    (more > 0 ? `<p>${more} more rows stand in the JSON.</p>` : '')
  );
}

function isSmall(part: unknown): boolean {
  return !isObject(part) && !Array.isArray(part) ? true : DataValue.safeParse(part).success;
}

function cell(part: unknown): string {
  const value = DataValue.safeParse(part);
  if (value.success) return figure(value.data);
  if (Array.isArray(part)) {
    const isPlain = part.every((item) => typeof item !== 'object');
    return isPlain ? part.map(scalar).join(', ') : json(part);
  }
  return isObject(part) ? json(part) : scalar(part);
}

/** A figure is never shown without its unit, its time and its sources. */
function figure({ value, unit, as_of, stale, sources }: DataValue): string {
  const cites = sources.map((id) => `<a href="#${shown(id)}">[${shown(id)}]</a>`).join('');
  const old = stale ? ' <strong>stale</strong>' : '';
  return `${shown(value)} ${shown(unit)} <small>${shown(as_of)}${old}</small> ${cites}`;
}

function scalar(part: unknown): string {
  if (part === null || part === undefined) return '<em>unknown</em>';
  return shown(typeof part === 'string' ? part : JSON.stringify(part));
}

function json(part: unknown): string {
  return `<code>${shown(JSON.stringify(part))}</code>`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
