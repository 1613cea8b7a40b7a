import type { QueueReads, QueueWrite, SlotRow, WaitingPlace, WaitingRow } from './queue-ports.ts';
import { comparePlaces } from './queue-ports.ts';

/** Stores the rows of queues in memory. See `memoryStore`. */
export class MemoryQueues implements QueueReads {
  readonly #rows = new Map<string, WaitingRow>();
  readonly #queues = new Map<string, OrderedRows>();
  readonly #lanes = new Map<string, OrderedRows>();
  readonly #arrivals = new Map<string, number>();
  readonly #slots = new Map<string, SlotRow>();
  readonly #rates = new Map<string, number>();

  waiting(queue: string, after: WaitingPlace | undefined, limit: number): readonly WaitingRow[] {
    return slicePage(this.#queues.get(queue), after, limit);
  }

  waitingOf(
    lane: { readonly queue: string; readonly key: string },
    after: WaitingPlace | undefined,
    limit: number,
  ): readonly WaitingRow[] {
    return slicePage(this.#lanes.get(laneKey(lane)), after, limit);
  }

  waitingRow(id: string): WaitingRow | undefined {
    return this.#rows.get(id);
  }

  waitingCount(queue: string): number {
    return this.#queues.get(queue)?.length ?? 0;
  }

  lastArrival(queue: string): number {
    return this.#arrivals.get(queue) ?? 0;
  }

  slots(): readonly SlotRow[] {
    return [...this.#slots.values()];
  }

  rate(queue: string, key: string): number | undefined {
    return this.#rates.get(laneKey({ queue, key }));
  }

  apply(write: QueueWrite): void {
    if ('put' in write) this.#put(write);
    else if (write.del === 'slot') this.#slots.delete(write.id);
    else this.#remove(write.row);
  }

  /** Removes rates that are unused again. */
  trim(now: number, limit: number): number {
    const expired = [...this.#rates].filter(([, freshAt]) => freshAt <= now).slice(0, limit);
    for (const [key] of expired) this.#rates.delete(key);
    return expired.length;
  }

  #put(write: Extract<QueueWrite, { put: string }>): void {
    switch (write.put) {
      case 'waiting':
        this.#add(write.row);
        return;
      case 'slot':
        this.#slots.set(write.row.id, write.row);
        return;
      case 'rate':
        this.#rates.set(laneKey(write.row), write.row.freshAt);
    }
  }

  #add(row: WaitingRow): void {
    const { queue, id, arrival } = row;
    this.#rows.set(id, row);
    this.#arrivals.set(queue, Math.max(arrival, this.#arrivals.get(queue) ?? 0));
    for (const [lists, key] of this.#lists(row)) {
      const list = lists.get(key) ?? [];
      lists.set(key, list);
      list.splice(findIndex(list, row), 0, row);
    }
  }

  #remove(row: WaitingRow): void {
    this.#rows.delete(row.id);
    for (const [lists, key] of this.#lists(row)) {
      const list = lists.get(key) ?? [];
      const at = findIndex(list, row);
      if (list[at]?.id === row.id) list.splice(at, 1);
      if (list.length === 0) lists.delete(key);
    }
  }

  #lists(row: WaitingRow): readonly (readonly [Map<string, OrderedRows>, string])[] {
    return [
      [this.#queues, row.queue],
      [this.#lanes, laneKey(row)],
    ];
  }
}

type OrderedRows = WaitingRow[];

function laneKey({ queue, key }: { readonly queue: string; readonly key: string }): string {
  return `${queue}\n${key}`;
}

function slicePage(list: OrderedRows = [], after: WaitingPlace | undefined, limit: number) {
  let from = after === undefined ? 0 : findIndex(list, after);
  const first = list[from];
  if (after !== undefined && first !== undefined && comparePlaces(first, after) === 0) from += 1;
  return list.slice(from, from + limit);
}

/** Returns the index of a place in a list, or the index where it would be inserted. */
function findIndex(list: OrderedRows, place: WaitingPlace): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(list[middle] as WaitingRow, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
