import type { LabelSet } from '../../domain/hosting/telemetry/log-filter.ts';
import { LOG_LEVELS } from '../../domain/hosting/value-sets.ts';
import { bloomMayContain, createBloomFilter } from './path-bloom.ts';

/** A line as stored. */
export interface StoredLine {
  /** Nanoseconds of the day; unique among the lines of a day. */
  readonly nano: number;
  /** Label set, which lines with equal labels may share. */
  readonly set: LabelSet;
  /** Empty if the line has no path. */
  readonly path: string;
  readonly message: string;
}

/** Metadata of a chunk, readable without its lines. */
export interface ChunkHead {
  /** Position of the last line. */
  readonly last: number;
  readonly count: number;
  /** All label sets in the chunk. */
  readonly sets: readonly LabelSet[];
  /** Bloom filter of the paths; empty if no line has one. */
  readonly bloom: string;
}

/** The two texts of a chunk: the head, which can be read alone, and the lines. */
export interface ChunkTexts {
  readonly head: string;
  readonly body: string;
}

type SetRow = readonly [level: number, string, string, string, string];
/** Positions (each as the distance from the previous one), label sets by index, paths, messages. */
type Body = readonly [number[], number[], string[] | 0, string[]];

/**
 * Encodes lines as a chunk in columns, so that equal values are adjacent.
 *
 * @param lines - At least one, in order.
 */
export function encodeChunk(lines: readonly StoredLine[]): ChunkTexts {
  const sets = new Map<LabelSet | string, number>();
  const rows: SetRow[] = [];
  const paths = new Set<string>();
  const nanos: number[] = [];
  const numbers: number[] = [];
  const messages: string[] = [];
  let before = 0;
  for (const { nano, set, path, message } of lines) {
    nanos.push(nano - before);
    before = nano;
    numbers.push(indexOfSet(set, sets, rows));
    if (path !== '') paths.add(path);
    messages.push(message);
  }
  const column = paths.size === 0 ? 0 : lines.map(({ path }) => path);
  const body: Body = [nanos, numbers, column, messages];
  const head = [before, lines.length, paths.size === 0 ? '' : createBloomFilter(paths), rows];
  return { head: JSON.stringify(head), body: JSON.stringify(body) };
}

/** Decodes a head. */
export function decodeHead(text: string): ChunkHead {
  const [last, count, bloom, rows] = JSON.parse(text) as [number, number, string, SetRow[]];
  return { last, count, bloom, sets: rows.map(toLabelSet) };
}

/** Decodes the lines of a chunk, in order. */
export function decodeLines(head: ChunkHead, body: string): readonly StoredLine[] {
  const [nanos, numbers, paths, messages] = JSON.parse(body) as Body;
  const lines: StoredLine[] = [];
  let nano = 0;
  for (const [at, message] of messages.entries()) {
    nano += nanos[at] ?? 0;
    const set = head.sets[numbers[at] ?? 0] ?? EMPTY_LABELS;
    lines.push({ nano, set, path: paths === 0 ? '' : (paths[at] ?? ''), message });
  }
  return lines;
}

/** Returns `false` if none of the paths is in the chunk. */
export function mayContainPath(head: ChunkHead, paths: readonly string[]): boolean {
  return head.bloom !== '' && paths.some((path) => bloomMayContain(head.bloom, path));
}

const EMPTY_LABELS: LabelSet = {
  level: 'info',
  instance: '',
  host: '',
  statusCode: '',
  method: '',
};

/** Equal sets share one index, even if they are different objects. */
function indexOfSet(set: LabelSet, known: Map<LabelSet | string, number>, rows: SetRow[]): number {
  const found = known.get(set);
  if (found !== undefined) return found;
  const level = LOG_LEVELS.indexOf(set.level);
  const row: SetRow = [level, set.instance, set.host, set.statusCode, set.method];
  const name = row.join('\n');
  const number = known.get(name) ?? rows.length;
  if (number === rows.length) rows.push(row);
  known.set(name, number);
  known.set(set, number);
  return number;
}

function toLabelSet([level, instance, host, statusCode, method]: SetRow): LabelSet {
  return { level: LOG_LEVELS[level] ?? 'info', instance, host, statusCode, method };
}
