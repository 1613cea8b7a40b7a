import { asBinary, type Database, type Key, type RangeOptions } from 'lmdb';
import type { EngineError } from '../../runtime/engine/error.ts';
import { damagedRowError } from '../engine/damaged-row.ts';
import { isOlderText } from '../engine/family-contents.ts';
import type { TextTableOptions } from './open-lmdb.ts';
import { isSealed, openText, sealText } from './row-checksum.ts';

/** A row as read from a table. */
export interface TextRow {
  readonly key: Key;
  readonly value: string;
}

/** A row as the file holds it. */
export interface StoredRow {
  readonly key: Key;
  /** Its text, if it has no checksum. */
  readonly unsealed?: string;
}

/**
 * A database of texts whose keys sort by their parts, numbers numerically. The object stays valid
 * when the underlying file is replaced. In read-only mode a missing database is treated as empty.
 */
export class TextTable {
  readonly name: string;
  readonly options: TextTableOptions;
  #database: Database<string, Key> | undefined;
  /** Decodes texts that a codec has encoded; absent without a codec. */
  decode: ((text: string) => string) | undefined;

  constructor(name: string, options: TextTableOptions = {}) {
    this.name = name;
    this.options = options;
  }

  /** Directs reads and writes to `database` from now on. */
  attach(database: Database<string, Key> | undefined): void {
    this.#database = database;
  }

  /** @throws {EngineError} `DATA_DAMAGED` if the row's checksum does not match. */
  get(key: Key): string | undefined {
    const text = this.#database?.get(key);
    return text === undefined ? undefined : this.#open(key, text);
  }

  /**
   * Returns a row, or `undefined` if it is missing or damaged, which is reported.
   *
   * @param isExpected - Whether a missing row is damage as well.
   */
  getWhole(key: Key, isExpected = false): string | undefined {
    const text = this.#database?.get(key);
    if (text !== undefined) return this.#openOrReport(key, text);
    if (isExpected) this.options.seals?.onDamage(this.#createError(key, 'it is missing'));
    return undefined;
  }

  /** Returns a row that was written as bytes. */
  getBytes(key: Key): Uint8Array | undefined {
    return this.#database?.getBinary(key);
  }

  /** @throws {EngineError} `DATA_DAMAGED` at a row whose checksum does not match. */
  getRange(options: RangeOptions = {}): Iterable<TextRow> {
    const rows = this.#database?.getRange(options);
    if (rows === undefined || this.options.seals === undefined) return rows ?? [];
    const checked = this.#readKeys(rows, 0);
    return mapRows(checked, ({ key, value }) => ({ key, value: this.#open(key, value) }));
  }

  /** Yields the rows of a range that are not damaged, up to `limit`; reports the others. */
  *getWholeRange({ limit, ...range }: RangeOptions = {}): Iterable<TextRow> {
    const rows = this.#database?.getRange(range) ?? [];
    let left = limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for (const { key, value } of this.#readKeys(rows, DAMAGED_KEYS_MAX)) {
      const text = this.#openOrReport(key, value);
      if (text === undefined) continue;
      yield { key, value: text };
      left -= 1;
      if (left <= 0) return;
    }
  }

  /**
   * Skips damaged keys, and reports them. Where rows have a text, a key can be read that was not
   * written: its row is damaged.
   */
  getKeys(options: RangeOptions = {}): Iterable<Key> {
    if (this.options.isKeyOnly === true) return mapRows(this.getWholeRange(options), toKey);
    const keys = this.#database?.getKeys(options) ?? [];
    return this.options.seals === undefined ? keys : this.#readKeys(keys, DAMAGED_KEYS_MAX);
  }

  /** Returns a row that has its checksum. Any other is reported, and is as good as missing. */
  getSealed(key: Key): string | undefined {
    const text = this.#database?.get(key);
    if (text === undefined || isSealed(text)) return this.getWhole(key);
    this.options.seals?.onDamage(this.#createError(key));
    return undefined;
  }

  /** Yields every row as the file holds it, with what an older program wrote without a checksum. */
  *getStored(options: RangeOptions): Iterable<StoredRow> {
    const rows = this.#database?.getRange(options) ?? [];
    for (const { key, value } of this.#readKeys(rows, DAMAGED_KEYS_MAX)) {
      if (isSealed(value)) yield { key };
      else if (isOlderText(value, this.name)) yield { key, unsealed: value };
      else {
        this.#openOrReport(key, value);
        yield { key };
      }
    }
  }

  /** Returns the number of rows in a range of keys. */
  count(options: RangeOptions): number {
    return this.#database?.getKeysCount(options) ?? 0;
  }

  /** Returns the number of rows and of the file's pages that hold them, without a scan. */
  size(): TreeSize {
    return readTreeSize(this.#database);
  }

  /** Returns the number of the file's pages that hold its rows. */
  pages(): number {
    return this.size().pages;
  }

  /** Writes a row as part of the current commit; removes it if `text` is `undefined`. */
  change(key: Key, text: string | Uint8Array | undefined): void {
    if (this.#database === undefined) return;
    // One promise represents the whole commit; the promises of its parts settle with it.
    writeRow(this.#database, key, this.encode(key, text)).catch(() => undefined);
  }

  /** Returns what the file holds for a row. */
  encode(key: Key, text: string | Uint8Array | undefined): string | Uint8Array | undefined {
    const hasSeal = this.options.seals !== undefined && typeof text === 'string';
    return hasSeal ? sealText(key, text) : text;
  }

  /**
   * Yields rows whose key the driver can decode.
   *
   * @throws {EngineError} `DATA_DAMAGED` after more than `skipsMax` others.
   */
  *#readKeys<Row>(rows: Iterable<Row>, skipsMax: number): Iterable<Row> {
    const iterator = rows[Symbol.iterator]();
    try {
      for (let skips = 0; ; ) {
        const step = tryNext(iterator);
        if (step?.done === true) return;
        if (step !== undefined) yield step.value;
        else {
          skips += 1;
          const damage = this.#createError(undefined);
          if (skips > skipsMax) throw damage;
          this.options.seals?.onDamage(damage);
        }
      }
    } finally {
      iterator.return?.();
    }
  }

  #open(key: Key, sealed: string): string {
    const text = this.#decode(key, sealed);
    if (text !== undefined) return this.#toPlain(text);
    throw this.#createError(key);
  }

  #openOrReport(key: Key, sealed: string): string | undefined {
    const text = this.#decode(key, sealed);
    if (text !== undefined) return this.#toPlain(text);
    this.options.seals?.onDamage(this.#createError(key));
    return undefined;
  }

  #toPlain(text: string): string {
    return this.decode === undefined ? text : this.decode(text);
  }

  #createError(key: Key | undefined, reason = 'its checksum does not match'): EngineError {
    const file = this.options.seals?.file ?? '';
    return damagedRowError({ file, family: this.name, key, reason });
  }

  #decode(key: Key, stored: string): string | undefined {
    const { seals } = this.options;
    if (seals === undefined) return stored;
    if (isSealed(stored) || seals.isComplete) return openText(key, stored);
    return isOlderText(stored, this.name) ? stored : undefined;
  }
}

/** Damaged keys that a read skips. */
const DAMAGED_KEYS_MAX = 1_000;

/** Returns `undefined` if the driver cannot decode the next key. */
function tryNext<Row>(iterator: Iterator<Row>): IteratorResult<Row> | undefined {
  try {
    return iterator.next();
  } catch {
    return undefined;
  }
}

function* mapRows<To>(rows: Iterable<TextRow>, map: (row: TextRow) => To): Iterable<To> {
  for (const row of rows) yield map(row);
}

function toKey({ key }: TextRow): Key {
  return key;
}

/** Writes a row, as a text or as bytes, or removes it. */
export function writeRow(
  database: Database<string, Key>,
  key: Key,
  text: string | Uint8Array | undefined,
): Promise<boolean> {
  if (text === undefined) return database.remove(key);
  if (typeof text === 'string') return database.put(key, text);
  return database.put(key, encodeBytes(text));
}

// The driver accepts bytes for any value, whatever the database's encoding, but its types do not.
function encodeBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoded: unknown = asBinary(buffer);
  return encoded as string;
}

/** Size of one database. */
export interface TreeSize {
  readonly rows: number;
  readonly pages: number;
}

/** Returns the size of a database as recorded by LMDB; zero for `undefined`. */
export function readTreeSize(database: Database<string, Key> | undefined): TreeSize {
  const stats = database?.getStats() as TreeStats | undefined;
  return stats === undefined ? EMPTY_SIZE : { rows: stats.entryCount, pages: countPages(stats) };
}

const EMPTY_SIZE: TreeSize = { rows: 0, pages: 0 };

/** LMDB's statistics of one page tree. */
export interface TreeStats {
  readonly entryCount: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Returns the number of pages of one tree. */
export function countPages(stats: TreeStats): number {
  return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
}
