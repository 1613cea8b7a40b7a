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
  /** Counts found so far. */
  readonly counted: { branches: number; leaves: number; longPages: number; entries: number };
}

/** A meta page. */
export interface MetaPage {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly trees: readonly Tree[];
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
  const trees = [readTree(bytes, 48, 'free'), readTree(bytes, 96, 'main')];
  return { pageBytes, lastPage, transaction: bytes.readBigUInt64LE(152), trees };
}

/** Reads the description of a tree. */
export function readTree(bytes: Buffer, at: number, kind: TreeKind): Tree {
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
