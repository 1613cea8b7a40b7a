import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  createDamageError,
  DEPTH_MAX,
  isNewerMeta,
  type MetaPage,
  NODE,
  NODE_HEAD_BYTES,
  OVERFLOW_BYTES,
  PAGE,
  PAGE_HEAD_BYTES,
  readCount,
  readMetaPage,
  readTableName,
  readTree,
  TREE_BYTES,
  type Tree,
} from '../engine/page-layout.ts';

/** A row as the file holds it. */
export interface PageRow {
  readonly page: number;
  readonly row: number;
  readonly key: Buffer;
  /** Absent if the value is damaged: `fault` says how. */
  readonly value?: Buffer;
  readonly fault?: string;
}

/** Rows that cannot be read. */
export interface PageGap {
  readonly page: number;
  readonly fault: string;
  /** Their keys are from this one on; absent for the start of the tree. */
  readonly from?: Buffer;
  /** Their keys are before this one; absent for the end of the tree. */
  readonly before?: Buffer;
}

/** Where a page hangs in its tree. */
interface Place {
  readonly page: number;
  readonly depth: number;
  readonly from: Buffer | undefined;
  readonly before: Buffer | undefined;
}

/** A node of a page, as offsets. */
interface Node {
  readonly key: Buffer;
  readonly flags: number;
  readonly size: number;
  readonly keyEnd: number;
}

/**
 * Reads the trees of an LMDB file as bytes, past damaged pages, which LMDB cannot do. Writes
 * nothing. Pages below a damaged branch page are not found.
 */
export class PageReader {
  /** Damage of the meta pages. */
  readonly faults: readonly string[];
  readonly #handle: number;
  readonly #sizeBytes: number;
  readonly #head: MetaPage | undefined;
  /** Pages read so far, because no page has two parents. */
  readonly #seen: Uint8Array;

  constructor(file: string) {
    this.#handle = openSync(file, 'r');
    this.#sizeBytes = fstatSync(this.#handle).size;
    const faults: string[] = [];
    this.#head = this.#readHead(faults);
    this.faults = faults;
    const pages = this.#head === undefined ? 0 : this.#sizeBytes / this.#head.pageBytes;
    this.#seen = new Uint8Array(Math.ceil(pages / 8));
  }

  close(): void {
    closeSync(this.#handle);
  }

  /** Number of the commit that is read, if a meta page is readable. */
  get commit(): string | undefined {
    return this.#head === undefined ? undefined : String(this.#head.transaction);
  }

  /**
   * Finds the named tables.
   *
   * @param onGap - Called for each part of their list that cannot be read.
   */
  tables(onGap: (gap: PageGap) => void): ReadonlyMap<string, Tree> {
    const found = new Map<string, Tree>();
    const main = this.#head?.trees[1];
    if (main === undefined) return found;
    for (const each of this.read(main)) {
      if ('row' in each && each.value?.length === TREE_BYTES) {
        try {
          const name = readTableName(each.key);
          found.set(name, readTree(each.value, 0, 'named', name));
        } catch (thrown) {
          onGap({ page: each.page, fault: describe(thrown), from: each.key });
        }
      } else if (!('row' in each)) onGap(each);
    }
    return found;
  }

  /** Yields the rows of a tree in order, and a gap in the place of those that cannot be read. */
  read({ root, depth }: Tree): Iterable<PageRow | PageGap> {
    if (root === undefined) return [];
    return this.#readPage({ page: root, depth, from: undefined, before: undefined });
  }

  /** The newer of the readable meta pages; the trees of the older one are whole as well. */
  #readHead(faults: string[]): MetaPage | undefined {
    const first = this.#tryMetaPage(0, 0, faults);
    const pageBytes = first?.pageBytes ?? 4_096;
    const second = this.#tryMetaPage(pageBytes, 1, faults);
    if (first === undefined || second === undefined) return first ?? second;
    return isNewerMeta(this.#handle, first, second) ? first : second;
  }

  #tryMetaPage(at: number, page: number, faults: string[]): MetaPage | undefined {
    try {
      return readMetaPage(this.#handle, at, page);
    } catch (thrown) {
      faults.push(describe(thrown));
      return undefined;
    }
  }

  *#readPage(place: Place): Iterable<PageRow | PageGap> {
    const { page, depth } = place;
    const bytes = this.#tryReadBytes(page, depth);
    if (typeof bytes === 'string') {
      yield toGap(page, bytes, place);
      return;
    }
    for (const { row, node, from, before } of readNodes(bytes, place)) {
      if (typeof node === 'string') {
        yield toGap(page, `row ${row} of page ${page} is ${node}`, { from, before });
      } else if (depth === 1) yield this.#readRow(bytes, { page, row, node });
      else {
        const child = node.size + node.flags * 2 ** 32;
        yield* this.#readPage({ page: child, depth: depth - 1, from, before });
      }
    }
  }

  /** Returns the bytes of a page, or what is wrong with it. */
  #tryReadBytes(page: number, depth: number): Buffer | string {
    try {
      return this.#readBytes(page, depth);
    } catch (thrown) {
      return describe(thrown);
    }
  }

  #readRow(
    bytes: Buffer,
    { page, row, node }: { readonly page: number; readonly row: number; readonly node: Node },
  ): PageRow {
    const { key, flags, size, keyEnd } = node;
    const found = { page, row, key };
    const isLong = (flags & NODE.isLong) !== 0;
    if (keyEnd + (isLong ? OVERFLOW_BYTES : size) > bytes.length) {
      return { ...found, fault: 'its value lies outside the page' };
    }
    if (!isLong) return { ...found, value: bytes.subarray(keyEnd, keyEnd + size) };
    try {
      return { ...found, value: this.#readLongValue(readCount(bytes, keyEnd, 'A row'), size) };
    } catch (thrown) {
      return { ...found, fault: describe(thrown) };
    }
  }

  #readLongValue(page: number, sizeBytes: number): Buffer {
    const pageBytes = this.#head?.pageBytes ?? 0;
    const at = page * pageBytes;
    if (at + PAGE_HEAD_BYTES + sizeBytes > this.#sizeBytes) {
      throw createDamageError(`the file ends before its value on page ${page}`);
    }
    const bytes = Buffer.alloc(PAGE_HEAD_BYTES + sizeBytes);
    readSync(this.#handle, bytes, 0, bytes.length, at);
    if (bytes.readUInt16LE(18) !== PAGE.overflow || bytes.readBigUInt64LE(0) !== BigInt(page)) {
      throw createDamageError(`page ${page} does not hold its value`);
    }
    return bytes.subarray(PAGE_HEAD_BYTES);
  }

  #readBytes(page: number, depth: number): Buffer {
    const pageBytes = this.#head?.pageBytes ?? 0;
    if (depth < 1 || depth > DEPTH_MAX) throw createDamageError(`a tree has the depth ${depth}`);
    if (page < 2 || (page + 1) * pageBytes > this.#sizeBytes) {
      throw createDamageError(`the file has no page ${page}`);
    }
    const [at, bit] = [page >> 3, 1 << (page & 7)];
    const isSeen = ((this.#seen[at] ?? 0) & bit) !== 0;
    if (isSeen) throw createDamageError(`two places refer to page ${page}`);
    this.#seen[at] = (this.#seen[at] ?? 0) | bit;
    const bytes = Buffer.alloc(pageBytes);
    readSync(this.#handle, bytes, 0, pageBytes, page * pageBytes);
    const isPage =
      bytes.readUInt16LE(18) === (depth > 1 ? PAGE.branch : PAGE.leaf) &&
      bytes.readBigUInt64LE(0) === BigInt(page);
    if (!isPage) throw createDamageError(`page ${page} has no valid head`);
    const lower = bytes.readUInt16LE(20);
    if (lower % 2 !== 0 || lower > bytes.length - PAGE_HEAD_BYTES) {
      throw createDamageError(`page ${page} has the invalid bound ${lower}`);
    }
    return bytes;
  }
}

/** Yields the nodes of a page, or what is wrong with one, and the range of the keys below it. */
function* readNodes(
  bytes: Buffer,
  place: Place,
): Iterable<
  Pick<Place, 'from' | 'before'> & { readonly row: number; readonly node: Node | string }
> {
  const rows = bytes.readUInt16LE(20) / 2;
  let last: Buffer | undefined;
  for (let row = 0; row < rows; row += 1) {
    // The first key of a branch page is empty.
    const isFirst = place.depth > 1 && row === 0;
    const node = readNode(bytes, row);
    const before = readNextKey(bytes, row, rows) ?? place.before;
    if (node === undefined || !(isFirst || isWithin(node.key, last, place))) {
      const fault = node === undefined ? 'outside the page' : 'out of order';
      yield { row, node: fault, from: last ?? place.from, before };
      continue;
    }
    yield { row, node, from: isFirst ? place.from : node.key, before };
    if (!isFirst) last = node.key;
  }
}

function readNextKey(bytes: Buffer, row: number, rows: number): Buffer | undefined {
  return row + 1 < rows ? readNode(bytes, row + 1)?.key : undefined;
}

function readNode(bytes: Buffer, row: number): Node | undefined {
  const start = PAGE_HEAD_BYTES + bytes.readUInt16LE(PAGE_HEAD_BYTES + 2 * row);
  if (start + NODE_HEAD_BYTES > bytes.length) return undefined;
  const keyEnd = start + NODE_HEAD_BYTES + bytes.readUInt16LE(start + 6);
  if (keyEnd > bytes.length) return undefined;
  const key = bytes.subarray(start + NODE_HEAD_BYTES, keyEnd);
  return { key, flags: bytes.readUInt16LE(start + 4), size: bytes.readUInt32LE(start), keyEnd };
}

/** Whether a key comes after the last one and lies between those of the parent. */
function isWithin(key: Buffer, last: Buffer | undefined, { from, before }: Place): boolean {
  const isAfter =
    last === undefined
      ? from === undefined || Buffer.compare(from, key) <= 0
      : Buffer.compare(last, key) < 0;
  return isAfter && (before === undefined || Buffer.compare(key, before) < 0);
}

function toGap(
  page: number,
  fault: string,
  { from, before }: { readonly from: Buffer | undefined; readonly before: Buffer | undefined },
): PageGap {
  return {
    page,
    fault,
    ...(from === undefined ? {} : { from }),
    ...(before === undefined ? {} : { before }),
  };
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
