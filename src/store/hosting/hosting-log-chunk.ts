import type { LabelSet } from '../../domain/hosting/telemetry/log-filter.ts';
import { LOG_LEVELS } from '../../domain/hosting/value-sets.ts';
import { bloomMayHold, bloomOf } from './path-bloom.ts';

/** A line as the store keeps it. */
export interface StoredLine {
  /** Nanoseconds of the day; no two lines of a day have the same. */
  readonly nano: number;
  /** Lines with equal labels may share one. */
  readonly set: LabelSet;
  /** Empty where the line has none. */
  readonly path: string;
  readonly message: string;
}

/** What is known of the lines of a chunk without reading them. */
export interface ChunkHead {
  /** Place of the last line. */
  readonly last: number;
  readonly count: number;
  /** Every set of labels that occurs. */
  readonly sets: readonly LabelSet[];
  /** Of the paths; empty where no line has one. */
  readonly bloom: string;
}

/** Two texts: the head, which is read alone, and the lines. */
export interface ChunkTexts {
  readonly head: string;
  readonly body: string;
}

type SetRow = readonly [level: number, string, string, string, string];
/** Places (each as the distance from the one before), sets by number, paths, messages. */
type Body = readonly [number[], number[], string[] | 0, string[]];

/**
 * Writes lines as a chunk, in columns: equal things stand beside each other.
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
    numbers.push(numberOf(set, sets, rows));
    if (path !== '') paths.add(path);
    messages.push(message);
  }
  const column = paths.size === 0 ? 0 : lines.map(({ path }) => path);
  const body: Body = [nanos, numbers, column, messages];
  const head = [before, lines.length, paths.size === 0 ? '' : bloomOf(paths), rows];
  return { head: JSON.stringify(head), body: JSON.stringify(body) };
}

/** Reads a head. */
export function decodeHead(text: string): ChunkHead {
  const [last, count, bloom, rows] = JSON.parse(text) as [number, number, string, SetRow[]];
  return { last, count, bloom, sets: rows.map(setOf) };
}

/** Reads the lines of a chunk, in order. */
export function decodeLines(head: ChunkHead, body: string): readonly StoredLine[] {
  const [nanos, numbers, paths, messages] = JSON.parse(body) as Body;
  const lines: StoredLine[] = [];
  let nano = 0;
  for (const [at, message] of messages.entries()) {
    nano += nanos[at] ?? 0;
    const set = head.sets[numbers[at] ?? 0] ?? UNLABELLED;
    lines.push({ nano, set, path: paths === 0 ? '' : (paths[at] ?? ''), message });
  }
  return lines;
}

/** False when none of the paths is in the chunk. */
export function mayHoldPath(head: ChunkHead, paths: readonly string[]): boolean {
  return head.bloom !== '' && paths.some((path) => bloomMayHold(head.bloom, path));
}

const UNLABELLED: LabelSet = { level: 'info', instance: '', host: '', statusCode: '', method: '' };

/** Equal sets have one number, also when they are not the same object. */
function numberOf(set: LabelSet, known: Map<LabelSet | string, number>, rows: SetRow[]): number {
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

function setOf([level, instance, host, statusCode, method]: SetRow): LabelSet {
  return { level: LOG_LEVELS[level] ?? 'info', instance, host, statusCode, method };
}
