import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { EngineError } from '../../runtime/engine/error.ts';
import { PageUse } from './free-pages.ts';
import {
  createDamageError,
  DEPTH_MAX,
  type MetaPage,
  NODE,
  NODE_HEAD_BYTES,
  OVERFLOW_BYTES,
  PAGE,
  PAGE_HEAD_BYTES,
  readCount,
  readMetaPages,
  readTableName,
  readTree,
  TREE_BYTES,
  type Tree,
  type TreeKind,
} from './page-layout.ts';
import type { RowCheck } from './row-check.ts';

/** Result of a check. */
export interface FileCheck {
  /** The damage found, if any. */
  readonly fault: string | undefined;
  /** Number of the last commit, if the meta pages are readable. */
  readonly commit?: string;
}

/** What of a file is checked. */
export interface FileCheckOptions {
  /** Checks the meta pages only. */
  readonly isMetaOnly?: boolean;
  /** Gets each row. */
  readonly rows?: RowCheck;
}

/**
 * Checks the page trees of an LMDB file before LMDB maps it into memory, where a truncated or
 * damaged page would end the process, and a page that is used twice would lose rows later. Reads
 * the whole file as bytes and writes nothing.
 */
export function checkFile(path: string, options: FileCheckOptions = {}): FileCheck {
  const handle = openSync(path, 'r');
  let checker: FileChecker | undefined;
  try {
    checker = new FileChecker(handle, options.rows);
    if (options.isMetaOnly !== true) checker.run();
    return { fault: undefined, commit: checker.commit };
  } catch (thrown) {
    const fault = describeDamage(thrown);
    if (fault === undefined) throw thrown;
    return checker === undefined ? { fault } : { fault, commit: checker.commit };
  } finally {
    closeSync(handle);
  }
}

function describeDamage(thrown: unknown): string | undefined {
  if (thrown instanceof EngineError && thrown.code === 'STORE_FAILED') return thrown.message;
  if (thrown instanceof RangeError) return `A page has an invalid length: ${thrown.message}.`;
  return undefined;
}

const PAGE_NAMES: Readonly<Record<number, string>> = {
  [PAGE.branch]: 'a branch page',
  [PAGE.leaf]: 'a leaf page',
  [PAGE.overflow]: 'an overflow page',
  [PAGE.meta]: 'a meta page',
};

/** Most rows of a page: each takes its offset, and an even number of bytes. */
const ROWS_MAX = 65_536 / 10;
/** A row's place in its page in one number: its start, then its end. */
const PLACE_FACTOR = 2 ** 17;

interface Step {
  readonly page: number;
  readonly depth: number;
  readonly tree: Tree;
  /** The parent's keys before and after the page. */
  readonly from?: Buffer | undefined;
  readonly before?: Buffer | undefined;
}

/** A row of a page, as positions in the page. */
interface Node {
  readonly row: number;
  readonly start: number;
  readonly keyEnd: number;
  readonly flags: number;
  readonly size: number;
}

class FileChecker {
  readonly #handle: number;
  readonly #rows: RowCheck | undefined;
  readonly #sizeBytes: number;
  readonly #steps: Step[] = [];
  readonly #trees: Tree[] = [];
  readonly #head: MetaPage;
  readonly #use: PageUse;
  readonly #bytes: Buffer;
  readonly #places = new Float64Array(ROWS_MAX);

  constructor(handle: number, rows: RowCheck | undefined) {
    this.#handle = handle;
    this.#rows = rows;
    this.#sizeBytes = fstatSync(handle).size;
    this.#head = readMetaPages(handle, this.#sizeBytes);
    const { pageBytes, lastPage } = this.#head;
    this.#use = new PageUse(lastPage, Math.ceil(this.#sizeBytes / pageBytes));
    this.#bytes = Buffer.alloc(pageBytes);
  }

  get commit(): string {
    return String(this.#head.transaction);
  }

  run(): void {
    for (const tree of this.#head.trees) this.#addTree(tree);
    // Pages before those that they lead to would need the memory of a whole level of a tree.
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      this.#checkPage(step);
    }
    for (const tree of this.#trees) compareCounts(tree);
    this.#use.compare();
    this.#rows?.finish();
  }

  #addTree(tree: Tree): void {
    const { root, depth, entries } = tree;
    if (depth > DEPTH_MAX || (root === undefined) !== (depth === 0)) {
      throw createDamageError(`A tree with ${entries} rows has the invalid depth ${depth}.`);
    }
    this.#trees.push(tree);
    if (tree.kind === 'named') this.#rows?.addTable(tree.name);
    if (root !== undefined) this.#steps.push({ page: root, depth, tree });
  }

  #checkPage(step: Step): void {
    const { page, depth, tree } = step;
    this.#use.add(page, 1);
    const bytes = this.#bytes;
    const read = readSync(this.#handle, bytes, 0, bytes.length, page * bytes.length);
    if (read < bytes.length) throw this.#createTruncationError(page);
    this.#checkPageHead(page, bytes, depth > 1 ? PAGE.branch : PAGE.leaf);
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    if (lower % 2 !== 0 || lower > upper || upper > bytes.length - PAGE_HEAD_BYTES) {
      throw createDamageError(`Page ${page} has the invalid bounds ${lower} and ${upper}.`);
    }
    const rows = lower / 2;
    if (depth > 1) tree.counted.branches += 1;
    else {
      tree.counted.leaves += 1;
      tree.counted.entries += rows;
    }
    if (rows > ROWS_MAX) throw createDamageError(`Page ${page} has ${rows} rows.`);
    if (depth > 1) this.#checkBranch(step, rows, upper);
    else this.#checkLeaf(step, rows, upper);
    this.#checkOverlap(page, rows);
  }

  #checkBranch({ page, depth, tree, from, before }: Step, rows: number, upper: number): void {
    const nodes = Array.from({ length: rows }, (_, row) => {
      const node = this.#readNode(page, row, upper);
      this.#places[row] = toPlace(node, node.keyEnd);
      const key = Buffer.from(this.#bytes.subarray(node.start + NODE_HEAD_BYTES, node.keyEnd));
      return { ...node, key };
    });
    // The first key of a branch page is never read.
    let last = from;
    for (const { key, row } of nodes.slice(1)) {
      if (!isBetween(tree.kind, key, { last, before, isLastAllowed: row === 1 })) {
        throw createOrderError(row, page);
      }
      last = key;
    }
    for (const [row, { size, flags, key }] of nodes.entries()) {
      const range = { from: row === 0 ? from : key, before: nodes[row + 1]?.key ?? before };
      this.#steps.push({ page: size + flags * 2 ** 32, depth: depth - 1, tree, ...range });
    }
  }

  #checkLeaf({ page, tree, from, before }: Step, rows: number, upper: number): void {
    const bytes = this.#bytes;
    let last = from;
    for (let row = 0; row < rows; row += 1) {
      const node = this.#readNode(page, row, upper);
      const { start, keyEnd, flags, size } = node;
      const key = bytes.subarray(start + NODE_HEAD_BYTES, keyEnd);
      // Keys ascend, so the last one is the only one to compare with the end.
      const end = row === rows - 1 ? before : undefined;
      if (!isBetween(tree.kind, key, { last, before: end, isLastAllowed: row === 0 })) {
        throw createOrderError(row, page);
      }
      last = key;
      const valueEnd = keyEnd + (flags === NODE.isLong ? OVERFLOW_BYTES : size);
      if (valueEnd > bytes.length) throw createRowError(row, page);
      this.#places[row] = toPlace(node, valueEnd);
      this.#checkValue({ page, tree, key }, node, bytes.subarray(keyEnd, valueEnd));
    }
  }

  #checkValue(
    { page, tree, key }: { readonly page: number; readonly tree: Tree; readonly key: Buffer },
    { row, flags, size }: Node,
    stored: Buffer,
  ): void {
    const isLong = flags === NODE.isLong;
    const isTree = flags === NODE.isTree && tree.kind === 'main';
    if (flags !== 0 && !isLong && !isTree) {
      throw createDamageError(`Row ${row} of page ${page} has the unknown flags ${flags}.`);
    }
    if (isTree) {
      if (size !== TREE_BYTES) throw createRowError(row, page);
      this.#addTree(readTree(stored, 0, 'named', readTableName(key)));
      return;
    }
    const isRead = tree.kind === 'free' || (this.#rows !== undefined && tree.kind === 'named');
    const value = isLong ? this.#checkOverflow(tree, stored, { size, isRead }) : stored;
    if (tree.kind === 'free') this.#use.readFree(value);
    else if (tree.kind === 'named') {
      this.#rows?.add({ page, row, family: tree.name, key, value });
    }
  }

  /** @returns The value if it is read, else nothing. */
  #checkOverflow(
    tree: Tree,
    stored: Buffer,
    { size, isRead }: { readonly size: number; readonly isRead: boolean },
  ): Buffer {
    const page = readCount(stored, 0, 'A row');
    const pages = readCount(stored, 16, 'A row');
    const { pageBytes } = this.#head;
    // A value that was shortened keeps its pages.
    if (pages * pageBytes < PAGE_HEAD_BYTES + size) {
      throw createDamageError(`A value of ${size} bytes has only ${pages} pages.`);
    }
    this.#use.add(page, pages);
    const at = page * pageBytes;
    if (at + PAGE_HEAD_BYTES + size > this.#sizeBytes) throw this.#createTruncationError(page);
    const bytes = Buffer.alloc(PAGE_HEAD_BYTES + (isRead ? size : 0));
    readSync(this.#handle, bytes, 0, bytes.length, at);
    this.#checkPageHead(page, bytes, PAGE.overflow);
    const counted = bytes.readUInt32LE(20);
    if (counted !== pages) {
      throw createDamageError(`Page ${page} counts ${counted} pages; expected ${pages}.`);
    }
    tree.counted.longPages += pages;
    return bytes.subarray(PAGE_HEAD_BYTES);
  }

  #readNode(page: number, row: number, upper: number): Node {
    const bytes = this.#bytes;
    const offset = bytes.readUInt16LE(PAGE_HEAD_BYTES + 2 * row);
    const start = PAGE_HEAD_BYTES + offset;
    if (offset < upper || start + NODE_HEAD_BYTES > bytes.length) throw createRowError(row, page);
    const keyEnd = start + NODE_HEAD_BYTES + bytes.readUInt16LE(start + 6);
    if (keyEnd > bytes.length) throw createRowError(row, page);
    const [flags, size] = [bytes.readUInt16LE(start + 4), bytes.readUInt32LE(start)];
    return { row, start, keyEnd, flags, size };
  }

  /** A change of a row would move what overlaps it. */
  #checkOverlap(page: number, rows: number): void {
    const places = this.#places.subarray(0, rows).sort();
    let end = 0;
    for (const place of places) {
      if (Math.floor(place / PLACE_FACTOR) < end) {
        throw createDamageError(`Two rows of page ${page} overlap.`);
      }
      end = place % PLACE_FACTOR;
    }
  }

  #checkPageHead(page: number, bytes: Buffer, kind: number): void {
    const found = bytes.readUInt16LE(18);
    if (found !== kind) {
      const name = PAGE_NAMES[found] ?? `of an unknown type (${found})`;
      throw createDamageError(`Page ${page} is ${name}; it must be ${PAGE_NAMES[kind]}.`);
    }
    const named = bytes.readBigUInt64LE(0);
    if (named !== BigInt(page)) throw createDamageError(`Page ${page} has the number ${named}.`);
    if (bytes.readBigUInt64LE(8) > this.#head.transaction) {
      throw createDamageError(`Page ${page} is newer than the meta page.`);
    }
  }

  #createTruncationError(page: number): EngineError {
    return createDamageError(
      `The file ends after ${this.#sizeBytes} bytes, before the end of page ${page}.`,
    );
  }
}

function createRowError(row: number, page: number): EngineError {
  return createDamageError(`Row ${row} of page ${page} lies outside the page.`);
}

function createOrderError(row: number, page: number): EngineError {
  return createDamageError(`Row ${row} of page ${page} is out of order.`);
}

function toPlace({ start }: Node, end: number): number {
  return start * PLACE_FACTOR + end;
}

function compareCounts({ counted, ...declared }: Tree): void {
  for (const what of ['branches', 'leaves', 'longPages', 'entries'] as const) {
    if (declared[what] === counted[what]) continue;
    throw createDamageError(`A tree has ${counted[what]} ${what}; expected ${declared[what]}.`);
  }
}

interface Neighbours {
  readonly last: Buffer | undefined;
  readonly before: Buffer | undefined;
  /** Whether the key can be equal to the one before: the parent's first key of a page. */
  readonly isLastAllowed: boolean;
}

function isBetween(kind: TreeKind, key: Buffer, { last, before, isLastAllowed }: Neighbours) {
  if (before !== undefined && !isBefore(kind, key, before)) return false;
  if (last === undefined) return true;
  return isLastAllowed ? !isBefore(kind, key, last) : isBefore(kind, last, key);
}

function isBefore(kind: TreeKind, one: Buffer, other: Buffer): boolean {
  if (kind !== 'free') return one.compare(other) < 0;
  const isNumber = one.length === 8 && other.length === 8;
  return isNumber && one.readBigUInt64LE() < other.readBigUInt64LE();
}
