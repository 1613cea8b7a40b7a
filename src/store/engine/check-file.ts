import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { EngineError } from '../../runtime/engine/error.ts';
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
  readMetaPage,
  readTree,
  TREE_BYTES,
  type Tree,
  type TreeKind,
} from './page-layout.ts';

/** Maximum pages checked at a start; the upper levels of every tree come first. */
export const CHECKED_PAGES_MAX = 32_768;

/** Result of a check. */
export interface FileCheck {
  /** The damage found, if any. */
  readonly fault: string | undefined;
  /** False if the file has more pages than were checked. */
  readonly isWhole: boolean;
  /** Number of the last commit, if the meta page is readable. */
  readonly commit?: string;
}

/**
 * Checks the page trees of an LMDB file before LMDB maps it into memory, where a truncated or
 * damaged page would crash the process. Reads the file as bytes and writes nothing. Damage inside a
 * stored value is not detected.
 *
 * @param pagesMax - Maximum pages to check; all are checked if the file is shorter than its meta
 * page says.
 */
export function checkFile(path: string, pagesMax = CHECKED_PAGES_MAX): FileCheck {
  const handle = openSync(path, 'r');
  try {
    return new FileChecker(handle, pagesMax).run();
  } catch (thrown) {
    if (isDamageError(thrown)) return { fault: thrown.message, isWhole: false };
    if (thrown instanceof RangeError) {
      return { fault: `A page has an invalid length: ${thrown.message}.`, isWhole: false };
    }
    throw thrown;
  } finally {
    closeSync(handle);
  }
}

const PAGE_NAMES: Readonly<Record<number, string>> = {
  [PAGE.branch]: 'a branch page',
  [PAGE.leaf]: 'a leaf page',
  [PAGE.overflow]: 'an overflow page',
  [PAGE.meta]: 'a meta page',
};

function createRowError(row: number, page: number): EngineError {
  return createDamageError(`Row ${row} of page ${page} lies outside the page.`);
}

function isDamageError(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && thrown.code === 'STORE_FAILED';
}

interface Step {
  readonly page: number;
  readonly depth: number;
  readonly tree: Tree;
  /** The parent's keys before and after the page. */
  readonly from?: Buffer | undefined;
  readonly before?: Buffer | undefined;
}

class FileChecker {
  readonly #handle: number;
  readonly #pagesMax: number;
  readonly #sizeBytes: number;
  readonly #seen = new Set<number>();
  readonly #steps: Step[] = [];
  readonly #trees: Tree[] = [];
  /** Free pages, as first page and number of pages. */
  readonly #free: (readonly [number, number])[] = [];
  #head: MetaPage = { pageBytes: 0, lastPage: 0, transaction: 0n, trees: [] };
  #bytes: Buffer = Buffer.alloc(0);

  constructor(handle: number, pagesMax: number) {
    this.#handle = handle;
    this.#pagesMax = pagesMax;
    this.#sizeBytes = fstatSync(handle).size;
  }

  run(): FileCheck {
    this.#head = this.#readMetaPages();
    const { pageBytes, lastPage, trees } = this.#head;
    this.#bytes = Buffer.alloc(pageBytes);
    // A file may be shorter than its meta page says if only free pages are missing.
    const isShort = (lastPage + 1) * pageBytes > this.#sizeBytes;
    const pagesMax = isShort ? Number.POSITIVE_INFINITY : this.#pagesMax;
    const commit = String(this.#head.transaction);
    for (const tree of trees) this.#enqueueTree(tree);
    for (let at = 0; at < this.#steps.length; at += 1) {
      if (at >= pagesMax) return { fault: undefined, isWhole: false, commit };
      this.#checkPage(this.#steps[at] as Step);
    }
    for (const tree of this.#trees) this.#compareCounts(tree);
    this.#checkFreePages();
    return { fault: undefined, isWhole: true, commit };
  }

  /** Both meta pages are required: falling back to the older one would lose commits. */
  #readMetaPages(): MetaPage {
    if (this.#sizeBytes === 0) throw createDamageError('The file is empty.');
    const first = readMetaPage(this.#handle, 0, 0);
    const second = readMetaPage(this.#handle, first.pageBytes, 1);
    const [older, newer] = [first, second].toSorted((a, b) =>
      a.transaction < b.transaction ? -1 : 1,
    );
    if (older === undefined || newer === undefined) return first;
    // Each commit replaces the older of the two.
    if (newer.transaction - older.transaction > 1n) {
      const numbers = `${older.transaction} and ${newer.transaction}`;
      throw createDamageError(
        `The meta pages have the commits ${numbers}; they must be neighbours.`,
      );
    }
    return newer;
  }

  #enqueueTree(tree: Tree): void {
    const { root, depth, entries } = tree;
    if (depth > DEPTH_MAX || (root === undefined) !== (depth === 0)) {
      throw createDamageError(`A tree with ${entries} rows has the invalid depth ${depth}.`);
    }
    this.#trees.push(tree);
    if (root !== undefined) this.#steps.push({ page: root, depth, tree });
  }

  #checkPage({ page, depth, tree, from, before: end }: Step): void {
    this.#markSeen(page, 1);
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
    else tree.counted.leaves += 1;
    if (depth === 1) tree.counted.entries += rows;
    const firstStep = this.#steps.length;
    const keys: Buffer[] = [];
    for (let row = 0; row < rows; row += 1) {
      keys.push(Buffer.from(this.#readNode({ page, depth, tree }, row, upper)));
    }
    // The first key of a branch page is never read.
    const first = depth > 1 ? 1 : 0;
    this.#checkOrder({ page, tree, from, before: end }, keys, first);
    if (depth === 1) return;
    for (let row = 0; row < rows; row += 1) {
      const step = this.#steps[firstStep + row] as Step;
      const range = { from: row < first ? from : keys[row], before: keys[row + 1] ?? end };
      this.#steps[firstStep + row] = { ...step, ...range };
    }
  }

  #checkOrder(
    { page, tree: { kind }, from, before }: Omit<Step, 'depth'>,
    keys: readonly Buffer[],
    first: number,
  ): void {
    let last: Buffer | undefined;
    for (let row = first; row < keys.length; row += 1) {
      const key = keys[row] as Buffer;
      const isAfter =
        last === undefined
          ? from === undefined || !isBefore(kind, key, from)
          : isBefore(kind, last, key);
      if (!isAfter || (before !== undefined && !isBefore(kind, key, before))) {
        throw createDamageError(`Row ${row} of page ${page} is out of order.`);
      }
      last = key;
    }
  }

  /**
   * Checks one node of a page.
   *
   * @returns Its key, as a view of the page's bytes.
   */
  #readNode({ page, depth, tree }: Step, row: number, upper: number): Buffer {
    const bytes = this.#bytes;
    const offset = bytes.readUInt16LE(PAGE_HEAD_BYTES + 2 * row);
    const start = PAGE_HEAD_BYTES + offset;
    if (offset < upper || start + NODE_HEAD_BYTES > bytes.length) throw createRowError(row, page);
    const keyEnd = start + NODE_HEAD_BYTES + bytes.readUInt16LE(start + 6);
    if (keyEnd > bytes.length) throw createRowError(row, page);
    const key = bytes.subarray(start + NODE_HEAD_BYTES, keyEnd);
    const flags = bytes.readUInt16LE(start + 4);
    const size = bytes.readUInt32LE(start);
    if (depth > 1) {
      this.#steps.push({ page: size + flags * 2 ** 32, depth: depth - 1, tree });
      return key;
    }
    this.#readLeafNode({ page, row, tree }, { flags, size, keyEnd });
    return key;
  }

  /** Reads a list of free pages: its length, then pages, or a negative count and a first page. */
  #readFree(list: Buffer): void {
    const entries = list.length < 8 ? 0 : readCount(list, 0, 'A list of free pages');
    if ((entries + 1) * 8 > list.length) {
      throw createDamageError(`A list of ${entries} free pages has only ${list.length} bytes.`);
    }
    for (let at = 1; at <= entries; at += 1) {
      const found = list.readBigInt64LE(at * 8);
      if (found === 0n) continue;
      const isBlock = found < 0n && at < entries;
      if (isBlock) at += 1;
      const first = isBlock ? list.readBigInt64LE(at * 8) : found;
      const pages = isBlock ? -found : 1n;
      if (first < 2n || first + pages - 1n > BigInt(this.#head.lastPage)) {
        throw createDamageError(`A list of free pages has the invalid page ${first} (${pages}).`);
      }
      this.#free.push([Number(first), Number(pages)]);
    }
  }

  #checkFreePages(): void {
    for (const [first, pages] of this.#free) {
      for (let page = first; page < first + pages; page += 1) {
        if (this.#seen.has(page)) throw createDamageError(`Page ${page} is in use and free.`);
      }
    }
  }

  #readLeafNode(
    { page, row, tree }: { readonly page: number; readonly row: number; readonly tree: Tree },
    {
      flags,
      size,
      keyEnd,
    }: { readonly flags: number; readonly size: number; readonly keyEnd: number },
  ): void {
    const bytes = this.#bytes;
    const isLong = flags === NODE.isLong;
    const isTree = flags === NODE.isTree && tree.kind === 'main';
    if (flags !== 0 && !isLong && !isTree) {
      throw createDamageError(`Row ${row} of page ${page} has the unknown flags ${flags}.`);
    }
    if (keyEnd + (isLong ? OVERFLOW_BYTES : size) > bytes.length) throw createRowError(row, page);
    if (isTree && size !== TREE_BYTES) throw createRowError(row, page);
    if (isTree) this.#enqueueTree(readTree(bytes, keyEnd, 'named'));
    if (isLong) this.#checkOverflow(tree, keyEnd, size);
    if (tree.kind === 'free' && !isLong) this.#readFree(bytes.subarray(keyEnd, keyEnd + size));
  }

  #checkOverflow(tree: Tree, at: number, sizeBytes: number): void {
    const page = readCount(this.#bytes, at, 'A row');
    const pages = readCount(this.#bytes, at + 16, 'A row');
    const { pageBytes } = this.#head;
    // A value that was shortened keeps its pages.
    if (pages * pageBytes < PAGE_HEAD_BYTES + sizeBytes) {
      throw createDamageError(`A value of ${sizeBytes} bytes has only ${pages} pages.`);
    }
    this.#markSeen(page, pages);
    const head = Buffer.alloc(PAGE_HEAD_BYTES);
    readSync(this.#handle, head, 0, PAGE_HEAD_BYTES, page * pageBytes);
    const end = page * pageBytes + PAGE_HEAD_BYTES + sizeBytes;
    if (end > this.#sizeBytes) throw this.#createTruncationError(page);
    this.#checkPageHead(page, head, PAGE.overflow);
    if (head.readUInt32LE(20) !== pages) {
      throw createDamageError(
        `Page ${page} counts ${head.readUInt32LE(20)} pages; expected ${pages}.`,
      );
    }
    if (tree.kind === 'free') {
      const list = Buffer.alloc(sizeBytes);
      readSync(this.#handle, list, 0, sizeBytes, page * pageBytes + PAGE_HEAD_BYTES);
      this.#readFree(list);
    }
    tree.counted.longPages += pages;
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

  #markSeen(page: number, pages: number): void {
    const { lastPage } = this.#head;
    if (page < 2 || page + pages - 1 > lastPage) {
      throw createDamageError(`A tree refers to page ${page} of ${lastPage}.`);
    }
    for (let at = page; at < page + pages; at += 1) {
      if (this.#seen.has(at)) throw createDamageError(`Two trees refer to page ${at}.`);
      this.#seen.add(at);
    }
  }

  #createTruncationError(page: number): EngineError {
    return createDamageError(
      `The file ends after ${this.#sizeBytes} bytes, before the end of page ${page}.`,
    );
  }

  #compareCounts({ counted, ...declared }: Tree): void {
    for (const what of ['branches', 'leaves', 'longPages', 'entries'] as const) {
      if (declared[what] === counted[what]) continue;
      throw createDamageError(`A tree has ${counted[what]} ${what}; expected ${declared[what]}.`);
    }
  }
}

function isBefore(kind: TreeKind, one: Buffer, other: Buffer): boolean {
  if (kind !== 'free') return Buffer.compare(one, other) < 0;
  const isNumber = one.length === 8 && other.length === 8;
  return isNumber && one.readBigUInt64LE() < other.readBigUInt64LE();
}
