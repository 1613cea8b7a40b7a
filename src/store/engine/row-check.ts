import type { Key } from 'lmdb';
import { META_TABLE } from '../common/open-lmdb.ts';
import { checkRow, decodeKey, openText } from '../common/row-checksum.ts';
import { ENGINE_FAMILIES } from './family-contents.ts';
import { createDamageError } from './page-layout.ts';

/** Mark of a store whose rows all have a checksum; see `SealUpgrade`. */
export const SEALS_MARK = 'checksums';
/** Content of the mark when the last row has its checksum. */
export const SEALS_DONE = 'done';
/** Damaged rows that a check remembers; further ones are counted. */
const ROWS_MAX = 1_000;

/** A row as a file holds it. */
export interface FileRow {
  readonly page: number;
  readonly row: number;
  readonly family: string;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A damaged row of a file. */
export interface FileRowDamage {
  readonly page: number;
  readonly row: number;
  readonly family: string;
  /** Absent if the key itself is damaged. */
  readonly key: Key | undefined;
  readonly reason: string;
}

/** Checks the rows of an engine's tables, which a check of a file finds. */
export class RowCheck {
  /** At most 1,000. */
  readonly damaged: FileRowDamage[] = [];
  damagedCount = 0;
  readonly #tables = new Set<string>();
  readonly #unsealed: FileRowDamage[] = [];
  #unsealedCount = 0;
  #isComplete = false;

  /** Adds the name of a table. */
  addTable(name: string): void {
    this.#tables.add(name);
  }

  /** Adds a row of any table. */
  add(row: FileRow): void {
    if (!ENGINE_FAMILIES.has(row.family)) return;
    const isMark = row.family === 'marks' && decodeKey(row.key) === SEALS_MARK;
    const state = checkRow(row.key, row.value);
    if (state === 'whole') {
      if (isMark) this.#isComplete = openText(SEALS_MARK, row.value.toString()) === SEALS_DONE;
      return;
    }
    if (state === 'damaged' || isMark) {
      this.damagedCount += 1;
      keep(this.damaged, row, 'its checksum does not match');
      return;
    }
    this.#unsealedCount += 1;
    keep(this.#unsealed, row, NO_CHECKSUM);
  }

  /** Forgets the damaged rows: the file was written while it was read. */
  forget(): void {
    this.damaged.length = 0;
    this.damagedCount = 0;
  }

  /**
   * Adds the rows without a checksum to the damaged ones, unless an older program wrote them.
   *
   * @throws {EngineError} `STORE_FAILED` if the name of a table is damaged.
   */
  finish(): void {
    const renamed = findRenamed(this.#tables);
    if (renamed !== undefined) throw createDamageError(renamed.fault);
    if (!this.#isComplete) return;
    this.damagedCount += this.#unsealedCount;
    this.damaged.push(...this.#unsealed.slice(0, ROWS_MAX - this.damaged.length));
  }
}

/** Families that a table's name can stand for while most of the others are present. */
const MISSING_MAX = 2;

/**
 * Finds a table of an engine store whose name is damaged. LMDB would create an empty one in its
 * place.
 */
export function findRenamed(tables: ReadonlySet<string>) {
  const names = [...ENGINE_FAMILIES, META_TABLE];
  const missing = names.filter((name) => !tables.has(name));
  const unknown = [...tables].filter((name) => !names.includes(name));
  const [from] = unknown;
  const [to] = missing;
  if (from === undefined || to === undefined || missing.length > MISSING_MAX) return undefined;
  const fault = `The table ${JSON.stringify(from)} is unknown, and the table "${to}" is missing.`;
  return { from, to: missing.length === 1 && unknown.length === 1 ? to : undefined, fault };
}

/** Why a row is damaged that must have a checksum. */
export const NO_CHECKSUM = 'it has no checksum';

function keep(rows: FileRowDamage[], found: FileRow, reason: string): void {
  if (rows.length >= ROWS_MAX) return;
  const { page, row, family, key } = found;
  rows.push({ page, row, family, key: decodeKey(key), reason });
}
