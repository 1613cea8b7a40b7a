import { setImmediate as turn } from 'node:timers/promises';
import type { LogSieve } from '../../domain/hosting/telemetry/log-filter.ts';
import { DAY_NANOS, type LogMoment } from '../../domain/hosting/telemetry/log-time.ts';
import { mayHoldPath, type StoredLine } from './hosting-log-chunk.ts';
import type { Lane, LogDay, Segment } from './hosting-log-day.ts';

/** Work of one query: lines that are read, and time in milliseconds. */
export const QUERY_WORK = { lines: 200_000, ms: 1_000 } as const;
/** What it costs to pass a chunk over by its head, in lines. */
const HEAD_COST = 4;
/** Segments that are read before others have their turn. */
const TURN_SEGMENTS = 16;

/** A found line with its place. */
export interface FoundLine {
  readonly day: number;
  readonly lane: Lane;
  readonly line: StoredLine;
}

/** Which lines are looked for. */
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

/** Where a search finds days, and how it knows that it takes long. */
export interface SearchWorld {
  /** Days on disk that are asked for, oldest first. */
  between(first: number, last: number): readonly number[];
  /** Asked anew after every wait: a day may have gone meanwhile. */
  day(day: number): LogDay | undefined;
  now(): number;
}

/** What was found, and from where to go on when there is more. */
export interface Found {
  readonly lines: readonly FoundLine[];
  /** Everything up to here was looked at; behind the last line, or where the work was too much. */
  readonly goOn?: LogMoment;
}

/** Looks for lines, in order over all lanes, until there are enough or it was much work. */
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

/** One lane of one day, as far as it was looked at. */
interface Cursor {
  readonly lane: Lane;
  /** What lies beyond it, seen from the begin of the search, was looked at. */
  place: number;
  /** Lines that fit and were not taken yet; the next one is the last. */
  fits: StoredLine[];
  isOver: boolean;
}

/** The merging of lanes: always the lane goes on that is the least far. */
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

  /** @returns Where to go on, or `undefined` when the day was looked at as a whole. */
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

  /** Where to go on later, when there are enough lines and one more, or it was too much work. */
  #stop({ fits, place }: Cursor, lanes: number): number | undefined {
    const line = fits.at(-1);
    if (line === undefined) {
      // Every lane has moved on once, so a search gets on however little it may do.
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

  /** The lane whose next line may be the next one of all. */
  #next(cursors: readonly Cursor[]): Cursor | undefined {
    let best: Cursor | undefined;
    for (const cursor of cursors) {
      if (cursor.isOver) continue;
      const ahead = best === undefined ? 0 : this.#reach(cursor) - this.#reach(best);
      if (best === undefined || (this.#isForward ? ahead < 0 : ahead > 0)) best = cursor;
    }
    return best;
  }

  /** Where the lane's next line is, or may be. */
  #reach({ fits, place }: Cursor): number {
    return fits.at(-1)?.nano ?? (this.#isForward ? place : place - 1);
  }

  /** Reads the next lines of a lane, and moves it on. */
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

  /** Lines of a segment that fit; a chunk whose head says that none does is not read. */
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

/** False when a chunk's head says that no line of it fits. */
export function mayHold({ head }: Segment, { labels, path, paths }: LogSieve): boolean {
  if (head === undefined) return true;
  if (labels !== undefined && !head.sets.some(labels)) return false;
  if (path !== undefined && head.bloom === '') return false;
  return paths === undefined || mayHoldPath(head, paths);
}

/** Whether a line passes all filters. */
export function fitsLine({ set, path, message }: StoredLine, sieve: LogSieve): boolean {
  return (
    (sieve.labels?.(set) ?? true) && (sieve.path?.(path) ?? true) && (sieve.text?.(message) ?? true)
  );
}
