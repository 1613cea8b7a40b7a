import { DAY_NANOS } from '../../domain/hosting/telemetry/log-time.ts';
import type { LogType } from '../../domain/hosting/value-sets.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';
import { Environment, type FileUsage, scan } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from '../engine/commit-queue.ts';
import {
  type ChunkHead,
  decodeHead,
  decodeLines,
  encodeChunk,
  type StoredLine,
} from './hosting-log-chunk.ts';

const FORMAT = 1;
/**
 * Number of lines at which a lane's newest lines become a chunk; a chunk has less than twice as
 * many.
 */
const CHUNK_LINES = 256;
/** Number of characters at which they become a chunk. */
const CHUNK_CHARS = 256 * 1024;
/** Chunks removed per commit. */
const DROP_BATCH = 1_000;
const MARK = 'position';

/** The lines of one type of one resource, in order. */
export interface Lane {
  readonly resource: string;
  readonly type: LogType;
}

/** Adjacent lines of a lane. */
export interface Segment {
  /** Positions of its first and last line. */
  readonly first: number;
  readonly last: number;
  /** Metadata of a chunk; absent for the newest lines, which are in memory. */
  readonly head?: ChunkHead;
  lines(): readonly StoredLine[];
}

/** New lines of a lane. */
export interface NewLines {
  readonly lane: Lane;
  readonly lines: readonly StoredLine[];
}

/** State written with one commit: `positions` of sources, and a position after all lines. */
export interface DayMark {
  readonly nano: number;
  readonly positions: ReadonlyMap<string, number>;
  readonly forgotten: readonly string[];
}

/** Newest lines of a lane: on disk as received, and in memory. */
interface LaneTail {
  readonly lane: Lane;
  lines: readonly StoredLine[];
  rows: readonly number[];
  /** When the first of them arrived, in milliseconds. */
  since: number;
  chars: number;
}

/**
 * The log of one day, in a separate environment so that it can be removed as a whole. New lines are
 * stored as received. Older lines of a lane are in compressed chunks, each with a head of its
 * labels.
 */
export class LogDay {
  readonly day: number;
  readonly #environment: Environment;
  readonly #heads: TextTable;
  readonly #chunks: TextTable;
  readonly #newest: TextTable;
  readonly #sources: TextTable;
  readonly #marks: TextTable;
  readonly #tails = new Map<string, LaneTail>();
  #isClosed = false;

  /**
   * @param day - Days since 1970.
   * @param now - Milliseconds; the arrival time assumed for the lines found.
   * @throws {EngineError} The errors of `Environment`.
   */
  constructor(options: EnvironmentOptions, day: number, now: number) {
    this.day = day;
    this.#environment = new Environment(options, FORMAT);
    this.#heads = this.#environment.openTable('heads');
    this.#chunks = this.#environment.openTable('chunks', { isCompressed: true });
    this.#newest = this.#environment.openTable('newest');
    this.#sources = this.#environment.openTable('sources');
    this.#marks = this.#environment.openTable('marks');
    this.#readNewest(now);
  }

  /** Position after all lines when the day was opened. */
  get mark(): number {
    return Number(this.#marks.get(MARK) ?? 0);
  }

  /** Returns the position of each source when the day was opened. */
  positions(): ReadonlyMap<string, number> {
    const rows = this.#sources.getRange();
    return new Map(Array.from(rows, ({ key, value }) => [String(key), Number(value)]));
  }

  /** When the oldest line that is in no chunk arrived, in milliseconds. */
  get waitingSince(): number | undefined {
    let since: number | undefined;
    for (const tail of this.#tails.values()) since = Math.min(since ?? tail.since, tail.since);
    return since;
  }

  /**
   * Writes new lines and the positions of their sources, all or nothing. Lanes with enough lines,
   * and lanes with lines older than `sealBefore`, become chunks. Must not be called concurrently.
   *
   * @throws {EngineError} The errors of `Environment.commit`.
   */
  async write(
    newLines: readonly NewLines[],
    mark: DayMark,
    times: { readonly now: number; readonly sealBefore: number },
  ): Promise<void> {
    const changed = new Map(
      newLines.map((one) => [laneKey(one.lane), this.#appendLines(one, times.now)]),
    );
    for (const [name, tail] of this.#tails) {
      if (tail.since < times.sealBefore && !changed.has(name)) changed.set(name, tail);
    }
    const ops: Op[] = [];
    const tails = [...changed].map(([name, tail]) => {
      const isOld = tail.since < times.sealBefore;
      const next =
        isOld || isFull(tail) ? this.#sealChunks(tail, ops) : this.#storeLines(name, tail, ops);
      return [name, next] as const;
    });
    for (const [source, end] of mark.positions) {
      ops.push({ db: this.#sources, key: source, text: String(end) });
    }
    for (const source of mark.forgotten) ops.push({ db: this.#sources, key: source });
    ops.push({ db: this.#marks, key: MARK, text: String(mark.nano) });
    await this.#environment.commit(ops);
    for (const [name, tail] of tails) {
      if (tail === undefined) this.#tails.delete(name);
      else this.#tails.set(name, tail);
    }
  }

  /** Returns the last lines before a position, from at most one chunk. */
  before(lane: Lane, place: number): Segment | undefined {
    if (this.#isClosed || place <= 0) return undefined;
    const tail = this.#tails.get(laneKey(lane));
    const first = tail?.lines[0]?.nano ?? place;
    if (tail !== undefined && first < place) return toMemorySegment(tail);
    return this.#findChunk(lane, place - 1);
  }

  /** Returns the first lines at or after a position, from at most one chunk. */
  from(lane: Lane, place: number): Segment | undefined {
    if (this.#isClosed) return undefined;
    const reaching = this.#findChunk(lane, place);
    if (reaching !== undefined && reaching.last >= place) return reaching;
    const { resource, type } = lane;
    const range = { start: [resource, type, place], end: [resource, type, DAY_NANOS], limit: 1 };
    for (const { key, value } of this.#heads.getRange(range)) return this.#readChunk(key, value);
    const tail = this.#tails.get(laneKey(lane));
    const last = tail?.lines.at(-1)?.nano ?? -1;
    return tail !== undefined && last >= place ? toMemorySegment(tail) : undefined;
  }

  /** Removes the oldest quarter of the chunks of the largest lane. */
  async dropOldest(): Promise<void> {
    const counts = new Map<string, { readonly lane: readonly unknown[]; count: number }>();
    for (const key of this.#heads.getKeys()) {
      const lane = (key as readonly unknown[]).slice(0, 2);
      const known = counts.get(lane.join('\n'));
      if (known === undefined) counts.set(lane.join('\n'), { lane, count: 1 });
      else known.count += 1;
    }
    const [most] = [...counts.values()].sort((one, other) => other.count - one.count);
    if (most === undefined) return;
    const [resource, type] = most.lane.map(String);
    const start = [resource ?? '', type ?? ''];
    const limit = Math.ceil(most.count / 4);
    const keys = [...this.#heads.getKeys({ start, limit })];
    for (let at = 0; at < keys.length; at += DROP_BATCH) {
      const some = keys.slice(at, at + DROP_BATCH);
      await this.#environment.commit(
        some.flatMap((key) => [
          { db: this.#heads, key },
          { db: this.#chunks, key },
        ]),
      );
    }
  }

  usage(): FileUsage {
    return this.#environment.usage();
  }

  /** Returns rows and bytes of each key family. */
  sizes(): readonly FamilySize[] {
    return this.#environment.sizes();
  }

  hasRoom(): boolean {
    return this.#environment.hasRoom();
  }

  /** Closes the day; from now on it returns no lines. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#environment.close();
  }

  #findChunk({ resource, type }: Lane, position: number): Segment | undefined {
    const range = { start: [resource, type, position], end: [resource, type], limit: 1 };
    for (const { key, value } of this.#heads.getRange({ ...range, reverse: true })) {
      return this.#readChunk(key, value);
    }
    return undefined;
  }

  #readChunk(key: unknown, text: string): Segment {
    const parts = key as [string, string, number];
    const head = decodeHead(text);
    const lines = (): readonly StoredLine[] => {
      const body = this.#isClosed ? undefined : this.#chunks.get(parts);
      return body === undefined ? [] : decodeLines(head, body);
    };
    return { first: parts[2], last: head.last, head, lines };
  }

  #appendLines({ lane, lines }: NewLines, now: number): LaneTail {
    const known = this.#tails.get(laneKey(lane));
    const tail = known ?? { lane, lines: [], rows: [], since: now, chars: 0 };
    const chars = lines.reduce((sum, { message }) => sum + message.length, tail.chars);
    return { ...tail, lines: [...tail.lines, ...lines], chars };
  }

  /** Stores the new lines as received, in one row. */
  #storeLines(name: string, tail: LaneTail, ops: Op[]): LaneTail {
    const known = this.#tails.get(name)?.lines.length ?? 0;
    const fresh = tail.lines.slice(known);
    const [first] = fresh;
    if (first === undefined) return tail;
    const { head, body } = encodeChunk(fresh);
    const key = [tail.lane.resource, tail.lane.type, first.nano];
    ops.push({ db: this.#newest, key, text: `${head}\n${body}` });
    return { ...tail, rows: [...tail.rows, first.nano] };
  }

  #sealChunks({ lane, lines, rows }: LaneTail, ops: Op[]): undefined {
    const { resource, type } = lane;
    for (const part of splitChunks(lines)) {
      const { head, body } = encodeChunk(part);
      const key = [resource, type, part[0]?.nano ?? 0];
      ops.push({ db: this.#heads, key, text: head }, { db: this.#chunks, key, text: body });
    }
    for (const nano of rows) ops.push({ db: this.#newest, key: [resource, type, nano] });
  }

  #readNewest(now: number): void {
    scan(this.#newest, [], (key, text) => {
      const [resource, type, nano] = key as [string, LogType, number];
      const cut = text.indexOf('\n');
      const lines = decodeLines(decodeHead(text.slice(0, cut)), text.slice(cut + 1));
      const lane = { resource, type };
      const tail = this.#appendLines({ lane, lines }, now);
      this.#tails.set(laneKey(lane), { ...tail, rows: [...tail.rows, nano] });
      return true;
    });
  }
}

/** Returns the key of a lane. */
export function laneKey({ resource, type }: Lane): string {
  return `${resource}\n${type}`;
}

function toMemorySegment({ lines }: LaneTail): Segment {
  return { first: lines[0]?.nano ?? 0, last: lines.at(-1)?.nano ?? 0, lines: () => lines };
}

function isFull({ lines, chars }: LaneTail): boolean {
  return lines.length >= CHUNK_LINES || chars >= CHUNK_CHARS;
}

/** Splits lines into parts of about equal length, none longer than a chunk. */
function splitChunks(lines: readonly StoredLine[]): readonly (readonly StoredLine[])[] {
  const parts = Math.max(1, Math.floor(lines.length / CHUNK_LINES));
  const length = Math.ceil(lines.length / parts);
  const found: StoredLine[][] = [];
  let part: StoredLine[] = [];
  let chars = 0;
  for (const line of lines) {
    if (part.length > 0 && (part.length >= length || chars >= CHUNK_CHARS)) {
      found.push(part);
      part = [];
      chars = 0;
    }
    part.push(line);
    chars += line.message.length;
  }
  found.push(part);
  return found;
}
