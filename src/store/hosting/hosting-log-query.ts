import { setImmediate as turn } from 'node:timers/promises';
import type { CompiledLogFilter } from '../../domain/hosting/telemetry/log-filter.ts';
import { DAY_NANOS, type LogTime } from '../../domain/hosting/telemetry/log-time.ts';
import { mayContainPath, type StoredLine } from './hosting-log-chunk.ts';
import type { Lane, LogDay, Segment } from './hosting-log-day.ts';

/** Limits of one query: lines read, and time in milliseconds. */
export const QUERY_LIMITS = { lines: 200_000, ms: 1_000 } as const;
/** Cost of skipping a chunk by its head, in lines. */
const HEAD_COST = 4;
/** Segments read before yielding to the event loop. */
const YIELD_SEGMENTS = 16;

/** A matching line with its position. */
export interface FoundLine {
  readonly day: number;
  readonly lane: Lane;
  readonly line: StoredLine;
}

/** Criteria of a search. */
export interface LogSearch {
  readonly lanes: readonly Lane[];
  readonly sieve: CompiledLogFilter;
  /** Inclusive. */
  readonly start: LogTime;
  /** Exclusive. */
  readonly end: LogTime;
  readonly direction: 'forward' | 'backward';
  readonly limit: number;
}

/** Access of a search to the days on disk and to the time. */
export interface SearchContext {
  /** Returns the days on disk in a range, oldest first. */
  between(first: number, last: number): readonly number[];
  /** Returns a day. Call it again after every `await`, because the day may have been removed. */
  day(day: number): LogDay | undefined;
  now(): number;
}

/** Matching lines, and where to continue if there are more. */
export interface SearchResult {
  readonly lines: readonly FoundLine[];
  /**
   * Position up to which everything was searched: after the last line, or where the limit was
   * reached.
   */
  readonly resumeAt?: LogTime;
}

/**
 * Searches lines, in order over all lanes, until enough were found or the work limit is reached.
 */
export async function searchLogs(context: SearchContext, search: LogSearch): Promise<SearchResult> {
  const { start, end, direction } = search;
  const days = [...context.between(start.day, end.day)];
  if (direction === 'backward') days.reverse();
  const run = new LaneMerge(context, search);
  for (const day of days) {
    const from = day === start.day ? start.nano : 0;
    const until = day === end.day ? end.nano : DAY_NANOS;
    const resumeAt = from < until ? await run.searchDay(day, from, until) : undefined;
    if (resumeAt !== undefined) return { lines: run.lines, resumeAt: { day, nano: resumeAt } };
  }
  return { lines: run.lines };
}

/** Search position within one lane of one day. */
interface LaneCursor {
  readonly lane: Lane;
  /** Everything between the start of the search and this position has been searched. */
  position: number;
  /** Matching lines not yet returned; the next one is the last. */
  matches: StoredLine[];
  isDone: boolean;
}

/** A merge over lanes, which always advances the lane that is furthest behind. */
class LaneMerge {
  readonly lines: FoundLine[] = [];
  readonly #context: SearchContext;
  readonly #search: LogSearch;
  readonly #isForward: boolean;
  readonly #until: number;
  #workLeft: number = QUERY_LIMITS.lines;
  #reads = 0;

  constructor(world: SearchContext, search: LogSearch) {
    this.#context = world;
    this.#search = search;
    this.#isForward = search.direction === 'forward';
    this.#until = world.now() + QUERY_LIMITS.ms;
  }

  /**
   * Searches one day.
   *
   * @returns Where to continue, or `undefined` if the whole day was searched.
   */
  async searchDay(day: number, from: number, until: number): Promise<number | undefined> {
    const place = this.#isForward ? from : until;
    const cursors = this.#search.lanes.map(
      (lane): LaneCursor => ({ lane, position: place, matches: [], isDone: false }),
    );
    const last = this.#isForward ? until : from;
    for (let cursor = this.#next(cursors); cursor !== undefined; cursor = this.#next(cursors)) {
      const stop = this.#resumePosition(cursor, cursors.length);
      if (stop !== undefined) return stop;
      if (!this.#takeLine(day, cursor)) await this.#read(day, cursor, last);
    }
    return undefined;
  }

  /**
   * Returns where to continue later, if there is one line too many or the work limit is reached.
   */
  #resumePosition({ matches, position }: LaneCursor, lanes: number): number | undefined {
    const line = matches.at(-1);
    if (line === undefined) {
      // Every lane has advanced once, so a search makes progress despite its limits.
      return this.#reads > lanes && this.#isTooMuch() ? position : undefined;
    }
    if (this.lines.length < this.#search.limit) return undefined;
    return this.#isForward ? line.nano : line.nano + 1;
  }

  #takeLine(day: number, { lane, matches }: LaneCursor): boolean {
    const line = matches.pop();
    if (line !== undefined) this.lines.push({ day, lane, line });
    return line !== undefined;
  }

  #isTooMuch(): boolean {
    return this.#workLeft <= 0 || this.#context.now() > this.#until;
  }

  /** Returns the lane that may contain the next line. */
  #next(cursors: readonly LaneCursor[]): LaneCursor | undefined {
    let best: LaneCursor | undefined;
    for (const cursor of cursors) {
      if (cursor.isDone) continue;
      const ahead = best === undefined ? 0 : this.#nextPosition(cursor) - this.#nextPosition(best);
      if (best === undefined || (this.#isForward ? ahead < 0 : ahead > 0)) best = cursor;
    }
    return best;
  }

  /** Returns the position of the lane's next line, or a bound for it. */
  #nextPosition({ matches, position }: LaneCursor): number {
    return matches.at(-1)?.nano ?? (this.#isForward ? position : position - 1);
  }

  /** Reads the next lines of a lane and advances its cursor. */
  async #read(day: number, cursor: LaneCursor, last: number): Promise<void> {
    this.#reads += 1;
    if (this.#reads % YIELD_SEGMENTS === 0) await turn();
    const { lane, position } = cursor;
    const found = this.#context.day(day);
    const segment = this.#isForward ? found?.from(lane, position) : found?.before(lane, position);
    if (segment === undefined || this.#isBeyond(segment, last)) {
      this.#finishLane(cursor, last);
      return;
    }
    const bounds = this.#isForward
      ? { from: position, until: last }
      : { from: last, until: position };
    cursor.matches = this.#filterLines(segment).filter(
      ({ nano }) => nano >= bounds.from && nano < bounds.until,
    );
    if (this.#isForward) cursor.matches.reverse();
    cursor.position = this.#isForward ? segment.last + 1 : segment.first;
    if (this.#isForward ? cursor.position >= last : cursor.position <= last) cursor.position = last;
    if (cursor.matches.length === 0 && cursor.position === last) cursor.isDone = true;
  }

  #isBeyond({ first, last }: Segment, end: number): boolean {
    return this.#isForward ? first >= end : last < end;
  }

  #finishLane(cursor: LaneCursor, last: number): void {
    cursor.position = last;
    cursor.isDone = true;
  }

  /** Returns the matching lines of a segment; skips a chunk if its head rules out a match. */
  #filterLines(segment: Segment): StoredLine[] {
    const { sieve } = this.#search;
    if (!mayMatch(segment, sieve)) {
      this.#workLeft -= HEAD_COST;
      return [];
    }
    const lines = segment.lines();
    this.#workLeft -= HEAD_COST + lines.length;
    return lines.filter((line) => matchesLine(line, sieve));
  }
}

/** Returns `false` if a chunk's head rules out a match. */
export function mayMatch({ head }: Segment, { labels, path, paths }: CompiledLogFilter): boolean {
  if (head === undefined) return true;
  if (labels !== undefined && !head.sets.some(labels)) return false;
  if (path !== undefined && head.bloom === '') return false;
  return paths === undefined || mayContainPath(head, paths);
}

/** Returns whether a line passes all filters. */
export function matchesLine({ set, path, message }: StoredLine, sieve: CompiledLogFilter): boolean {
  return (
    (sieve.labels?.(set) ?? true) && (sieve.path?.(path) ?? true) && (sieve.text?.(message) ?? true)
  );
}
