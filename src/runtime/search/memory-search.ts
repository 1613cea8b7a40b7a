import type { ListRow } from '../engine/types.ts';
import type { IndexScan, SearchIndex, SearchPlace } from './search-actors.ts';
import { toIndexValue } from './search-actors.ts';
import type { SearchValue } from './search-types.ts';
import { compareTexts, compareValues } from './search-values.ts';

type Entry = readonly [value: SearchValue, id: string];

/** The index of search attributes of a store in memory: a sorted list per kind and attribute. */
export class MemorySearch implements SearchIndex {
  readonly #rows: (id: string) => ListRow | undefined;
  readonly #lists = new Map<string, Entry[]>();
  readonly #ids = new Map<string, Entry[]>();

  /** @param rows - Returns the index row of an actor with its last `seq` and `at`. */
  constructor(rows: (id: string) => ListRow | undefined) {
    this.#rows = rows;
  }

  /** Replaces the entries of an actor. */
  change(before: ListRow | undefined, after: ListRow | undefined): void {
    if (before?.attributes !== undefined) this.#each(before, removeEntry);
    if (after?.attributes !== undefined) this.#each(after, addEntry);
  }

  *scan({ kind, attribute, range, after, descending }: IndexScan): Iterable<Entry> {
    const list = this.#lists.get(`${kind}\n${attribute}`) ?? [];
    const { from, to } = range;
    const start = from === undefined ? 0 : findIndex(list, [from, '']);
    const end = to === undefined ? list.length : findIndex(list, [to, LAST]);
    yield* slice(list, { start, end, after, descending });
  }

  *ids(kind: string, after: string | undefined, descending: boolean): Iterable<string> {
    const list = this.#ids.get(kind) ?? [];
    const place = after === undefined ? undefined : (['', after] as const);
    const entries = slice(list, { start: 0, end: list.length, after: place, descending });
    for (const [, id] of entries) yield id;
  }

  row(_kind: string, id: string): ListRow | undefined {
    return this.#rows(id);
  }

  complete(row: ListRow): ListRow {
    return row;
  }

  #each(row: ListRow, apply: (list: Entry[], entry: Entry) => void): void {
    const { kind, id, attributes = {} } = row;
    apply(listOf(this.#ids, kind), ['', id]);
    for (const [name, value] of Object.entries(attributes)) {
      apply(listOf(this.#lists, `${kind}\n${name}`), [toIndexValue(value), id]);
    }
  }
}

/** After every id. */
const LAST = '\u{10ffff}';

function listOf(lists: Map<string, Entry[]>, key: string): Entry[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Entry[] = [];
  lists.set(key, list);
  return list;
}

function addEntry(list: Entry[], entry: Entry): void {
  list.splice(findIndex(list, entry), 0, entry);
}

function removeEntry(list: Entry[], entry: Entry): void {
  const at = findIndex(list, entry);
  const found = list[at];
  if (found !== undefined && compareEntries(found, entry) === 0) list.splice(at, 1);
}

/** Returns the index of the first entry that is not before `entry`. */
function findIndex(list: readonly Entry[], entry: Entry): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntries(list[middle] as Entry, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareEntries([a, idA]: Entry, [b, idB]: Entry): number {
  const order = compareValues(a, b);
  return order === 0 ? compareTexts(idA, idB) : order;
}

function* slice(
  list: readonly Entry[],
  part: {
    readonly start: number;
    readonly end: number;
    readonly after: SearchPlace | undefined;
    readonly descending: boolean;
  },
): Iterable<Entry> {
  let { start, end } = part;
  const { after, descending } = part;
  if (after !== undefined) {
    const place: Entry = [after[0] ?? '', after[1]];
    if (descending) end = Math.min(end, findIndex(list, place));
    else start = Math.max(start, findIndex(list, [place[0], `${place[1]}\u0000`]));
  }
  if (descending) for (let at = end - 1; at >= start; at -= 1) yield list[at] as Entry;
  else for (let at = start; at < end; at += 1) yield list[at] as Entry;
}
