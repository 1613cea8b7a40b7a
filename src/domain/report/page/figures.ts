import { isObject } from '../../common/json.ts';
import { shown } from '../../common/markup.ts';
import { DataValue } from '../../data/value.ts';

/** A figure is never shown without its unit, its time and its sources. */
export function figure({ value, unit, as_of, stale, sources }: DataValue): string {
  const old = stale ? ' <strong>stale</strong>' : '';
  const named = `${shown(value)} ${shown(unit.replaceAll('_', ' '))}`;
  return `${named} <small>${timeText(as_of)}${old}</small> ${cites(sources)}`;
}

/** A time of RFC 3339 for people, to the second; whole in the markup. */
export function timeText(time: string): string {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(time) ?? [];
  if (day === undefined || clock === undefined) return shown(time);
  return `<time datetime="${shown(time)}">${day} ${clock} UTC</time>`;
}

const TIMES = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A text whose times are written for people. */
export function timedText(text: string): string {
  return text
    .split(TIMES)
    .map((piece, place) => (place % 2 === 1 ? timeText(piece) : shown(piece)))
    .join('');
}

/** Links to sources further down in the page. */
export function cites(sources: readonly string[]): string {
  return sources.map((id) => `<a href="#${shown(id)}">[${shown(id)}]</a>`).join('');
}

/** All figures of an answer, however deep; what only looks like one is none. */
export function figuresIn(part: unknown): readonly DataValue[] {
  if (Array.isArray(part)) return part.flatMap(figuresIn);
  if (!isObject(part)) return [];
  const value = DataValue.safeParse(part);
  return value.success ? [value.data] : Object.values(part).flatMap(figuresIn);
}

/** What figures stand on: their sources, and their oldest and newest time. */
export function groundOf(figures: readonly DataValue[]) {
  const times = figures.map(({ as_of }) => as_of).sort();
  const [oldest, newest] = [times[0], times.at(-1)];
  return {
    sources: [...new Set(figures.flatMap(({ sources }) => sources))],
    asOf: oldest === undefined || newest === undefined ? null : ([oldest, newest] as const),
  };
}
