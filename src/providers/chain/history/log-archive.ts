import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BlockLog, type LogFilter } from './log-filter.ts';

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/**
 * An archive for the logs of blocks that a local node has pruned. It holds compressed files without
 * gaps between them, each written once. The chain's accounts are audited from them, so none is ever
 * removed.
 */
export interface LogArchive {
  /** The archived blocks, or `undefined` while the archive is empty. */
  readonly span: BlockRange | undefined;
  /** Hash of the last archived block. */
  readonly lastHash: string | undefined;
  /** The first block from which archive and node together have every log. */
  readonly oldest: number;
  /** Sets the first block from which the node has every log that is not archived. */
  setOldest(oldest: number): void;
  /** Adds the logs of the following blocks. Resolves when they are on disk. */
  add(span: BlockRange, lastHash: string, logs: readonly BlockLog[]): Promise<void>;
  /** Reads the matching logs of a range, oldest first. Returns at most `most` + 1. */
  read(span: BlockRange, filter: LogFilter, most: number): Promise<readonly BlockLog[]>;
  /** Yields the hashes of blocks that have logs, newest first. */
  hashes(): AsyncIterable<{ readonly block: number; readonly hash: string }>;
  /** Removes everything after a block, or everything if it is `undefined`. */
  truncateAfter(last: { readonly block: number; readonly hash: string } | undefined): Promise<void>;
}

/** A file, as its name describes it: `<first block>-<last block>-<hash of the last>.jsonl.gz`. */
interface Segment extends BlockRange {
  readonly name: string;
  readonly hash: string;
}

const SEGMENT_NAME = /^(\d+)-(\d+)-(0x[0-9a-f]{64})\.jsonl\.gz$/;
const MATCH_ALL: LogFilter = { mayMatchLine: () => true, matches: () => true };
const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Opens the archive in a folder. The folder is created with its first file. */
export function openLogArchive(folder: string): LogArchive {
  let segments = existsSync(folder) ? readSegments(folder) : [];
  let oldest = segments[0]?.from ?? 0;
  const rowsOf = ({ name }: Segment) => readRows(join(folder, name), MATCH_ALL);
  const writeSegment = async (span: BlockRange, hash: string, logs: readonly BlockLog[]) => {
    const segment = { ...span, hash, name: `${span.from}-${span.to}-${hash}.jsonl.gz` };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const text = logs.map((log) => `${JSON.stringify(log)}\n`).join('');
    writeAtomically(join(folder, segment.name), await gzipAsync(text));
    return segment;
  };
  return {
    get span() {
      const [first, last] = [segments[0], segments.at(-1)];
      return first === undefined || last === undefined ? undefined : { ...first, to: last.to };
    },
    get lastHash() {
      return segments.at(-1)?.hash;
    },
    get oldest() {
      return oldest;
    },
    setOldest: (block) => {
      oldest = block;
    },
    add: async (span, hash, logs) => {
      segments = contiguousTail([...segments, await writeSegment(span, hash, logs)]);
      oldest = segments[0]?.from ?? 0;
    },
    read: async ({ from, to }, filter, most) => {
      const found: BlockLog[] = [];
      for (const segment of segments) {
        if (segment.to < from || segment.from > to) continue;
        const logs = await readRows(join(folder, segment.name), filter);
        found.push(...logs.filter((log) => isWithin(Number(log.blockNumber), { from, to })));
        if (found.length > most) break;
      }
      return found.slice(0, most + 1);
    },
    hashes: async function* hashes() {
      for (const segment of segments.toReversed()) {
        const hashByBlock = new Map<number, string>([[segment.to, segment.hash]]);
        for (const log of await rowsOf(segment))
          hashByBlock.set(Number(log.blockNumber), log.blockHash);
        const blocks = [...hashByBlock].toSorted(([one], [other]) => other - one);
        for (const [block, hash] of blocks) yield { block, hash };
      }
    },
    truncateAfter: async (last) => {
      const { block, hash } = last ?? { block: -1, hash: '' };
      const removed = segments.filter(({ to }) => to > block);
      const [split] = removed;
      segments = segments.filter(({ to }) => to <= block);
      if (split !== undefined && split.from <= block) {
        const rows = await rowsOf(split);
        const kept = rows.filter((log) => Number(log.blockNumber) <= block);
        segments = [...segments, await writeSegment({ from: split.from, to: block }, hash, kept)];
      }
      for (const { name } of removed) rmSync(join(folder, name), { force: true });
    },
  };
}

/** Reads the gapless range of files and removes leftovers of an interrupted cut. */
function readSegments(folder: string): readonly Segment[] {
  const found = readdirSync(folder).flatMap((name): Segment[] => {
    const [, from, to, hash = ''] = SEGMENT_NAME.exec(name) ?? [];
    return from === undefined ? [] : [{ name, from: Number(from), to: Number(to), hash }];
  });
  const contiguous = contiguousTail(found.toSorted((a, b) => a.to - b.to || b.from - a.from));
  for (const each of found.filter((one) => !contiguous.includes(one))) {
    const isDouble = contiguous.some(({ from, to }) => each.from <= to && from <= each.to);
    if (isDouble) rmSync(join(folder, each.name), { force: true });
  }
  return contiguous;
}

/** Returns the gapless range that ends with the newest file. */
function contiguousTail(segments: readonly Segment[]): readonly Segment[] {
  const row: Segment[] = [];
  for (const segment of segments.toReversed()) {
    const [first] = row;
    if (first === undefined || segment.to === first.from - 1) row.unshift(segment);
  }
  return row;
}

function isWithin(block: number, { from, to }: BlockRange): boolean {
  return from <= block && block <= to;
}

async function readRows(file: string, filter: LogFilter): Promise<readonly BlockLog[]> {
  const text = (await gunzipAsync(await readFile(file))).toString('utf8');
  const lines = text.split('\n').filter((line) => line !== '' && filter.mayMatchLine(line));
  return lines.map((line) => BlockLog.parse(JSON.parse(line))).filter(filter.matches);
}

function writeAtomically(file: string, bytes: Buffer): void {
  const draft = openSync(`${file}.new`, 'w', 0o600);
  writeSync(draft, bytes);
  fsyncSync(draft);
  closeSync(draft);
  renameSync(`${file}.new`, file);
}
