import type { ActorCount, ActorRow, ActorsFrame } from '../../../src/domain/inspect/wire.ts';
import { createComparator, DEFAULT_SORT, type Sort } from './sort.ts';

/** Filter of the list; absent fields match every actor. */
export interface Filter {
  readonly kind?: string;
  readonly state?: string;
  readonly status?: string;
  /** Substring of id, kind, state or last event; case-insensitive. */
  readonly text?: string;
}

/** An actor in the list. It keeps its position when its row changes. */
export interface Entry {
  row: ActorRow;
  /** Lower-case text for the search. */
  searchText: string;
  /** True if it was purged; the next `applyPending` removes it. */
  isPurged: boolean;
  isListed: boolean;
}

/** A filter value with its number of actors. */
export interface Facet {
  readonly name: string;
  readonly count: number;
}

/** Changes since the list was last ordered. */
export interface PendingChanges {
  /** Actors that match the filter but are not in the list yet. */
  readonly added: number;
  /** Listed actors that changed and may have to move or leave. */
  readonly changed: number;
}

/**
 * All known actors, and the listed ones in order. Frames update rows in place. Only `applyQuery`
 * and `applyPending` change the order, so that no row moves under the pointer. Filtering is one
 * pass over ordered rows, and extending a search is one pass over the previous result.
 */
export class Directory {
  readonly #entries = new Map<string, Entry>();
  /** All entries except new unsettled ones, ordered by `#sort`. */
  #ordered: Entry[] = [];
  #listed: readonly Entry[] = [];
  readonly #dirty = new Set<Entry>();
  readonly #added = new Set<Entry>();
  readonly #statuses = new Map<string, number>();
  /** Ids received so far of a complete snapshot; `null` if none is in progress. */
  #incoming: Set<string> | null = null;
  #filter: Filter = {};
  #sort: Sort = DEFAULT_SORT;
  #counts: readonly ActorCount[] = [];
  #isComplete = false;

  /** The listed actors in order. */
  get listed(): readonly Entry[] {
    return this.#listed;
  }

  /** Number of known actors. */
  get size(): number {
    return this.#entries.size;
  }

  /** True once a complete snapshot of the server's directory has arrived. */
  get isWhole(): boolean {
    return this.#isComplete;
  }

  /** Numbers of actors by kind and state, including actors outside the directory. */
  get counts(): readonly ActorCount[] {
    return this.#counts;
  }

  /** Changes since the list was last ordered. */
  get pendingChanges(): PendingChanges {
    let [added, changed] = [0, 0];
    for (const entry of this.#dirty) {
      if (entry.isListed) changed += 1;
      else if (matchesFilter(entry, this.#filter)) added += 1;
    }
    return { added, changed };
  }

  /** Numbers of known actors by status, largest first. */
  get statuses(): readonly Facet[] {
    return [...this.#statuses]
      .filter(([, count]) => count > 0)
      .map(([name, count]) => ({ name, count }))
      .sort(byCount);
  }

  /** Applies a pushed frame. */
  applyFrame(frame: ActorsFrame): void {
    if (frame.isFirst) this.#incoming = new Set();
    for (const row of frame.rows) this.#put(row);
    for (const id of frame.gone) this.#remove(id);
    this.#counts = frame.counts;
    if (!frame.isWhole) return;
    this.#isComplete = true;
    this.#forgetUnsent();
  }

  /** Applies a filter and an order; also settles all changes. */
  applyQuery(filter: Filter, sort: Sort): void {
    const isSettled = this.#dirty.size === 0 && isSameSort(sort, this.#sort);
    const isNarrower = isSettled && isNarrowing(filter, this.#filter);
    const from = isNarrower ? this.#listed : this.#order(sort);
    this.#filter = filter;
    this.#listed = from.filter((entry) => {
      entry.isListed = matchesFilter(entry, filter);
      return entry.isListed;
    });
  }

  /** Applies all changes to the order of the list. */
  applyPending(): void {
    if (this.#dirty.size > 0) this.applyQuery(this.#filter, this.#sort);
  }

  #put(row: ActorRow): void {
    this.#incoming?.add(row.id);
    const known = this.#entries.get(row.id);
    if (known === undefined) {
      const entry = { row, searchText: toSearchText(row), isPurged: false, isListed: false };
      this.#entries.set(row.id, entry);
      this.#added.add(entry);
      this.#dirty.add(entry);
      this.#countStatus(row.status, 1);
      return;
    }
    // A reconnect sends all rows again; most are unchanged.
    const { seq, status, lastEvent } = known.row;
    if (seq === row.seq && status === row.status && lastEvent === row.lastEvent) return;
    this.#countStatus(known.row.status, -1);
    this.#countStatus(row.status, 1);
    known.row = row;
    known.searchText = toSearchText(row);
    this.#dirty.add(known);
  }

  #remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#countStatus(entry.row.status, -1);
    entry.isPurged = true;
    // An entry that was never ordered needs no settling.
    if (this.#added.delete(entry)) this.#dirty.delete(entry);
    else this.#dirty.add(entry);
  }

  #forgetUnsent(): void {
    const sent = this.#incoming;
    this.#incoming = null;
    if (sent === null) return;
    for (const id of this.#entries.keys()) if (!sent.has(id)) this.#remove(id);
  }

  #order(sort: Sort): readonly Entry[] {
    const compare = createComparator(sort);
    const byRow = (left: Entry, right: Entry): number => compare(left.row, right.row);
    if (!isSameSort(sort, this.#sort)) {
      this.#ordered = [...this.#entries.values()].sort(byRow);
    } else if (this.#dirty.size > 0) {
      const moved = [...this.#dirty].filter(({ isPurged }) => !isPurged).sort(byRow);
      const stayed = this.#ordered.filter((entry) => !this.#dirty.has(entry));
      this.#ordered = mergeSorted(stayed, moved, byRow);
    }
    this.#sort = sort;
    this.#dirty.clear();
    this.#added.clear();
    return this.#ordered;
  }

  #countStatus(status: string, change: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + change);
  }
}

/** Returns the kinds with their numbers of actors, largest first. */
export function kindFacets(counts: readonly ActorCount[]): readonly Facet[] {
  return countBy(counts, ({ kind }) => kind);
}

/** Returns the states, optionally of one kind, with their numbers of actors, largest first. */
export function stateFacets(counts: readonly ActorCount[], kind?: string): readonly Facet[] {
  return countBy(
    counts.filter((one) => kind === undefined || one.kind === kind),
    ({ state }) => state,
  );
}

function countBy(
  counts: readonly ActorCount[],
  nameOf: (count: ActorCount) => string,
): readonly Facet[] {
  const sums = new Map<string, number>();
  for (const one of counts) sums.set(nameOf(one), (sums.get(nameOf(one)) ?? 0) + one.count);
  return [...sums].map(([name, count]) => ({ name, count })).sort(byCount);
}

function byCount(left: Facet, right: Facet): number {
  return right.count - left.count || (left.name < right.name ? -1 : 1);
}

function toSearchText({ id, kind, state, lastEvent }: ActorRow): string {
  return `${id} ${kind} ${state} ${lastEvent ?? ''}`.toLowerCase();
}

function matchesFilter({ row, searchText }: Entry, { kind, state, status, text }: Filter): boolean {
  return (
    (kind === undefined || row.kind === kind) &&
    (status === undefined || row.status === status) &&
    (state === undefined || row.state === state) &&
    (text === undefined || searchText.includes(text.toLowerCase()))
  );
}

/** Returns true if every match of `next` also matches `current`. */
function isNarrowing(next: Filter, current: Filter): boolean {
  return (
    (current.kind === undefined || current.kind === next.kind) &&
    (current.state === undefined || current.state === next.state) &&
    (current.status === undefined || current.status === next.status) &&
    (current.text === undefined || next.text?.includes(current.text) === true)
  );
}

function isSameSort(left: Sort, right: Sort): boolean {
  return left.by === right.by && left.isDescending === right.isDescending;
}

function mergeSorted(
  left: readonly Entry[],
  right: readonly Entry[],
  compare: (one: Entry, other: Entry) => number,
): Entry[] {
  if (right.length === 0) return [...left];
  const out: Entry[] = [];
  let next = 0;
  for (const entry of left) {
    for (let one = right[next]; one !== undefined && compare(one, entry) < 0; one = right[next]) {
      out.push(one);
      next += 1;
    }
    out.push(entry);
  }
  for (const entry of right.slice(next)) out.push(entry);
  return out;
}
