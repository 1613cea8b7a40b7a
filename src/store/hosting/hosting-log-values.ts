import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../domain/common/error.ts';
import {
  type CompiledLogFilter,
  LABEL_SET_NAMES,
  type LabelSet,
} from '../../domain/hosting/telemetry/log-filter.ts';
import { DAY_NANOS } from '../../domain/hosting/telemetry/log-time.ts';
import type { LogLabel } from '../../domain/hosting/value-sets.ts';
import type { Lane, Segment } from './hosting-log-day.ts';
import { type LogSearch, matchesLine, mayMatch, type SearchContext } from './hosting-log-query.ts';

/** Work limit of one listing: lines read or chunk heads checked. */
const VALUES_WORK = 1_000_000;
/** Work done before yielding to the event loop. */
const YIELD_WORK = 4_096;

/**
 * Returns the values of a label in the matching lines, sorted. For a chunk within the time range
 * its head suffices, unless paths or texts are filtered.
 *
 * @throws {AppError} `INPUT_INVALID` if more lines would have to be read than allowed.
 */
export async function labelValues(
  context: SearchContext,
  search: Omit<LogSearch, 'direction' | 'limit'>,
  label: LogLabel,
): Promise<readonly string[]> {
  const values = new Set<string>();
  let work = 0;
  let nextTurn = YIELD_WORK;
  for (const part of scanParts(context, search)) {
    work += addValues(part, { search, label }, values);
    if (work > VALUES_WORK) throw tooMuchWorkError();
    if (work < nextTurn) continue;
    nextTurn = work + YIELD_WORK;
    await turn();
  }
  return [...values].sort();
}

interface Part {
  readonly segment: Segment;
  readonly day: number;
  readonly lane: Lane;
}

/** Yields the segments in the time range; looks up the day anew for each. */
function* scanParts(world: SearchContext, search: ValuesQuery['search']): Generator<Part> {
  for (const day of world.between(search.start.day, search.end.day)) {
    for (const lane of search.lanes) {
      let position = dayStart(search, day);
      for (let segment = nextSegment(); segment !== undefined; segment = nextSegment()) {
        if (segment.first >= dayEnd(search, day)) break;
        yield { segment, day, lane };
        position = segment.last + 1;
      }
      function nextSegment(): Segment | undefined {
        return world.day(day)?.from(lane, position);
      }
    }
  }
}

interface ValuesQuery {
  readonly search: Omit<LogSearch, 'direction' | 'limit'>;
  readonly label: LogLabel;
}

/** Adds the values of a segment and returns the work done. */
function addValues({ segment, day, lane }: Part, query: ValuesQuery, values: Set<string>): number {
  const { search, label } = query;
  const { sieve } = search;
  if (!mayMatch(segment, sieve)) return 1;
  const from = dayStart(search, day);
  const until = dayEnd(search, day);
  const isWithin = segment.first >= from && segment.last < until;
  if (segment.head !== undefined && isWithin && isLabelsOnly(sieve)) {
    for (const set of segment.head.sets) {
      if (sieve.labels?.(set) ?? true) addValue(values, set, lane, label);
    }
    return 1;
  }
  const lines = segment.lines();
  for (const line of lines) {
    const isInTime = line.nano >= from && line.nano < until;
    if (isInTime && matchesLine(line, sieve)) addValue(values, line.set, lane, label);
  }
  return lines.length;
}

function isLabelsOnly({ path, text }: CompiledLogFilter): boolean {
  return path === undefined && text === undefined;
}

function addValue(values: Set<string>, set: LabelSet, lane: Lane, label: LogLabel): void {
  const found = LABEL_SET_NAMES.find((one) => one === label);
  const value = found === undefined ? lane.type : set[found];
  if (value !== '') values.add(value);
}

function dayStart({ start }: Pick<LogSearch, 'start'>, day: number): number {
  return day === start.day ? start.nano : 0;
}

function dayEnd({ end }: Pick<LogSearch, 'end'>, day: number): number {
  return day === end.day ? end.nano : DAY_NANOS;
}

function tooMuchWorkError(): AppError {
  return new AppError('INPUT_INVALID', {
    message:
      `More than ${VALUES_WORK} lines would have to be read. ` +
      'Use a shorter time range, or no path or text filter.',
  });
}
