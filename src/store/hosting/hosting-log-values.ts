import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../domain/common/error.ts';
import {
  type LabelSet,
  type LogSieve,
  SET_LABELS,
} from '../../domain/hosting/telemetry/log-filter.ts';
import { DAY_NANOS } from '../../domain/hosting/telemetry/log-time.ts';
import type { LogLabel } from '../../domain/hosting/value-sets.ts';
import type { Lane, Segment } from './hosting-log-day.ts';
import { fitsLine, type LogSearch, mayHold, type SearchWorld } from './hosting-log-query.ts';

/** Work limit of one listing: lines read or chunk heads checked. */
const VALUES_WORK = 1_000_000;
/** Work done before yielding to the event loop. */
const TURN_WORK = 4_096;

/**
 * Returns the values of a label in the matching lines, sorted. For a chunk within the time range
 * its head suffices, unless paths or texts are filtered.
 *
 * @throws {AppError} `INPUT_INVALID` if more lines would have to be read than allowed.
 */
export async function labelValues(
  world: SearchWorld,
  search: Omit<LogSearch, 'direction' | 'limit'>,
  label: LogLabel,
): Promise<readonly string[]> {
  const values = new Set<string>();
  let work = 0;
  let nextTurn = TURN_WORK;
  for (const part of partsOf(world, search)) {
    work += gather(part, { search, label }, values);
    if (work > VALUES_WORK) throw tooMuch();
    if (work < nextTurn) continue;
    nextTurn = work + TURN_WORK;
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
function* partsOf(world: SearchWorld, search: Sought['search']): Generator<Part> {
  for (const day of world.between(search.start.day, search.end.day)) {
    for (const lane of search.lanes) {
      let place = startOf(search, day);
      for (let segment = partFrom(); segment !== undefined; segment = partFrom()) {
        if (segment.first >= endOf(search, day)) break;
        yield { segment, day, lane };
        place = segment.last + 1;
      }
      function partFrom(): Segment | undefined {
        return world.day(day)?.from(lane, place);
      }
    }
  }
}

interface Sought {
  readonly search: Omit<LogSearch, 'direction' | 'limit'>;
  readonly label: LogLabel;
}

/** Adds the values of a segment and returns the work done. */
function gather({ segment, day, lane }: Part, sought: Sought, values: Set<string>): number {
  const { search, label } = sought;
  const { sieve } = search;
  if (!mayHold(segment, sieve)) return 1;
  const from = startOf(search, day);
  const until = endOf(search, day);
  const isWithin = segment.first >= from && segment.last < until;
  if (segment.head !== undefined && isWithin && isByLabels(sieve)) {
    for (const set of segment.head.sets) {
      if (sieve.labels?.(set) ?? true) addValue(values, set, lane, label);
    }
    return 1;
  }
  const lines = segment.lines();
  for (const line of lines) {
    const isInTime = line.nano >= from && line.nano < until;
    if (isInTime && fitsLine(line, sieve)) addValue(values, line.set, lane, label);
  }
  return lines.length;
}

function isByLabels({ path, text }: LogSieve): boolean {
  return path === undefined && text === undefined;
}

function addValue(values: Set<string>, set: LabelSet, lane: Lane, label: LogLabel): void {
  const found = SET_LABELS.find((one) => one === label);
  const value = found === undefined ? lane.type : set[found];
  if (value !== '') values.add(value);
}

function startOf({ start }: Pick<LogSearch, 'start'>, day: number): number {
  return day === start.day ? start.nano : 0;
}

function endOf({ end }: Pick<LogSearch, 'end'>, day: number): number {
  return day === end.day ? end.nano : DAY_NANOS;
}

function tooMuch(): AppError {
  return new AppError('INPUT_INVALID', {
    message:
      `More than ${VALUES_WORK} lines would have to be read. ` +
      'Use a shorter time range, or no path or text filter.',
  });
}
