import type { ActorCount, ActorRow } from '../../domain/inspect/wire.ts';
import type { ListRow } from '../../runtime/engine/types.ts';

/** Maximum number of rows in the directory. */
export const ROWS_MAX = 100_000;
/** Maximum number of counts sent; the largest are kept. */
const COUNTS_MAX = 1_000;

/** Rows and counts of the directory. Above the limit, finished actors are dropped first. */
export class DirectoryRows {
  readonly #rows = new Map<string, ActorRow>();
  /** Ids of finished actors with a row, oldest first. */
  readonly #finished = new Set<string>();
  readonly #counts = new Map<string, { kind: string; state: string; count: number }>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): ActorRow | undefined {
    return this.#rows.get(id);
  }

  ids(): IterableIterator<string> {
    return this.#rows.keys();
  }

  counts(): readonly ActorCount[] {
    const all = [...this.#counts.values()].map((each) => ({ ...each }));
    if (all.length <= COUNTS_MAX) return all;
    return all.sort((a, b) => b.count - a.count).slice(0, COUNTS_MAX);
  }

  count({ kind, state }: ListRow, by: 1 | -1): void {
    const key = `${kind}\n${state}`;
    const line = this.#counts.get(key) ?? { kind, state: formatState(state), count: 0 };
    line.count += by;
    if (line.count > 0) this.#counts.set(key, line);
    else this.#counts.delete(key);
  }

  put(row: ListRow, lastEvent: string | null): void {
    this.#rows.set(row.id, toActorRow(row, lastEvent));
    if (row.status === 'active' || row.status === 'stuck') this.#finished.delete(row.id);
    else this.#finished.add(row.id);
  }

  /** Returns ids of rows without a known last event, most recently changed first. */
  withoutLastEvent(): readonly string[] {
    const rows = [...this.#rows.values()].filter(({ lastEvent }) => lastEvent === null);
    return rows.sort((a, b) => b.at - a.at).map(({ id }) => id);
  }

  /** Sets the last event of row `seq`. Returns false if the actor has moved on. */
  setLastEvent(id: string, seq: number, lastEvent: string): boolean {
    const row = this.#rows.get(id);
    if (row === undefined || row.seq !== seq || row.lastEvent !== null) return false;
    this.#rows.set(id, { ...row, lastEvent });
    return true;
  }

  remove(id: string): boolean {
    this.#finished.delete(id);
    return this.#rows.delete(id);
  }

  /** Drops rows above the limit and returns their ids. */
  trim(): readonly string[] {
    const left: string[] = [];
    while (this.#rows.size > this.#max) {
      const [id] = this.#finished.size > 0 ? this.#finished : this.#rows.keys();
      if (id === undefined) break;
      this.remove(id);
      left.push(id);
    }
    return left;
  }

  /** Sorts finished actors by age, because they are loaded in another order. */
  sortFinished(): void {
    const ids = [...this.#finished].map((id) => ({ id, at: this.#rows.get(id)?.at ?? 0 }));
    this.#finished.clear();
    for (const { id } of ids.sort((a, b) => a.at - b.at)) this.#finished.add(id);
  }
}

/** Converts a list row for consoles. */
export function toActorRow(row: ListRow, lastEvent: string | null): ActorRow {
  return { ...row, state: formatState(row.state), lastEvent };
}

function formatState(state: string): string {
  return state.replaceAll(',', ', ');
}
