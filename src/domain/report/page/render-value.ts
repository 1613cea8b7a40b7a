import { isObject } from '../../common/json.ts';
import { escapeHtml } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';

/** Renders a value, always with its unit, time and sources. */
export function renderValue({ value, unit, as_of, stale, sources }: DataValue): string {
  const old = stale ? ' <strong>stale</strong>' : '';
  const named = `${escapeHtml(value)} ${escapeHtml(unit.replaceAll('_', ' '))}`;
  return `${named} <small>${renderTime(as_of)}${old}</small> ${renderCitations(sources)}`;
}

/** Renders an RFC 3339 time to the second; the markup contains the full time. */
export function renderTime(time: string): string {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(time) ?? [];
  if (day === undefined || clock === undefined) return escapeHtml(time);
  return `<time datetime="${escapeHtml(time)}">${day} ${clock} UTC</time>`;
}

const TIMES = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Renders a text with readable times. */
export function renderTimedText(text: string): string {
  return text
    .split(TIMES)
    .map((piece, index) => (index % 2 === 1 ? renderTime(piece) : escapeHtml(piece)))
    .join('');
}

/** Renders links to the source list of the page. */
export function renderCitations(sources: readonly string[]): string {
  return sources.map((id) => `<a href="#${escapeHtml(id)}">[${escapeHtml(id)}]</a>`).join('');
}

/** Returns all values of an answer at any depth. Similar but invalid objects are ignored. */
export function collectValues(part: unknown): readonly DataValue[] {
  if (Array.isArray(part)) return part.flatMap(collectValues);
  if (!isObject(part)) return [];
  const value = DataValue.safeParse(part);
  return value.success ? [value.data] : Object.values(part).flatMap(collectValues);
}

/** Returns the sources of values, and their oldest and newest time. */
export function summarizeSources(figures: readonly DataValue[]) {
  const times = figures.map(({ as_of }) => as_of).sort();
  const [oldest, newest] = [times[0], times.at(-1)];
  return {
    sources: [...new Set(figures.flatMap(({ sources }) => sources))],
    asOf: oldest === undefined || newest === undefined ? null : ([oldest, newest] as const),
  };
}
