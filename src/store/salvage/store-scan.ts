import { join } from 'node:path';
import type { Key } from 'lmdb';
import { toBufferKey } from 'ordered-binary';
import { DATA_FILE } from '../common/folder.ts';
import { META_TABLE } from '../common/open-lmdb.ts';
import { checkRow, decodeKey, SEAL_CHARS } from '../common/row-checksum.ts';
import { findActor } from '../engine/damaged-row.ts';

import { ENGINE_FORMAT } from '../engine/engine-store.ts';
import { ENGINE_FAMILIES, isOlderText, KEY_ONLY } from '../engine/family-contents.ts';
import type { Tree } from '../engine/page-layout.ts';
import { findRenamed, NO_CHECKSUM, SEALS_DONE, SEALS_MARK } from '../engine/row-check.ts';
import { type PageGap, PageReader, type PageRow } from './page-reader.ts';

/** Families that the rows of others determine. */
const DERIVED: readonly string[] = [...KEY_ONLY, 'feed', 'index', 'waitingIds'];
/** Bytes before the text of a row of `meta`. */
const VERSION_BYTES = 8;
/** Findings that a scan lists; further ones are counted. */
export const FINDINGS_MAX = 1_000;

/** Damage at one place. */
export interface Finding {
  /** Page and row, such as `page 17, row 3`. */
  readonly place: string;
  /** Key family; absent for the file itself. */
  readonly family?: string;
  readonly actor?: string;
  /** What is damaged, and what it means for the store's content. */
  readonly what: string;
}

/** A row of a key family. */
export interface ScannedRow {
  readonly key: readonly Key[];
  /** Absent if the row is damaged. */
  readonly text?: string;
  /** Why it is damaged, unless its checksum does not match. */
  readonly reason?: string;
}

/** Reads all rows of an engine store from its file, past damage. Nothing is written. */
export class StoreScan {
  readonly file: string;
  readonly findings: Finding[] = [];
  findingCount = 0;
  /** Rows whose checksum matches, in all families. */
  readableRows = 0;
  commit: string | undefined;
  /** Whether the file has the key families of an engine. */
  isEngineStore = false;
  readonly #gaps = new Map<string, PageGap[]>();
  readonly #damaged = new Map<string, Set<string>>();
  /** Whether a row without a checksum is damaged. */
  #isSealed = false;

  constructor(path: string) {
    this.file = join(path, DATA_FILE);
  }

  /** Reads the whole file and collects what is damaged. Call it once, before all else. */
  run(): void {
    const reader = new PageReader(this.file);
    try {
      this.commit = reader.commit;
      for (const fault of reader.faults) this.#add({ place: 'meta pages', what: fault });
      const tables = reader.tables((gap) =>
        this.#add({ place: `page ${gap.page}`, what: `the list of tables: ${gap.fault}` }),
      );
      const renamed = findRenamed(new Set(tables.keys()));
      if (renamed !== undefined) this.#add({ place: 'list of tables', what: renamed.fault });
      const named = nameTables(tables);
      this.isEngineStore = named.has('journal') && named.has('snapshots');
      this.#isSealed = this.isEngineStore && this.#hasAllSeals();
      for (const [family, tree] of named) {
        let rows = 0;
        for (const each of reader.read(tree)) {
          if ('row' in each) rows += 1;
          this.#check(family, each);
        }
        this.#compareCount(family, rows, tree.entries);
      }
    } finally {
      reader.close();
    }
  }

  /** Yields the rows of a family in order, damaged ones without their text. */
  *read(family: string): Iterable<ScannedRow> {
    const reader = new PageReader(this.file);
    try {
      const tree = nameTables(reader.tables(() => undefined)).get(family);
      if (tree === undefined) return;
      for (const each of reader.read(tree)) {
        if (!('row' in each)) continue;
        const row = this.#decodeRow(family, each);
        if (row !== undefined) yield row;
      }
    } finally {
      reader.close();
    }
  }

  /** Whether rows whose key starts with an id are damaged or may be missing. */
  isDamaged(family: string, id: string): boolean {
    if (this.#damaged.get(family)?.has(id) === true) return true;
    const gaps = this.#gaps.get(family);
    if (gaps === undefined) return false;
    const first = toBufferKey([id, Number.MIN_SAFE_INTEGER]);
    const last = toBufferKey([id, '\u{10ffff}']);
    return gaps.some(
      ({ from, before }) =>
        (from === undefined || Buffer.compare(from, last) <= 0) &&
        (before === undefined || Buffer.compare(before, first) > 0),
    );
  }

  /** Whether pages of a family cannot be read. */
  hasGaps(family: string): boolean {
    return this.#gaps.has(family);
  }

  #check(family: string, each: PageRow | PageGap): void {
    if (!('row' in each)) {
      this.#addGap(family, each);
      return;
    }
    const row = this.isEngineStore ? this.#decodeRow(family, each) : toUncheckedRow(each);
    if (row?.text !== undefined) {
      this.readableRows += 1;
      if (family === META_TABLE) this.#checkFormat(row.key, each);
      return;
    }
    if (row === undefined) {
      const fault = `row ${each.row} has an unreadable key`;
      this.#addGap(family, { page: each.page, fault, from: each.key });
      return;
    }
    const actor = findActor(family, [...row.key]);
    if (actor !== undefined) {
      this.#damaged.set(family, (this.#damaged.get(family) ?? new Set()).add(actor));
    }
    const reason = each.fault ?? row.reason ?? 'its checksum does not match';
    const name = JSON.stringify(row.key.length === 1 ? row.key[0] : row.key);
    this.#add({
      place: `page ${each.page}, row ${each.row}`,
      family,
      ...(actor === undefined ? {} : { actor }),
      what: `the row ${name} is damaged: ${reason}${consequence(family)}`,
    });
  }

  #hasAllSeals(): boolean {
    for (const { key, text } of this.read('marks')) {
      if (key[0] === SEALS_MARK) return text === SEALS_DONE;
    }
    return false;
  }

  /** Returns `undefined` if the key is damaged. */
  #decodeRow(family: string, { key: bytes, value }: PageRow): ScannedRow | undefined {
    const name = decodeKey(bytes);
    if (name === undefined) return undefined;
    const key = Array.isArray(name) ? (name as readonly Key[]) : [name];
    if (value === undefined) return { key };
    if (!ENGINE_FAMILIES.has(family)) return { key, text: '' };
    const state = checkRow(bytes, value);
    if (state === 'whole')
      return { key, text: value.toString('utf8', 0, value.length - SEAL_CHARS) };
    if (state === 'damaged') return { key };
    const text = value.toString();
    const isMark = family === 'marks' && name === SEALS_MARK;
    const isAllowed = !this.#isSealed && !isMark && isOlderText(text, family);
    return isAllowed ? { key, text } : { key, reason: NO_CHECKSUM };
  }

  #checkFormat([name]: readonly Key[], { page, row, value }: PageRow): void {
    const format = name === 'format' ? Number(value?.subarray(VERSION_BYTES).toString()) : 0;
    if (format <= ENGINE_FORMAT || !this.isEngineStore) return;
    const what = `the store has format ${format}; this program supports up to ${ENGINE_FORMAT}`;
    this.#add({ place: `page ${page}, row ${row}`, family: 'meta', what });
  }

  #addGap(family: string, gap: PageGap): void {
    this.#gaps.set(family, [...(this.#gaps.get(family) ?? []), gap]);
    const [from, before] = [describeKey(gap.from), describeKey(gap.before)];
    const start = from === '' ? '' : ` from ${from}`;
    const range = before === '' ? start : `${start} to before ${before}`;
    const rows = range === '' ? 'all rows' : `the rows${range}`;
    const what = `${rows} cannot be read: ${gap.fault}${consequence(family)}`;
    this.#add({ place: `page ${gap.page}`, family, what });
  }

  /** A tree that has lost pages without a trace shows it by its number of rows. */
  #compareCount(family: string, found: number, expected: number): void {
    if (found === expected || this.#gaps.has(family)) return;
    const what = `${found} rows were found; expected ${expected}`;
    this.#add({ place: 'tree', family, what });
  }

  #add(finding: Finding): void {
    this.findingCount += 1;
    if (this.findings.length < FINDINGS_MAX) this.findings.push(finding);
  }
}

/** The rows of other stores have no checksum. */
function toUncheckedRow({ value }: PageRow): ScannedRow {
  return value === undefined ? { key: [] } : { key: [], text: '' };
}

/** Gives a table whose name is damaged the name that is missing. */
function nameTables(tables: ReadonlyMap<string, Tree>): ReadonlyMap<string, Tree> {
  const renamed = findRenamed(new Set(tables.keys()));
  if (renamed?.to === undefined) return tables;
  const { from, to } = renamed;
  return new Map([...tables].map(([name, tree]) => [name === from ? to : name, tree]));
}

function describeKey(bytes: Buffer | undefined): string {
  const key = bytes === undefined ? undefined : decodeKey(bytes);
  return key === undefined ? '' : JSON.stringify(key);
}

function consequence(family: string): string {
  return DERIVED.includes(family) ? '; a new store rebuilds it from other rows' : '';
}
