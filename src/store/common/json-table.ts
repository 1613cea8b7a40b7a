import type { Key } from 'lmdb';
import type { Op } from '../engine/commit-queue.ts';
import type { Environment } from './environment.ts';
import type { TextTable } from './text-table.ts';

/** A row with its key. */
export interface KeyedRow<Name extends Key, Row> {
  readonly key: Name;
  readonly row: Row;
}

/** A small table of JSON rows in an environment that several owners share. */
export class JsonTable<Name extends Key, Row> {
  readonly #environment: Environment;
  readonly #texts: TextTable;

  /** @param family - Its name, which families.ts must list. */
  constructor(environment: Environment, family: string) {
    this.#environment = environment;
    this.#texts = environment.openTable(family);
  }

  get(key: Name): Row | undefined {
    const text = this.#texts.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as Row);
  }

  /** Returns at most `limit` rows in a range of keys, in key order. */
  list(range: { readonly start?: Name; readonly end?: Name; readonly limit: number }) {
    const found: KeyedRow<Name, Row>[] = [];
    for (const { key, value } of this.#texts.getRange(range)) {
      found.push({ key: key as Name, row: JSON.parse(value) as Row });
    }
    return found;
  }

  /** Returns at most `limit` rows before `key` and from `least` on, in descending order. */
  before(key: Name, { least, limit }: { readonly least: Name; readonly limit: number }) {
    const found: KeyedRow<Name, Row>[] = [];
    const range = { start: key, end: least, limit: limit + 1, reverse: true, inclusiveEnd: true };
    for (const { key: name, value } of this.#texts.getRange(range)) {
      // A range includes its first key if it exists.
      if (isSameKey(name, key) || found.length === limit) continue;
      found.push({ key: name as Name, row: JSON.parse(value) as Row });
    }
    return found;
  }

  /** Returns the number of rows in a range of keys. */
  countIn(range: { readonly start: Name; readonly end: Name }): number {
    // The driver modifies its argument.
    return this.#texts.count({ ...range });
  }

  /**
   * Creates the change that writes a row, or removes it if `row` is absent, for a commit over
   * several tables.
   */
  change(key: Name, row?: Row): Op {
    const op = { db: this.#texts, key };
    return row === undefined ? op : { ...op, text: JSON.stringify(row) };
  }

  /** Writes a row and resolves when it is on disk. */
  put(key: Name, row: Row): Promise<void> {
    return this.#environment.commit([this.change(key, row)]);
  }

  /** Removes rows in one commit and ignores missing ones. */
  remove(keys: readonly Name[]): Promise<void> {
    return this.#environment.commit(keys.map((key) => this.change(key)));
  }

  /** Returns the number of rows without a scan. */
  count(): number {
    return this.#texts.size().rows;
  }
}

function isSameKey(one: Key, other: Key): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
