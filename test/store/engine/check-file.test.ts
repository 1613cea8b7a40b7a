import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkFile } from '../../../src/store/engine/check-file.ts';
import { RowCheck } from '../../../src/store/engine/row-check.ts';
import { writeFullStore } from '../../support/full-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PAGE_BYTES = 4_096;
const COMMIT_AT = 152;
const MAIN_ROOT_AT = 136;
const COUNTS = [104, 112, 128] as const;
let whole: Buffer;
let dir: ReturnType<typeof tempDir>;
let file: string;

beforeAll(async () => {
  const made = tempDir();
  await writeFullStore(made.path);
  whole = readFileSync(join(made.path, 'data.mdb'));
  made.remove();
});
beforeEach(() => {
  dir = tempDir();
  file = join(dir.path, 'data.mdb');
});
afterEach(() => dir.remove());

test('every flipped bit in the number of the commit of either meta page is damage, but one', () => {
  expect(findFault(whole)).toBeUndefined();
  for (const page of [0, 1]) {
    for (let bit = 0; bit < 64; bit += 1) {
      const flipped = flip(page * PAGE_BYTES + COMMIT_AT + (bit >> 3), bit & 7);
      const commit = flipped.readBigUInt64LE(page * PAGE_BYTES + COMMIT_AT);
      // So is a file whose next commit did not end.
      if (commit === readCommit(1 - page) - 1n && readCommit(page) === commit + 2n) continue;
      expect(findFault(flipped), `page ${page}, bit ${bit}`).toMatch(/commit/);
    }
  }
});

test('every flipped bit in the roots and counts of the newer meta page is damage', () => {
  const newer = readCommit(0) > readCommit(1) ? 0 : PAGE_BYTES;
  for (const at of [MAIN_ROOT_AT, ...COUNTS]) {
    for (let bit = 0; bit < 64; bit += 1) {
      const flipped = flip(newer + at + (bit >> 3), bit & 7);
      expect(findFault(flipped), `at ${at}, bit ${bit}`).toBeDefined();
    }
  }
});

test('a flipped bit in the name of a table is damage that names both', () => {
  const bytes = Buffer.from(whole);
  for (let at = bytes.indexOf('outbox'); at >= 0; at = bytes.indexOf('outbox', at)) {
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  }
  expect(findFault(bytes)).toBe(
    'The table "nutbox" is unknown, and the table "outbox" is missing.',
  );
});

test('a page that is free twice, or in use and free, is damage', () => {
  const list = findFreeList();
  const [first, second] = [list + 8, list + 16];
  const twice = Buffer.from(whole);
  twice.copy(twice, second, first, first + 8);
  expect(findFault(twice)).toMatch(/^Page \d+ is free twice\.$/);
  const used = Buffer.from(whole);
  used.writeBigUInt64LE(whole.readBigUInt64LE(newerMeta() + MAIN_ROOT_AT), first);
  expect(findFault(used)).toMatch(/^Page \d+ is in use and free\.$/);
});

test('rows that overlap are damage, whatever they contain', () => {
  const at = whole.indexOf('"deadLetterId"') + 200;
  const page = at - (at % PAGE_BYTES);
  const bytes = Buffer.from(whole);
  const rows = whole.readUInt16LE(page + 20) / 2;
  const starts = Array.from({ length: rows }, (_, row) => whole.readUInt16LE(page + 24 + 2 * row));
  const lowest = page + 24 + Math.min(...starts);
  bytes.writeUInt32LE(bytes.readUInt32LE(lowest) + 64, lowest);
  expect(findFault(bytes)).toMatch(/^Two rows of page \d+ overlap\.$/);
});

function findFault(bytes: Buffer): string | undefined {
  writeFileSync(file, bytes);
  return checkFile(file, { rows: new RowCheck() }).fault;
}

function flip(at: number, bit: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  return bytes;
}

function readCommit(page: number): bigint {
  return whole.readBigUInt64LE(page * PAGE_BYTES + COMMIT_AT);
}

function newerMeta(): number {
  return readCommit(0) > readCommit(1) ? 0 : PAGE_BYTES;
}

/** Returns where a list of at least two free pages begins: with their number. */
function findFreeList(): number {
  const root = Number(whole.readBigUInt64LE(newerMeta() + 88)) * PAGE_BYTES;
  const rows = whole.readUInt16LE(root + 20) / 2;
  for (let row = 0; row < rows; row += 1) {
    const start = root + 24 + whole.readUInt16LE(root + 24 + 2 * row);
    const list = start + 8 + whole.readUInt16LE(start + 6);
    const isPlain = whole.readBigInt64LE(list + 8) > 0n && whole.readBigInt64LE(list + 16) > 0n;
    if (whole.readBigUInt64LE(list) >= 2n && isPlain) return list;
  }
  throw new Error('The file has no list of free pages.');
}
