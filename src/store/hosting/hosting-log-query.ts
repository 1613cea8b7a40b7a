import { setImmediate as turn } from 'node:timers/promises';
import type { LogSieve } from '../../domain/hosting/telemetry/log-filter.ts';
import { DAY_NANOS, type LogMoment } from '../../domain/hosting/telemetry/log-time.ts';
import { mayHoldPath, type StoredLine } from './hosting-log-chunk.ts';
import type { Lane, LogDay, Segment } from './hosting-log-day.ts';

/** Limits of one query: lines read, and time in milliseconds. */
export const QUERY_WORK = { lines: 200_000, ms: 1_000 } as const;
/** Cost of skipping a chunk by its head, in lines. */
const HEAD_COST = 4;
/** Segments read before yielding to the event loop. */
const TURN_SEGMENTS = 16;

/** A matching line with its position. */
export interface FoundLine {
  readonly day: number;
  readonly lane: Lane;
  readonly line: StoredLine;
}

/** Criteria of a search. */
export interface LogSearch {
  readonly lanes: readonly Lane[];
  readonly sieve: LogSieve;
  /** Inclusive. */
  readonly start: LogMoment;
  /** Exclusive. */
  readonly end: LogMoment;
  readonly direction: 'forward' | 'backward';
  readonly limit: number;
}

/** Access of a search to the days on disk and to the time. */
export interface SearchWorld {
  /** Returns the days on disk in a range, oldest first. */
  between(first: number, last: number): readonly number[];
  /** Returns a day. Call it again after every `await`, because the day may have been removed. */
  day(day: number): LogDay | undefined;
  now(): number;
}

/** Matching lines, and where to continue if there are more. */
export interface Found {
  readonly lines: readonly FoundLine[];
  /**
   * Position up to which everything was searched: after the last line, or where the limit was
   * reached.
   */
  readonly goOn?: LogMoment;
}

/**
 * Searches lines, in order over all lanes, until enough were found or the work limit is reached.
 */
export async function searchLogs(world: SearchWorld, search: LogSearch): Promise<Found> {
  const { start, end, direction } = search;
  const days = [...world.between(start.day, end.day)];
  if (direction === 'backward') days.reverse();
  const run = new Run(world, search);
  for (const day of days) {
    const from = day === start.day ? start.nano : 0;
    const until = day === end.day ? end.nano : DAY_NANOS;
    const goOn = from < until ? await run.day(day, from, until) : undefined;
    if (goOn !== undefined) return { lines: run.lines, goOn: { day, nano: goOn } };
  }
  return { lines: run.lines };
}

/** Search position within one lane of one day. */
interface Cursor {
  readonly lane: Lane;
  /** Everything between the start of the search and this position has been searched. */
  place: number;
  /** Matching lines not yet returned; the next one is the last. */
  fits: StoredLine[];
  isOver: boolean;
}

/** A merge over lanes, which always advances the lane that is furthest behind. */
class Run {
  readonly lines: FoundLine[] = [];
  readonly #world: SearchWorld;
  readonly #search: LogSearch;
  readonly #isForward: boolean;
  readonly #until: number;
  #work: number = QUERY_WORK.lines;
  #reads = 0;

  constructor(world: SearchWorld, search: LogSearch) {
    this.#world = world;
    this.#search = search;
    this.#isForward = search.direction === 'forward';
    this.#until = world.now() + QUERY_WORK.ms;
  }

  /**
   * Searches one day.
   *
   * @returns Where to continue, or `undefined` if the whole day was searched.
   */
  async day(day: number, from: number, until: number): Promise<number | undefined> {
    const place = this.#isForward ? from : until;
    const cursors = this.#search.lanes.map(
      (lane): Cursor => ({ lane, place, fits: [], isOver: false }),
    );
    const last = this.#isForward ? until : from;
    for (let cursor = this.#next(cursors); cursor !== undefined; cursor = this.#next(cursors)) {
      const stop = this.#stop(cursor, cursors.length);
      if (stop !== undefined) return stop;
      if (!this.#take(day, cursor)) await this.#read(day, cursor, last);
    }
    return undefined;
  }

  /**
   * Returns where to continue later, if there is one line too many or the work limit is reached.
   */
  #stop({ fits, place }: Cursor, lanes: number): number | undefined {
    const line = fits.at(-1);
    if (line === undefined) {
      // Every lane has advanced once, so a search makes progress despite its limits.
      return this.#reads > lanes && this.#isTooMuch() ? place : undefined;
    }
    if (this.lines.length < this.#search.limit) return undefined;
    return this.#isForward ? line.nano : line.nano + 1;
  }

  #take(day: number, { lane, fits }: Cursor): boolean {
    const line = fits.pop();
    if (line !== undefined) this.lines.push({ day, lane, line });
    return line !== undefined;
  }

  #isTooMuch(): boolean {
    return this.#work <= 0 || this.#world.now() > this.#until;
  }

  /** Returns the lane that may contain the next line. */
  #next(cursors: readonly Cursor[]): Cursor | undefined {
    let best: Cursor | undefined;
    for (const cursor of cursors) {
      if (cursor.isOver) continue;
      const ahead = best === undefined ? 0 : this.#reach(cursor) - this.#reach(best);
      if (best === undefined || (this.#isForward ? ahead < 0 : ahead > 0)) best = cursor;
    }
    return best;
  }

  /** Returns the position of the lane's next line, or a bound for it. */
  #reach({ fits, place }: Cursor): number {
    return fits.at(-1)?.nano ?? (this.#isForward ? place : place - 1);
  }

  /** Reads the next lines of a lane and advances its cursor. */
  async #read(day: number, cursor: Cursor, last: number): Promise<void> {
    this.#reads += 1;
    if (this.#reads % TURN_SEGMENTS === 0) await turn();
    const { lane, place } = cursor;
    const found = this.#world.day(day);
    const segment = this.#isForward ? found?.from(lane, place) : found?.before(lane, place);
    if (segment === undefined || this.#isBeyond(segment, last)) {
      this.#end(cursor, last);
      return;
    }
    const bounds = this.#isForward ? { from: place, until: last } : { from: last, until: place };
    cursor.fits = this.#sift(segment).filter(
      ({ nano }) => nano >= bounds.from && nano < bounds.until,
    );
    if (this.#isForward) cursor.fits.reverse();
    cursor.place = this.#isForward ? segment.last + 1 : segment.first;
    if (this.#isForward ? cursor.place >= last : cursor.place <= last) cursor.place = last;
    if (cursor.fits.length === 0 && cursor.place === last) cursor.isOver = true;
  }

  #isBeyond({ first, last }: Segment, end: number): boolean {
    return this.#isForward ? first >= end : last < end;
  }

  #end(cursor: Cursor, last: number): void {
    cursor.place = last;
    cursor.isOver = true;
  }

  /** Returns the matching lines of a segment; skips a chunk if its head rules out a match. */
  #sift(segment: Segment): StoredLine[] {
    const { sieve } = this.#search;
    if (!mayHold(segment, sieve)) {
      this.#work -= HEAD_COST;
      return [];
    }
    const lines = segment.lines();
    this.#work -= HEAD_COST + lines.length;
    return lines.filter((line) => fitsLine(line, sieve));
  }
}

/** Returns `false` if a chunk's head rules out a match. */
export function mayHold({ head }: Segment, { labels, path, paths }: LogSieve): boolean {
  if (head === undefined) return true;
  if (labels !== undefined && !head.sets.some(labels)) return false;
  if (path !== undefined && head.bloom === '') return false;
  return paths === undefined || mayHoldPath(head, paths);
}

/** Returns whether a line passes all filters. */
export function fitsLine({ set, path, message }: StoredLine, sieve: LogSieve): boolean {
  return (
    (sieve.labels?.(set) ?? true) && (sieve.path?.(path) ?? true) && (sieve.text?.(message) ?? true)
  );
}
