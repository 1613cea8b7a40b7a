import type { LogLine } from '../../../src/domain/hosting/records.ts';
import { LOG_LEVELS, type LogLevel } from '../../../src/domain/hosting/value-sets.ts';

/** Lines that a page keeps; the oldest go first. */
export const LINES_KEPT_MAX = 2_000;

/** Lines in their order, each once, with those that have come. */
export function withLines(lines: readonly LogLine[], come: readonly LogLine[]): readonly LogLine[] {
  if (come.length === 0) return lines;
  const known = new Map(lines.map((line) => [line.id, line]));
  for (const line of come) known.set(line.id, line);
  // Times have nine digits of a second, and no two lines of a resource share one.
  const sorted = [...known.values()].sort((one, other) => orderOf(one, other));
  return sorted.slice(-LINES_KEPT_MAX);
}

function orderOf(one: LogLine, other: LogLine): number {
  if (one.timestamp === other.timestamp) return one.id < other.id ? -1 : 1;
  return one.timestamp < other.timestamp ? -1 : 1;
}

/** The levels from one on, for a query; empty for all. */
export function levelsFrom(level: string): string {
  const at = LOG_LEVELS.indexOf(level as LogLevel);
  return at <= 0 ? '' : LOG_LEVELS.slice(at).join(',');
}
