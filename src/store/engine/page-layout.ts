import { readSync } from 'node:fs';
import { EngineError } from '../../runtime/engine/error.ts';

// The layout of an LMDB file: pages of one size, the first two with the roots of all trees.

const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** Bytes before the row offsets of a page. */
export const PAGE_HEAD_BYTES = 24;
const META_BYTES = 0xa0;
/** Bytes before the key of a row. */
export const NODE_HEAD_BYTES = 8;
/** Bytes of the description of a tree. */
export const TREE_BYTES = 48;
/** Bytes that a row has in place of a value on pages of its own. */
export const OVERFLOW_BYTES = 24;
/** Most levels of a tree. */
export const DEPTH_MAX = 32;
const NO_ROOT = 2n ** 64n - 1n;
/** Types of pages. */
export const PAGE = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
/** Flags of a row: its value has pages of its own, or describes a tree. */
export const NODE = { isLong: 1, isTree: 2 } as const;

/** Creates the error for a damaged place. */
export function createDamageError(message: string): EngineError {
  return new EngineError('STORE_FAILED', message);
}

/** The free list is keyed by commit numbers, in the machine's byte order. */
export type TreeKind = 'free' | 'main' | 'named';

/** Flags that say how keys compare and whether they repeat. */
const KEY_FLAGS = 0x7e;
/** The keys of the free list are numbers. */
const TREE_FLAGS: Readonly<Record<TreeKind, number>> = { free: 8, main: 0, named: 0 };

/** A tree as described by its parent. */
export interface Tree {
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly longPages: number;
  readonly entries: number;
  readonly root: number | undefined;
  readonly kind: TreeKind;
  /** Name of a table; empty for the others. */
  readonly name: string;
  /** Counts found so far. */
  readonly counted: { branches: number; leaves: number; longPages: number; entries: number };
}

/** A meta page. */
export interface MetaPage {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  /** The free pages, and the list of tables. */
  readonly trees: readonly [Tree, Tree];
}

/**
 * Reads both meta pages of an LMDB file. They have no checksum, so they are compared with each
 * other and with the pages that they lead to: a change of one number shows in one of them.
 *
 * @returns The newer one. The older one would lose a commit.
 * @throws {EngineError} `STORE_FAILED` that names the damage.
 */
export function readMetaPages(handle: number, sizeBytes: number): MetaPage {
  if (sizeBytes === 0) throw createDamageError('The file is empty.');
  const first = readMetaPage(handle, 0, 0);
  const second = readMetaPage(handle, first.pageBytes, 1);
  const [older, newer] = first.transaction < second.transaction ? [first, second] : [second, first];
  for (const [page, meta] of [first, second].entries()) {
    checkCommit(handle, meta, { page, newest: newer.transaction });
  }
  // Each commit replaces the older of the two; a compact copy has one only.
  const isCopy = older.transaction === 0n && older.trees[1].root === undefined;
  if (newer.transaction - older.transaction > 1n && !isCopy) {
    const numbers = `${older.transaction} and ${newer.transaction}`;
    throw createDamageError(`The meta pages have the commits ${numbers}; they must be neighbours.`);
  }
  return newer;
}

/** Each commit writes the list of tables, and the meta page of its own parity. */
function checkCommit(
  handle: number,
  { pageBytes, transaction, trees }: MetaPage,
  { page, newest }: { readonly page: number; readonly newest: bigint },
): void {
  const { root } = trees[1];
  const isFirst = transaction === 0n && root === undefined;
  if (!isFirst && transaction % 2n !== BigInt(page)) {
    throw createDamageError(`Meta page ${page} has the commit ${transaction} of the other.`);
  }
  if (root === undefined) return;
  const written = readPageCommit(handle, root * pageBytes);
  // A compact copy numbers all its pages 1, and has no free ones.
  const isCopied = written === 1n && trees[0].root === undefined;
  // A commit that did not end can have used the pages of the older meta page.
  const isReused = transaction < newest && written === newest + 1n;
  if (written === transaction || isCopied || isReused) return;
  throw createDamageError(
    `Meta page ${page} has the commit ${transaction}, and its tables are of commit ${written}.`,
  );
}

/** Returns the number of the commit that wrote a page; 0 if the file ends before it. */
function readPageCommit(handle: number, at: number): bigint {
  const head = Buffer.alloc(PAGE_HEAD_BYTES);
  readSync(handle, head, 0, PAGE_HEAD_BYTES, at);
  return head.readBigUInt64LE(8);
}

/** Whether one meta page is newer than another of the same file, as far as their tables show. */
export function isNewerMeta(handle: number, one: MetaPage, other: MetaPage): boolean {
  const [written, otherWritten] = [one, other].map(({ pageBytes, transaction, trees }) => {
    const { root } = trees[1];
    return root === undefined ? transaction : readPageCommit(handle, root * pageBytes);
  }) as [bigint, bigint];
  const isSound = written === one.transaction;
  const isOtherSound = otherWritten === other.transaction;
  if (isSound === isOtherSound) return one.transaction > other.transaction;
  // A damaged number of a commit leaves its tables as they are.
  if (isSound) return otherWritten !== one.transaction + 1n;
  return written === other.transaction + 1n;
}

/** Decodes the name of a table. Some versions of the driver end it with a zero. */
export function readTableName(key: Buffer): string {
  const name = key.toString();
  return name.endsWith('\0') ? name.slice(0, -1) : name;
}

/**
 * Reads one of the two meta pages of an LMDB file.
 *
 * @param at - Position in the file, in bytes.
 * @throws {EngineError} `STORE_FAILED` that names the damage.
 */
export function readMetaPage(handle: number, at: number, page: number): MetaPage {
  const bytes = Buffer.alloc(META_BYTES);
  const found = readSync(handle, bytes, 0, META_BYTES, at);
  if (found < META_BYTES) {
    throw createDamageError(`The file ends after ${at + found} bytes, within meta page ${page}.`);
  }
  const isHead =
    bytes.readUInt16LE(18) === PAGE.meta &&
    bytes.readUInt32LE(24) === MAGIC &&
    (bytes.readUInt32LE(28) & 0xffff) === VERSION;
  if (!isHead) throw createDamageError(`Page ${page} is not an LMDB meta page.`);
  const pageBytes = bytes.readUInt32LE(48);
  const isSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  if (!isSize || (page === 1 && at !== pageBytes)) {
    throw createDamageError(`Meta page ${page} has the page size ${pageBytes}.`);
  }
  const lastPage = readCount(bytes, 144, `Meta page ${page}`);
  const mapBytes = readCount(bytes, 40, `Meta page ${page}`);
  if (lastPage < 1 || (lastPage + 1) * pageBytes > mapBytes) {
    throw createDamageError(`Meta page ${page} has the invalid last page ${lastPage}.`);
  }
  const trees = [readTree(bytes, 48, 'free'), readTree(bytes, 96, 'main')] as const;
  return { pageBytes, lastPage, transaction: bytes.readBigUInt64LE(152), trees };
}

/** Reads the description of a tree. */
export function readTree(bytes: Buffer, at: number, kind: TreeKind, name = ''): Tree {
  const root = bytes.readBigUInt64LE(at + 40);
  const flags = bytes.readUInt16LE(at + 4);
  if ((flags & KEY_FLAGS) !== TREE_FLAGS[kind]) {
    throw createDamageError(`A tree has the invalid flags ${flags}.`);
  }
  return {
    depth: bytes.readUInt16LE(at + 6),
    branches: readCount(bytes, at + 8, 'A tree'),
    leaves: readCount(bytes, at + 16, 'A tree'),
    longPages: readCount(bytes, at + 24, 'A tree'),
    entries: readCount(bytes, at + 32, 'A tree'),
    root: root === NO_ROOT ? undefined : readCount(bytes, at + 40, 'A tree'),
    kind,
    name,
    counted: { branches: 0, leaves: 0, longPages: 0, entries: 0 },
  };
}

/** Reads an 8-byte number; any number above 2^53 indicates damage. */
export function readCount(bytes: Buffer, at: number, of: string): number {
  const found = bytes.readBigUInt64LE(at);
  if (found > BigInt(Number.MAX_SAFE_INTEGER))
    throw createDamageError(`${of} has the number ${found}.`);
  return Number(found);
}
