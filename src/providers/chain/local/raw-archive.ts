import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip } from 'node:zlib';
import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../../../domain/common/time.ts';
import { RawTransaction } from './raw-journal.ts';

/** A transaction that is in a block, with data from its receipt. */
export type ArchivedTransaction = z.infer<typeof ArchivedTransaction>;

/** Validates an archived transaction. */
export const ArchivedTransaction = RawTransaction.extend({
  /** Whether the transaction succeeded. */
  ok: z.boolean(),
  block: z.number().int(),
  /** Id of the agent that it registered. */
  agentId: z.string().optional(),
});

/** A time range in Unix seconds, both ends included. */
export interface ArchiveTimeRange {
  readonly fromS: number;
  readonly toS: number;
}

/**
 * An archive for old transactions of a local chain, which its node has pruned. It holds compressed
 * files of about a thousand rows. Each is written once and found by the times of its rows.
 */
export interface RawArchive {
  /** Writes one file without rows that are already archived. Resolves when it is on disk. */
  add(rows: readonly ArchivedTransaction[]): Promise<void>;
  /**
   * Finds the newest matching row in the files that overlap the range. Files are decompressed off
   * the main thread, and only rows that contain `word` are parsed.
   */
  find(
    word: string,
    fits: RowPredicate,
    span?: ArchiveTimeRange,
  ): Promise<ArchivedTransaction | undefined>;
  /** Returns the rows of the files that reach beyond an operator nonce, in order. */
  from(nonce: number): readonly ArchivedTransaction[];
  /** Removes files that are too old (`now`: milliseconds) or too many. @returns How many. */
  trim(now: number): number;
}

type RowPredicate = (row: ArchivedTransaction) => boolean;

/** How long transactions are kept, in milliseconds. */
export const ARCHIVE_RETENTION_MS = 400 * DAY_MS;
/** Most files, of about a thousand rows each. The oldest are removed first. */
export const ARCHIVE_FILES_MAX = 2_000;

/**
 * A file, as its name describes it: `<serial>-<last nonce>-<first second>-<last second>.jsonl.gz`.
 */
interface Segment extends ArchiveTimeRange {
  readonly name: string;
  readonly serial: number;
  /** Last operator nonce in it. */
  readonly lastNonce: number;
}

const NAME = /^(\d+)-(\d+)-(\d+)-(\d+)\.jsonl\.gz$/;
const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Opens the archive in a folder. The folder is created with its first file. */
export function openRawArchive(folder: string): RawArchive {
  let segments = existsSync(folder) ? readSegments(folder) : [];
  const rowsOf = ({ name }: Segment) => readRows(join(folder, name));
  return {
    add: async (rows) => {
      const last = segments.at(-1);
      const known = new Set(last === undefined ? [] : rowsOf(last).map(({ hash }) => hash));
      const fresh = rows.filter(({ hash }) => !known.has(hash));
      if (fresh.length === 0) return;
      const segment = createSegment(fresh, last);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const text = fresh.map((row) => `${JSON.stringify(row)}\n`).join('');
      writeAtomically(join(folder, segment.name), await gzipAsync(text));
      segments = [...segments, segment];
    },
    find: async (word, fits, span) => {
      for (const segment of segments.toReversed()) {
        if (span !== undefined && !isOverlapping(segment, span)) continue;
        const rows = await readRowsContaining(word, join(folder, segment.name));
        const found = rows.findLast(fits);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    from: (nonce) =>
      segments.filter(({ lastNonce }) => lastNonce >= nonce).flatMap((each) => rowsOf(each)),
    trim: (now) => {
      const oldestS = Math.floor((now - ARCHIVE_RETENTION_MS) / SECOND_MS);
      const surplus = segments.length - ARCHIVE_FILES_MAX;
      const removed = segments.filter(({ toS }, at) => toS < oldestS || at < surplus);
      for (const { name } of removed) rmSync(join(folder, name), { force: true });
      segments = segments.filter((segment) => !removed.includes(segment));
      return removed.length;
    },
  };
}

function createSegment(rows: readonly ArchivedTransaction[], last: Segment | undefined): Segment {
  const serial = (last?.serial ?? 0) + 1;
  const nonces = rows.filter(({ from }) => from === undefined).map(({ nonce }) => nonce);
  const times = rows.map(({ atS }) => atS);
  const lastNonce = Math.max(last?.lastNonce ?? 0, ...nonces);
  const [fromS, toS] = [Math.min(...times), Math.max(...times)];
  const name = `${serial}-${lastNonce}-${fromS}-${toS}.jsonl.gz`;
  return { name, serial, lastNonce, fromS, toS };
}

function readSegments(folder: string): readonly Segment[] {
  const found = readdirSync(folder).flatMap((name): Segment[] => {
    const match = NAME.exec(name);
    if (match === null) return [];
    const [serial = 0, lastNonce = 0, fromS = 0, toS = 0] = match.slice(1).map(Number);
    return [{ name, serial, lastNonce, fromS, toS }];
  });
  return found.toSorted((a, b) => a.serial - b.serial);
}

function isOverlapping(one: ArchiveTimeRange, other: ArchiveTimeRange): boolean {
  return one.fromS <= other.toS && other.fromS <= one.toS;
}

async function readRowsContaining(
  word: string,
  file: string,
): Promise<readonly ArchivedTransaction[]> {
  let bytes: Buffer;
  try {
    bytes = await gunzipAsync(await readFile(file));
  } catch (cause) {
    // A trim may have removed the oldest files meanwhile.
    if (!existsSync(file)) return [];
    throw cause;
  }
  if (!bytes.includes(word)) return [];
  const lines = bytes.toString('utf8').split('\n');
  return lines.filter((line) => line.includes(word)).map(parseRow);
}

function parseRow(line: string): ArchivedTransaction {
  return ArchivedTransaction.parse(JSON.parse(line));
}

function readRows(file: string): readonly ArchivedTransaction[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines.map(parseRow);
}

function writeAtomically(file: string, bytes: Buffer): void {
  const draft = openSync(`${file}.new`, 'w', 0o600);
  writeSync(draft, bytes);
  fsyncSync(draft);
  closeSync(draft);
  renameSync(`${file}.new`, file);
}
