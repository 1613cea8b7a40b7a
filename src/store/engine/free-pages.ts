import { createDamageError, readCount } from './page-layout.ts';

const ENTRY_BYTES = 8;
const IN_USE = 1;
const FREE = 2;

/** Which pages of a file are in use and which are free; a page can be neither, and only one. */
export class PageUse {
  readonly #lastPage: number;
  /** One byte for each page that the file has. */
  readonly #uses: Uint8Array;
  /** Free pages, as first page and number of pages. */
  readonly #free: (readonly [number, number])[] = [];

  /**
   * @param lastPage - Last page according to the meta page.
   * @param filePages - Pages that the file has: free pages may be missing at its end.
   */
  constructor(lastPage: number, filePages: number) {
    this.#lastPage = lastPage;
    this.#uses = new Uint8Array(Math.min(lastPage + 1, filePages));
  }

  /** @throws {EngineError} `STORE_FAILED` if one of the pages is in use already. */
  add(page: number, pages: number): void {
    if (page < 2 || page + pages - 1 > this.#lastPage) {
      throw createDamageError(`A tree refers to page ${page} of ${this.#lastPage}.`);
    }
    const end = Math.min(page + pages, this.#uses.length);
    for (let at = page; at < end; at += 1) {
      if (this.#uses[at] !== 0) throw createDamageError(`Two trees refer to page ${at}.`);
      this.#uses[at] = IN_USE;
    }
  }

  /** Reads a list of free pages: its length, then pages, or a negative count and a first page. */
  readFree(list: Buffer): void {
    const entries = list.length < ENTRY_BYTES ? 0 : readCount(list, 0, 'A list of free pages');
    if ((entries + 1) * ENTRY_BYTES > list.length) {
      throw createDamageError(`A list of ${entries} free pages has only ${list.length} bytes.`);
    }
    for (let at = 1; at <= entries; at += 1) {
      const found = list.readBigInt64LE(at * ENTRY_BYTES);
      if (found === 0n) continue;
      const isBlock = found < 0n && at < entries;
      if (isBlock) at += 1;
      const first = isBlock ? list.readBigInt64LE(at * ENTRY_BYTES) : found;
      const pages = isBlock ? -found : 1n;
      if (first < 2n || first + pages - 1n > BigInt(this.#lastPage)) {
        throw createDamageError(`A list of free pages has the invalid page ${first} (${pages}).`);
      }
      this.#free.push([Number(first), Number(pages)]);
    }
  }

  /**
   * Compares the free pages with those in use, once all of both are known.
   *
   * @throws {EngineError} `STORE_FAILED` if a page is both, or free twice: LMDB would use it twice.
   */
  compare(): void {
    for (const [first, pages] of this.#free) {
      const end = Math.min(first + pages, this.#uses.length);
      for (let page = first; page < end; page += 1) {
        const use = this.#uses[page];
        if (use === IN_USE) throw createDamageError(`Page ${page} is in use and free.`);
        if (use === FREE) throw createDamageError(`Page ${page} is free twice.`);
        this.#uses[page] = FREE;
      }
    }
  }
}
