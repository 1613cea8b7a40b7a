import type { LogLine } from '../../../src/domain/hosting/records.ts';
import { LOG_LEVELS, type LogLevel } from '../../../src/domain/hosting/value-sets.ts';

/** Most lines kept in the page; the oldest are dropped. */
export const LINES_MAX = 2_000;

/** Merges new lines into the list, in order and without duplicates. */
export function mergeLines(
  lines: readonly LogLine[],
  come: readonly LogLine[],
): readonly LogLine[] {
  if (come.length === 0) return lines;
  const known = new Map(lines.map((line) => [line.id, line]));
  for (const line of come) known.set(line.id, line);
  // Timestamps have nanoseconds and are unique per resource, so they compare as text.
  const sorted = [...known.values()].sort((one, other) => compareLines(one, other));
  return sorted.slice(-LINES_MAX);
}

function compareLines(one: LogLine, other: LogLine): number {
  if (one.timestamp === other.timestamp) return one.id < other.id ? -1 : 1;
  return one.timestamp < other.timestamp ? -1 : 1;
}

/** Returns a level and all higher ones for a query; an empty string means all. */
export function levelsFrom(level: string): string {
  const at = LOG_LEVELS.indexOf(level as LogLevel);
  return at <= 0 ? '' : LOG_LEVELS.slice(at).join(',');
}
