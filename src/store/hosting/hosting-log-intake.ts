import { AppError, invariant } from '../../domain/common/error.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/common/time.ts';
import type { LogLine } from '../../domain/hosting/records.ts';
import type { LogIntake, NewLogLine } from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { storeError } from '../common/store-error.ts';
import type { StoredLine } from './hosting-log-chunk.ts';
import { type Lane, laneName } from './hosting-log-day.ts';
import type { LogDays } from './hosting-log-days.ts';
import type { LogGate } from './hosting-log-gate.ts';
import { LineMaker, shownLine } from './hosting-log-lines.ts';
import { LogStamps } from './hosting-log-stamps.ts';

/** How long lines are collected before they are written, in milliseconds. */
const GATHER_MS = 50;
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
export interface IntakeParts {
  readonly days: LogDays;
  readonly gate: LogGate;
  readonly clock: RuntimeClock;
  /** Called with lines that are on disk. */
  readonly onLines: (lines: readonly LogLine[]) => void;
  /** Returns whether there are any followers. */
  readonly isHeard: () => boolean;
}

/** Lines of one write. */
interface Batch {
  readonly day: number;
  readonly lanes: Map<string, { readonly lane: Lane; readonly lines: StoredLine[] }>;
  readonly positions: Map<string, number>;
  readonly forgotten: Set<string>;
  /** Per lane: index of the line that reports rejected lines, and their number. */
  readonly refused: Map<string, { readonly place: number; count: number }>;
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
export class LogWriter implements LogIntake {
  readonly #parts: IntakeParts;
  readonly #stamps: LogStamps;
  readonly #maker = new LineMaker();
  /** Positions on disk, least recently written source first; and positions handed out. */
  #kept: Map<string, number>;
  #taken: Map<string, number>;
  #waiting: Batch[] = [];
  #writing: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** True until the current day contains the positions of all sources. */
  #isFirst: boolean;
  #cancel: (() => void) | undefined;
  #cancelSeal: (() => void) | undefined;
  #trimmedAt: number;
  #isDue = false;
  #isClosed = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    const { days, clock } = parts;
    const now = clock.now();
    // The first write of a day copies the positions from the previous day.
    this.#isFirst = days.current.mark === 0;
    const former = this.#isFirst ? days.former(now)?.positions() : undefined;
    this.#kept = new Map([...(former ?? []), ...days.current.positions()]);
    this.#taken = new Map(this.#kept);
    this.#stamps = new LogStamps(days.current.day, days.current.mark);
    this.#trimmedAt = now;
    this.#sealLater();
  }

  taken(source: string): number {
    return this.#taken.get(source) ?? 0;
  }

  async append(source: string, lines: readonly NewLogLine[]): Promise<void> {
    this.#refuseMore(lines.length);
    const now = this.#parts.clock.now();
    let taken = this.taken(source);
    let batch: Batch | undefined;
    for (const line of lines) {
      if (line.end <= taken) continue;
      const next = this.#admit(line, now);
      if (next !== batch) reach(batch, source, taken);
      batch = next;
      taken = line.end;
    }
    reach(batch, source, taken);
    if (batch !== undefined) this.#moved(source, taken);
    this.#writeSoon();
    // Lines handed over earlier may still be in flight.
    await (batch?.written ?? this.#waiting.at(-1)?.written ?? this.#last);
  }

  async forget(source: string): Promise<void> {
    if (!this.#taken.delete(source)) return;
    const batch = this.#batch(this.#stamps.day);
    batch.positions.delete(source);
    batch.forgotten.add(source);
    this.#writeSoon();
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

  #refuseMore(count: number): void {
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

  #admit(line: NewLogLine, now: number): Batch {
    const { resource, type, at = now, message } = line;
    const lane = { resource, type };
    const name = laneName(lane);
    if (!this.#parts.gate.pass(resource, message.length, now)) return this.#refuse(name, lane, now);
    const stamp = this.#stamps.next(lane, at > now || at <= now - DAY_MS ? now : at);
    const batch = this.#batch(stamp.day);
    add(batch, name, lane, this.#maker.make(line, stamp.nano));
    return batch;
  }

  /** Counts a rejected line; the first one of a batch reserves a line for the report. */
  #refuse(name: string, lane: Lane, now: number): Batch {
    const last = this.#waiting.at(-1);
    const known = last?.refused.get(name);
    if (last !== undefined && known !== undefined && last.lines < BATCH_LINES) {
      known.count += 1;
      return last;
    }
    const { day, nano } = this.#stamps.next(lane, now);
    const batch = this.#batch(day);
    const place = batch.lanes.get(name)?.lines.length ?? 0;
    add(
      batch,
      name,
      lane,
      this.#maker.make({ ...lane, end: 0, message: '', level: 'warning' }, nano),
    );
    batch.refused.set(name, { place, count: 1 });
    return batch;
  }

  /** Returns the batch currently collected for a day. */
  #batch(day: number): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.day === day && last.lines < BATCH_LINES) return last;
    const batch = emptyBatch(day);
    this.#waiting.push(batch);
    return batch;
  }

  #writeSoon(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    if (first.lines >= BATCH_LINES) this.#write();
    const { clock } = this.#parts;
    this.#cancel ??= clock.at(clock.now() + GATHER_MS, () => this.#write());
  }

  #write(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isDue = this.#writing !== undefined;
    if (this.#isDue) return;
    const batches = this.#waiting.splice(0);
    this.#last = batches.at(-1)?.written ?? this.#last;
    this.#writing = this.#writeAll(batches).finally(() => {
      this.#writing = undefined;
      if (!this.#isClosed) this.#sealLater();
      // Lines that arrived during the write may have waited long enough.
      if (this.#isDue) this.#write();
      else this.#writeSoon();
    });
  }

  async #writeAll(batches: readonly Batch[]): Promise<void> {
    for (const [at, batch] of batches.entries()) {
      try {
        await this.#writeOne(batch);
        batch.resolve();
      } catch (thrown) {
        const error = storeError(thrown);
        this.#taken = new Map(this.#kept);
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
    if (batch.day > days.current.day) await this.#endDay(batch.day, now);
    this.#tellRefused(batch);
    const { positions, top } = batch;
    await days.current.write(
      [...batch.lanes.values()],
      {
        nano: Math.max(top, days.current.mark),
        positions: this.#isFirst ? new Map([...this.#kept, ...positions]) : positions,
        forgotten: [...batch.forgotten],
      },
      { now, sealBefore: now - SEAL_MS + 1 },
    );
    this.#isFirst = false;
    for (const source of batch.forgotten) this.#kept.delete(source);
    for (const [source, end] of positions) {
      this.#kept.delete(source);
      this.#kept.set(source, end);
    }
    this.#tellHeard(batch);
  }

  async #endDay(day: number, now: number): Promise<void> {
    const { days } = this.#parts;
    const { mark } = days.current;
    const none = { nano: mark, positions: new Map(), forgotten: [] };
    await days.current.write([], none, { now, sealBefore: Number.POSITIVE_INFINITY });
    days.begin(day, now);
    this.#isFirst = true;
    this.#trimmedAt = Number.NEGATIVE_INFINITY;
  }

  /** Writes into each lane how many of its lines were rejected. */
  #tellRefused({ lanes, refused }: Batch): void {
    for (const [name, { place, count }] of refused) {
      const lines = lanes.get(name)?.lines ?? [];
      const line = lines[place];
      const message = `${count} lines dropped: ${this.#parts.gate.words}`;
      if (line !== undefined) lines[place] = { ...line, message };
    }
  }

  #tellHeard({ day, lanes }: Batch): void {
    if (!this.#parts.isHeard()) return;
    const told = [...lanes.values()].flatMap(({ lane, lines }) =>
      lines.map((line) => ({ nano: line.nano, shown: shownLine(day, lane, line) })),
    );
    told.sort((one, other) => one.nano - other.nano);
    this.#parts.onLines(told.map(({ shown }) => shown));
  }

  /** Seals the newest lines of an idle lane into a chunk after a delay. */
  #sealLater(): void {
    const { days, clock } = this.#parts;
    this.#cancelSeal?.();
    const since = days.current.waitingSince;
    if (since === undefined) return;
    this.#cancelSeal = clock.at(since + SEAL_MS, () => {
      if (this.#waiting.length === 0 && !this.#isClosed) this.#batch(days.current.day);
      this.#write();
    });
  }

  /**
   * Records the position of a source; beyond the limit, the least recently written one is dropped.
   */
  #moved(source: string, taken: number): void {
    this.#taken.delete(source);
    this.#taken.set(source, taken);
    for (const source of this.#taken.keys()) {
      if (this.#taken.size <= LOG_SOURCES_MAX) return;
      this.#taken.delete(source);
      this.#batch(this.#stamps.day).forgotten.add(source);
    }
  }
}

/** Records that a batch, or an earlier one, contains a source's lines up to a position. */
function reach(batch: Batch | undefined, source: string, taken: number): void {
  batch?.positions.set(source, taken);
  batch?.forgotten.delete(source);
}

function add(batch: Batch, name: string, lane: Lane, line: StoredLine): void {
  const known = batch.lanes.get(name);
  if (known === undefined) batch.lanes.set(name, { lane, lines: [line] });
  else known.lines.push(line);
  batch.top = Math.max(batch.top, line.nano + 1);
  batch.lines += 1;
  batch.chars += line.message.length;
}

function emptyBatch(day: number): Batch {
  const { promise, resolve, reject } = deferred();
  // Waiters receive the error; a batch without waiters may fail silently.
  promise.catch(() => undefined);
  return {
    day,
    lanes: new Map(),
    positions: new Map(),
    forgotten: new Set(),
    refused: new Map(),
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
