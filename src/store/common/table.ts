import { asBinary, type Database, type Key, type RangeOptions } from 'lmdb';
import type { TextsOptions } from './open-lmdb.ts';

/** A row as it is read. */
export interface Row {
  readonly key: Key;
  readonly value: string;
}

/**
 * A database of texts under keys that sort by their parts, numbers as numbers. It stays the same
 * while the file below it is replaced. A reader may meet a file that lacks it: then it is empty.
 */
export class Texts {
  readonly name: string;
  readonly options: TextsOptions;
  #database: Database<string, Key> | undefined;

  constructor(name: string, options: TextsOptions = {}) {
    this.name = name;
    this.options = options;
  }

  /** Reads and writes go to `database` from now on. */
  attach(database: Database<string, Key> | undefined): void {
    this.#database = database;
  }

  get(key: Key): string | undefined {
    return this.#database?.get(key);
  }

  /** A row that was written as bytes. */
  getBytes(key: Key): Uint8Array | undefined {
    return this.#database?.getBinary(key);
  }

  getRange(options: RangeOptions = {}): Iterable<Row> {
    return this.#database?.getRange(options) ?? [];
  }

  getKeys(options: RangeOptions = {}): Iterable<Key> {
    return this.#database?.getKeys(options) ?? [];
  }

  /** Rows in a range of keys. */
  count(options: RangeOptions): number {
    return this.#database?.getKeysCount(options) ?? 0;
  }

  /** Rows in all, and pages of the file that hold them; nothing is walked. */
  size(): TreeSize {
    return treeSize(this.#database);
  }

  /** Pages of the file that hold its rows. */
  pages(): number {
    return this.size().pages;
  }

  /** Changes a row, as a part of the commit that is being made; without `text` it goes. */
  change(key: Key, text: string | Uint8Array | undefined): void {
    if (this.#database === undefined) return;
    // One promise stands for the whole commit; those of its parts settle with it.
    changeRow(this.#database, key, text).catch(() => undefined);
  }
}

/** Puts a row, as a text or as bytes, or removes it. */
export function changeRow(
  database: Database<string, Key>,
  key: Key,
  text: string | Uint8Array | undefined,
): Promise<boolean> {
  if (text === undefined) return database.remove(key);
  if (typeof text === 'string') return database.put(key, text);
  return database.put(key, bytesValue(text));
}

// The driver takes bytes for any value, whatever the database's encoding; its types do not say so.
function bytesValue(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return asBinary(buffer) as unknown as string;
}

/** How large one database is. */
export interface TreeSize {
  readonly rows: number;
  readonly pages: number;
}

/** The size of a database, as LMDB keeps it; of none, nothing. */
export function treeSize(database: Database<string, Key> | undefined): TreeSize {
  const stats = database?.getStats() as TreeStats | undefined;
  return stats === undefined ? NOTHING : { rows: stats.entryCount, pages: pagesOf(stats) };
}

const NOTHING: TreeSize = { rows: 0, pages: 0 };

/** What LMDB says of one tree of pages. */
export interface TreeStats {
  readonly entryCount: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Pages of one tree. */
export function pagesOf(stats: TreeStats): number {
  return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
}
