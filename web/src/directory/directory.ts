import type { ActorCount, ActorRow, ActorsFrame } from '../../../src/domain/inspect/wire.ts';
import { comparing, FIRST_SORT, type Sort } from './sort.ts';

/** Which actors are listed; what is left out fits all. */
export interface Filter {
  readonly kind?: string;
  readonly state?: string;
  readonly status?: string;
  /** Stands in the id, the kind, the state or the last event; capitals do not matter. */
  readonly text?: string;
}

/** An actor in the list. Its place stays while its row changes. */
export interface Entry {
  row: ActorRow;
  /** What a search looks through. */
  words: string;
  /** It was purged; it leaves at the next settling. */
  isGone: boolean;
  isListed: boolean;
}

/** How many actors there are of something. */
export interface Facet {
  readonly name: string;
  readonly count: number;
}

/** What came in since the list was put in order. */
export interface Unsettled {
  /** Actors that are not in the list and would be. */
  readonly added: number;
  /** Listed ones that changed, and may have another place or none. */
  readonly changed: number;
}

/**
 * All actors that the page knows, and the ones that are listed, in order. Frames change rows in
 * their places; places change only by `choose` and `settle`, so that nothing moves under a pointer.
 * A filter is one pass over rows that are in order already, and a longer search is one pass over
 * what the shorter one found.
 */
export class Directory {
  readonly #entries = new Map<string, Entry>();
  /** All entries but the unsettled new ones, in the order of `#sort`. */
  #ordered: Entry[] = [];
  #listed: readonly Entry[] = [];
  readonly #dirty = new Set<Entry>();
  readonly #added = new Set<Entry>();
  readonly #statuses = new Map<string, number>();
  /** Ids of the whole directory that is coming in; `null` between two of them. */
  #incoming: Set<string> | null = null;
  #filter: Filter = {};
  #sort: Sort = FIRST_SORT;
  #counts: readonly ActorCount[] = [];
  #isWhole = false;

  /** The actors in order. */
  get listed(): readonly Entry[] {
    return this.#listed;
  }

  /** How many actors the page has rows of. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether everything that the server's directory holds has come in. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** All actors by kind and state, beyond the directory too. */
  get counts(): readonly ActorCount[] {
    return this.#counts;
  }

  /** What came in since the list was put in order. */
  get unsettled(): Unsettled {
    let [added, changed] = [0, 0];
    for (const entry of this.#dirty) {
      if (entry.isListed) changed += 1;
      else if (fits(entry, this.#filter)) added += 1;
    }
    return { added, changed };
  }

  /** Actors of the directory by status, the largest number first. */
  get statuses(): readonly Facet[] {
    return [...this.#statuses]
      .filter(([, count]) => count > 0)
      .map(([name, count]) => ({ name, count }))
      .sort(byCount);
  }

  /** Takes what the server pushed. */
  take(frame: ActorsFrame): void {
    if (frame.isFirst) this.#incoming = new Set();
    for (const row of frame.rows) this.#put(row);
    for (const id of frame.gone) this.#remove(id);
    this.#counts = frame.counts;
    if (!frame.isWhole) return;
    this.#isWhole = true;
    this.#forgetUnsent();
  }

  /** Lists what fits in this order; everything that came in is settled by it. */
  choose(filter: Filter, sort: Sort): void {
    const isSettled = this.#dirty.size === 0 && isSame(sort, this.#sort);
    const isNarrower = isSettled && narrows(filter, this.#filter);
    const from = isNarrower ? this.#listed : this.#order(sort);
    this.#filter = filter;
    this.#listed = from.filter((entry) => {
      entry.isListed = fits(entry, filter);
      return entry.isListed;
    });
  }

  /** Puts everything that came in into its place. */
  settle(): void {
    if (this.#dirty.size > 0) this.choose(this.#filter, this.#sort);
  }

  #put(row: ActorRow): void {
    this.#incoming?.add(row.id);
    const known = this.#entries.get(row.id);
    if (known === undefined) {
      const entry = { row, words: wordsOf(row), isGone: false, isListed: false };
      this.#entries.set(row.id, entry);
      this.#added.add(entry);
      this.#dirty.add(entry);
      this.#countStatus(row.status, 1);
      return;
    }
    // A reconnect sends all rows again; most have not changed.
    const { seq, status, lastEvent } = known.row;
    if (seq === row.seq && status === row.status && lastEvent === row.lastEvent) return;
    this.#countStatus(known.row.status, -1);
    this.#countStatus(row.status, 1);
    known.row = row;
    known.words = wordsOf(row);
    this.#dirty.add(known);
  }

  #remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#countStatus(entry.row.status, -1);
    entry.isGone = true;
    // What was never listed needs no settling.
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
    const compare = comparing(sort);
    const byRow = (left: Entry, right: Entry): number => compare(left.row, right.row);
    if (!isSame(sort, this.#sort)) {
      this.#ordered = [...this.#entries.values()].sort(byRow);
    } else if (this.#dirty.size > 0) {
      const moved = [...this.#dirty].filter(({ isGone }) => !isGone).sort(byRow);
      const stayed = this.#ordered.filter((entry) => !this.#dirty.has(entry));
      this.#ordered = merged(stayed, moved, byRow);
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

/** Kinds of actors with their numbers, the largest first. */
export function kindFacets(counts: readonly ActorCount[]): readonly Facet[] {
  return summed(counts, ({ kind }) => kind);
}

/** States with their numbers, those of one kind where it is given. */
export function stateFacets(counts: readonly ActorCount[], kind?: string): readonly Facet[] {
  return summed(
    counts.filter((one) => kind === undefined || one.kind === kind),
    ({ state }) => state,
  );
}

function summed(
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

function wordsOf({ id, kind, state, lastEvent }: ActorRow): string {
  return `${id} ${kind} ${state} ${lastEvent ?? ''}`.toLowerCase();
}

function fits({ row, words }: Entry, { kind, state, status, text }: Filter): boolean {
  return (
    (kind === undefined || row.kind === kind) &&
    (status === undefined || row.status === status) &&
    (state === undefined || row.state === state) &&
    (text === undefined || words.includes(text.toLowerCase()))
  );
}

/** Whether everything that fits `next` fits `current` too. */
function narrows(next: Filter, current: Filter): boolean {
  return (
    (current.kind === undefined || current.kind === next.kind) &&
    (current.state === undefined || current.state === next.state) &&
    (current.status === undefined || current.status === next.status) &&
    (current.text === undefined || next.text?.includes(current.text) === true)
  );
}

function isSame(left: Sort, right: Sort): boolean {
  return left.by === right.by && left.isDescending === right.isDescending;
}

function merged(
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
