import { isObject } from '../../common/json.ts';
import { shown } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';

/** Renders a value, always with its unit, time and sources. */
export function figure({ value, unit, as_of, stale, sources }: DataValue): string {
  const old = stale ? ' <strong>stale</strong>' : '';
  const named = `${shown(value)} ${shown(unit.replaceAll('_', ' '))}`;
  return `${named} <small>${timeText(as_of)}${old}</small> ${cites(sources)}`;
}

/** Renders an RFC 3339 time to the second; the markup contains the full time. */
export function timeText(time: string): string {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(time) ?? [];
  if (day === undefined || clock === undefined) return shown(time);
  return `<time datetime="${shown(time)}">${day} ${clock} UTC</time>`;
}

const TIMES = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Renders a text with readable times. */
export function timedText(text: string): string {
  return text
    .split(TIMES)
    .map((piece, place) => (place % 2 === 1 ? timeText(piece) : shown(piece)))
    .join('');
}

/** Renders links to the source list of the page. */
export function cites(sources: readonly string[]): string {
  return sources.map((id) => `<a href="#${shown(id)}">[${shown(id)}]</a>`).join('');
}

/** Returns all values of an answer at any depth. Similar but invalid objects are ignored. */
export function figuresIn(part: unknown): readonly DataValue[] {
  if (Array.isArray(part)) return part.flatMap(figuresIn);
  if (!isObject(part)) return [];
  const value = DataValue.safeParse(part);
  return value.success ? [value.data] : Object.values(part).flatMap(figuresIn);
}

/** Returns the sources of values, and their oldest and newest time. */
export function groundOf(figures: readonly DataValue[]) {
  const times = figures.map(({ as_of }) => as_of).sort();
  const [oldest, newest] = [times[0], times.at(-1)];
  return {
    sources: [...new Set(figures.flatMap(({ sources }) => sources))],
    asOf: oldest === undefined || newest === undefined ? null : ([oldest, newest] as const),
  };
}
