import { AppError, invariant } from '../../domain/common/error.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/common/time.ts';
import type { LogLine } from '../../domain/hosting/records.ts';
import type { LogIngest, NewLogLine } from '../../domain/hosting/telemetry/log-ingest.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { convertStoreError } from '../common/store-error.ts';
import type { StoredLine } from './hosting-log-chunk.ts';
import { type Lane, laneKey } from './hosting-log-day.ts';
import type { LogDays } from './hosting-log-days.ts';
import { LineEncoder, toLogLine } from './hosting-log-lines.ts';
import { LogPositions } from './hosting-log-positions.ts';
import type { LogRateLimiter } from './hosting-log-rate.ts';

/** How long lines are collected before they are written, in milliseconds. */
const BATCH_MS = 50;
/** Maximum lines per write, and maximum lines waiting for the disk. */
const BATCH_LINES = 4_096;
const WAITING_LINES_MAX = 65_536;
/** Maximum characters waiting for the disk. */
const WAITING_CHARS_MAX = 64 * 1024 * 1024;
/**
 * Age at which a lane's newest lines become a chunk regardless of their number, in milliseconds.
 */
const SEAL_MS = MINUTE_MS;
/** Interval between trims, in milliseconds. */
const TRIM_MS = MINUTE_MS;
/** Maximum sources whose positions are kept; the least recently written one is dropped first. */
export const LOG_SOURCES_MAX = 10_000;

/** Dependencies of the log writer. */
export interface LogWriterParts {
  readonly days: LogDays;
  readonly rateLimiter: LogRateLimiter;
  readonly clock: RuntimeClock;
  /** Called with lines that are on disk. */
  readonly onLines: (lines: readonly LogLine[]) => void;
  /** Returns whether there are any followers. */
  readonly hasFollowers: () => boolean;
}

/** Lines of one write. */
interface Batch {
  readonly day: number;
  readonly lanes: Map<string, { readonly lane: Lane; readonly lines: StoredLine[] }>;
  readonly positions: Map<string, number>;
  readonly forgotten: Set<string>;
  /** Per lane: index of the line that reports rejected lines, and their number. */
  readonly rejected: Map<string, { readonly place: number; count: number }>;
  readonly written: Promise<void>;
  top: number;
  lines: number;
  chars: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes log lines to disk, many per commit, together with the positions of their sources. A line
 * is stored exactly if its source's position is after it. One write is in flight at a time. If it
 * fails, all waiting lines fail too, and the sources return to their positions on disk.
 */
export class LogWriter implements LogIngest {
  readonly #parts: LogWriterParts;
  readonly #positions: LogPositions;
  readonly #encoder = new LineEncoder();
  /** Positions on disk, least recently written source first; and positions handed out. */
  #stored: Map<string, number>;
  #accepted: Map<string, number>;
  #waiting: Batch[] = [];
  #writing: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** True until the current day contains the positions of all sources. */
  #needsPositions: boolean;
  #cancel: (() => void) | undefined;
  #cancelSeal: (() => void) | undefined;
  #trimmedAt: number;
  #isWriteDue = false;
  #isClosed = false;

  constructor(parts: LogWriterParts) {
    this.#parts = parts;
    const { days, clock } = parts;
    const now = clock.now();
    // The first write of a day copies the positions from the previous day.
    this.#needsPositions = days.current.mark === 0;
    const former = this.#needsPositions ? days.previousDay(now)?.positions() : undefined;
    this.#stored = new Map([...(former ?? []), ...days.current.positions()]);
    this.#accepted = new Map(this.#stored);
    this.#positions = new LogPositions(days.current.day, days.current.mark);
    this.#trimmedAt = now;
    this.#scheduleSeal();
  }

  storedUntil(source: string): number {
    return this.#accepted.get(source) ?? 0;
  }

  async append(source: string, lines: readonly NewLogLine[]): Promise<void> {
    this.#assertCapacity(lines.length);
    const now = this.#parts.clock.now();
    let accepted = this.storedUntil(source);
    let batch: Batch | undefined;
    for (const line of lines) {
      if (line.end <= accepted) continue;
      const next = this.#admitLine(line, now);
      if (next !== batch) recordPosition(batch, source, accepted);
      batch = next;
      accepted = line.end;
    }
    recordPosition(batch, source, accepted);
    if (batch !== undefined) this.#touchSource(source, accepted);
    this.#scheduleWrite();
    // Lines handed over earlier may still be in flight.
    await (batch?.written ?? this.#waiting.at(-1)?.written ?? this.#last);
  }

  async forget(source: string): Promise<void> {
    if (!this.#accepted.delete(source)) return;
    const batch = this.#currentBatch(this.#positions.day);
    batch.positions.delete(source);
    batch.forgotten.add(source);
    this.#scheduleWrite();
    await batch.written;
  }

  /** Writes the waiting lines and rejects further ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSeal?.();
    await this.#writing;
    this.#write();
    await this.#writing;
  }

  #assertCapacity(count: number): void {
    invariant(count <= BATCH_LINES, `at most ${BATCH_LINES} lines can be appended at once`);
    const { days } = this.#parts;
    if (this.#isClosed) throw new AppError('HOST_UNAVAILABLE', { message: 'The log is closed.' });
    if (!days.current.hasRoom()) {
      this.#trimmedAt = Number.NEGATIVE_INFINITY;
      this.#write();
      throw new AppError('STORE_FULL');
    }
    const lines = this.#waiting.reduce((sum, batch) => sum + batch.lines, 0);
    const chars = this.#waiting.reduce((sum, batch) => sum + batch.chars, 0);
    if (lines + count <= WAITING_LINES_MAX && chars <= WAITING_CHARS_MAX) return;
    throw new AppError('OVERLOADED', { message: 'Too many log lines are waiting for the disk.' });
  }

  #admitLine(line: NewLogLine, now: number): Batch {
    const { resource, type, at = now, message } = line;
    const lane = { resource, type };
    const name = laneKey(lane);
    if (!this.#parts.rateLimiter.tryConsume(resource, message.length, now))
      return this.#rejectLine(name, lane, now);
    const stamp = this.#positions.next(lane, at > now || at <= now - DAY_MS ? now : at);
    const batch = this.#currentBatch(stamp.day);
    addLine(batch, name, lane, this.#encoder.encode(line, stamp.nano));
    return batch;
  }

  /** Counts a rejected line; the first one of a batch reserves a line for the report. */
  #rejectLine(name: string, lane: Lane, now: number): Batch {
    const last = this.#waiting.at(-1);
    const known = last?.rejected.get(name);
    if (last !== undefined && known !== undefined && last.lines < BATCH_LINES) {
      known.count += 1;
      return last;
    }
    const { day, nano } = this.#positions.next(lane, now);
    const batch = this.#currentBatch(day);
    const place = batch.lanes.get(name)?.lines.length ?? 0;
    addLine(
      batch,
      name,
      lane,
      this.#encoder.encode({ ...lane, end: 0, message: '', level: 'warning' }, nano),
    );
    batch.rejected.set(name, { place, count: 1 });
    return batch;
  }

  /** Returns the batch currently collected for a day. */
  #currentBatch(day: number): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.day === day && last.lines < BATCH_LINES) return last;
    const batch = createBatch(day);
    this.#waiting.push(batch);
    return batch;
  }

  #scheduleWrite(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    if (first.lines >= BATCH_LINES) this.#write();
    const { clock } = this.#parts;
    this.#cancel ??= clock.at(clock.now() + BATCH_MS, () => this.#write());
  }

  #write(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isWriteDue = this.#writing !== undefined;
    if (this.#isWriteDue) return;
    const batches = this.#waiting.splice(0);
    this.#last = batches.at(-1)?.written ?? this.#last;
    this.#writing = this.#writeAll(batches).finally(() => {
      this.#writing = undefined;
      if (!this.#isClosed) this.#scheduleSeal();
      // Lines that arrived during the write may have waited long enough.
      if (this.#isWriteDue) this.#write();
      else this.#scheduleWrite();
    });
  }

  async #writeAll(batches: readonly Batch[]): Promise<void> {
    for (const [at, batch] of batches.entries()) {
      try {
        await this.#writeOne(batch);
        batch.resolve();
      } catch (thrown) {
        const error = convertStoreError(thrown);
        this.#accepted = new Map(this.#stored);
        for (const failed of [...batches.slice(at), ...this.#waiting.splice(0)])
          failed.reject(error);
        break;
      }
    }
    const { days, clock } = this.#parts;
    if (clock.now() - this.#trimmedAt < TRIM_MS) return;
    this.#trimmedAt = clock.now();
    // What cannot be removed now is removed a minute later.
    await days.trim(clock.now()).catch(() => undefined);
  }

  async #writeOne(batch: Batch): Promise<void> {
    const { days, clock } = this.#parts;
    const now = clock.now();
    if (batch.day > days.current.day) await this.#startNextDay(batch.day, now);
    this.#reportRejected(batch);
    const { positions, top } = batch;
    await days.current.write(
      [...batch.lanes.values()],
      {
        nano: Math.max(top, days.current.mark),
        positions: this.#needsPositions ? new Map([...this.#stored, ...positions]) : positions,
        forgotten: [...batch.forgotten],
      },
      { now, sealBefore: now - SEAL_MS + 1 },
    );
    this.#needsPositions = false;
    for (const source of batch.forgotten) this.#stored.delete(source);
    for (const [source, end] of positions) {
      this.#stored.delete(source);
      this.#stored.set(source, end);
    }
    this.#notifyFollowers(batch);
  }

  async #startNextDay(day: number, now: number): Promise<void> {
    const { days } = this.#parts;
    const { mark } = days.current;
    const none = { nano: mark, positions: new Map(), forgotten: [] };
    await days.current.write([], none, { now, sealBefore: Number.POSITIVE_INFINITY });
    days.startDay(day, now);
    this.#needsPositions = true;
    this.#trimmedAt = Number.NEGATIVE_INFINITY;
  }

  /** Writes into each lane how many of its lines were rejected. */
  #reportRejected({ lanes, rejected }: Batch): void {
    for (const [name, { place, count }] of rejected) {
      const lines = lanes.get(name)?.lines ?? [];
      const line = lines[place];
      const message = `${count} lines dropped: ${this.#parts.rateLimiter.words}`;
      if (line !== undefined) lines[place] = { ...line, message };
    }
  }

  #notifyFollowers({ day, lanes }: Batch): void {
    if (!this.#parts.hasFollowers()) return;
    const written = [...lanes.values()].flatMap(({ lane, lines }) =>
      lines.map((line) => ({ nano: line.nano, shown: toLogLine(day, lane, line) })),
    );
    written.sort((one, other) => one.nano - other.nano);
    this.#parts.onLines(written.map(({ shown }) => shown));
  }

  /** Seals the newest lines of an idle lane into a chunk after a delay. */
  #scheduleSeal(): void {
    const { days, clock } = this.#parts;
    this.#cancelSeal?.();
    const since = days.current.waitingSince;
    if (since === undefined) return;
    this.#cancelSeal = clock.at(since + SEAL_MS, () => {
      if (this.#waiting.length === 0 && !this.#isClosed) this.#currentBatch(days.current.day);
      this.#write();
    });
  }

  /**
   * Records the position of a source; beyond the limit, the least recently written one is dropped.
   */
  #touchSource(source: string, taken: number): void {
    this.#accepted.delete(source);
    this.#accepted.set(source, taken);
    for (const source of this.#accepted.keys()) {
      if (this.#accepted.size <= LOG_SOURCES_MAX) return;
      this.#accepted.delete(source);
      this.#currentBatch(this.#positions.day).forgotten.add(source);
    }
  }
}

/** Records that a batch, or an earlier one, contains a source's lines up to a position. */
function recordPosition(batch: Batch | undefined, source: string, taken: number): void {
  batch?.positions.set(source, taken);
  batch?.forgotten.delete(source);
}

function addLine(batch: Batch, name: string, lane: Lane, line: StoredLine): void {
  const known = batch.lanes.get(name);
  if (known === undefined) batch.lanes.set(name, { lane, lines: [line] });
  else known.lines.push(line);
  batch.top = Math.max(batch.top, line.nano + 1);
  batch.lines += 1;
  batch.chars += line.message.length;
}

function createBatch(day: number): Batch {
  const { promise, resolve, reject } = deferred();
  // Waiters receive the error; a batch without waiters may fail silently.
  promise.catch(() => undefined);
  return {
    day,
    lanes: new Map(),
    positions: new Map(),
    forgotten: new Set(),
    rejected: new Map(),
    written: promise,
    top: 0,
    lines: 0,
    chars: 0,
    resolve,
    reject,
  };
}

function deferred(): {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve = (): void => undefined;
  let reject = (_error: unknown): void => undefined;
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
