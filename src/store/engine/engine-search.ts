import type { Key } from 'lmdb';
import type { ListRow } from '../../runtime/engine/types.ts';
import type { IndexScan, SearchIndex } from '../../runtime/search/search-actors.ts';
import { toIndexValue } from '../../runtime/search/search-actors.ts';
import type { SearchValue } from '../../runtime/search/search-types.ts';
import { compareValues } from '../../runtime/search/search-values.ts';
import type { Op } from './commit-queue.ts';
import type { EngineDatabases } from './engine-databases.ts';

/** Sorts after every value of an attribute, and after every id. */
const LAST = '\u{10ffff}';

/** Reads the index rows `[kind, attribute, value, id]` of search attributes. */
export class EngineSearch implements SearchIndex {
  readonly #dbs: EngineDatabases;
  readonly row: SearchIndex['row'];
  readonly complete: SearchIndex['complete'];

  constructor(dbs: EngineDatabases, rows: Pick<SearchIndex, 'row' | 'complete'>) {
    this.#dbs = dbs;
    this.row = rows.row;
    this.complete = rows.complete;
  }

  *scan(scan: IndexScan): Iterable<readonly [SearchValue, string]> {
    const { kind, attribute, range, after, descending } = scan;
    const { from, to } = range;
    const prefix: Key[] = [kind, attribute];
    const edge = descending ? [...prefix, to ?? LAST, LAST] : [...prefix, ...toList(from)];
    const start = after === undefined ? edge : [...prefix, after[0] ?? '', after[1]];
    const options = { start, exclusiveStart: after !== undefined, reverse: descending };
    for (const key of this.#dbs.search.getKeys(options)) {
      const [foundKind, name, value, id] = key as [string, string, SearchValue, string];
      if (foundKind !== kind || name !== attribute) return;
      const isPast = descending
        ? from !== undefined && compareValues(value, from) < 0
        : to !== undefined && compareValues(value, to) > 0;
      if (isPast) return;
      yield [value, id];
    }
  }

  *ids(kind: string, after: string | undefined, descending: boolean): Iterable<string> {
    const edge = descending ? [kind, LAST] : [kind];
    const start = after === undefined ? edge : [kind, after];
    const options = { start, exclusiveStart: after !== undefined, reverse: descending };
    for (const key of this.#dbs.index.getKeys(options)) {
      const [found, id] = key as [string, string];
      if (found !== kind) return;
      yield id;
    }
  }
}

/**
 * Computes the changes of the index of search attributes.
 *
 * @param rows - The row on disk, and the one before `after` that may still be on its way there.
 */
export function searchOps(
  dbs: EngineDatabases,
  rows: readonly (ListRow | undefined)[],
  after: ListRow | undefined,
): readonly Op[] {
  const added = after === undefined ? [] : searchKeys(after);
  const kept = new Set(added.map((key) => JSON.stringify(key)));
  const removed = rows
    .flatMap((row) => (row === undefined ? [] : searchKeys(row)))
    .filter((key) => !kept.has(JSON.stringify(key)));
  return [
    ...removed.map((key) => ({ db: dbs.search, key: [...key] })),
    ...added.map((key) => ({ db: dbs.search, key: [...key], text: '' })),
  ];
}

function searchKeys({ kind, id, attributes = {} }: ListRow): readonly (readonly Key[])[] {
  return Object.entries(attributes).map(([name, value]) => [kind, name, toIndexValue(value), id]);
}

function toList(from: SearchValue | undefined): readonly Key[] {
  return from === undefined ? [] : [from];
}
