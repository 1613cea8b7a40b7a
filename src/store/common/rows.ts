import type { Key } from 'lmdb';
import type { Op } from '../engine/commit-line.ts';
import type { Environment } from './environment.ts';
import type { Texts } from './table.ts';

/** A row with its key. */
export interface KeyedRow<Name extends Key, Row> {
  readonly key: Name;
  readonly row: Row;
}

/** A small table of JSON rows in an environment of several owners. */
export class Rows<Name extends Key, Row> {
  readonly #environment: Environment;
  readonly #texts: Texts;

  /** @param family - Its name; docs/retention.md and families.ts have a row for it. */
  constructor(environment: Environment, family: string) {
    this.#environment = environment;
    this.#texts = environment.texts(family);
  }

  get(key: Name): Row | undefined {
    const text = this.#texts.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as Row);
  }

  /** Rows from a key on, or before one, in the order of their keys; at most `limit`. */
  list(range: { readonly start?: Name; readonly end?: Name; readonly limit: number }) {
    const found: KeyedRow<Name, Row>[] = [];
    for (const { key, value } of this.#texts.getRange(range)) {
      found.push({ key: key as Name, row: JSON.parse(value) as Row });
    }
    return found;
  }

  /** Rows before a key and not before the least one, the last of them first; at most `limit`. */
  before(key: Name, { least, limit }: { readonly least: Name; readonly limit: number }) {
    const found: KeyedRow<Name, Row>[] = [];
    const range = { start: key, end: least, limit: limit + 1, reverse: true, inclusiveEnd: true };
    for (const { key: name, value } of this.#texts.getRange(range)) {
      // A range begins with its first key, where that is there.
      if (sameKey(name, key) || found.length === limit) continue;
      found.push({ key: name as Name, row: JSON.parse(value) as Row });
    }
    return found;
  }

  /** Rows in a range of keys. */
  countIn(range: { readonly start: Name; readonly end: Name }): number {
    // The driver writes into what it is given.
    return this.#texts.count({ ...range });
  }

  /** The change that puts a row, for a commit of several tables; without a row it goes. */
  change(key: Name, row?: Row): Op {
    const op = { db: this.#texts, key };
    return row === undefined ? op : { ...op, text: JSON.stringify(row) };
  }

  /** Resolves when the disk has it. */
  put(key: Name, row: Row): Promise<void> {
    return this.#environment.commit([this.change(key, row)]);
  }

  /** Removes rows in one commit; those that are not there do not matter. */
  remove(keys: readonly Name[]): Promise<void> {
    return this.#environment.commit(keys.map((key) => this.change(key)));
  }

  /** How many there are; nothing is walked. */
  count(): number {
    return this.#texts.size().rows;
  }
}

function sameKey(one: Key, other: Key): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
