import type { SlotRow } from '../queue/queue-ports.ts';
import type { Write } from './ports.ts';

/** The places of queued actors that run: taken with the batch that makes one, freed at its end. */
export class Slots {
  readonly #held = new Map<string, SlotRow>();
  /** Told of every place that comes free; its batch is submitted before the next turn. */
  onFree: (row: SlotRow) => void = () => undefined;

  /** Takes up what the last process left. */
  start(rows: readonly SlotRow[]): readonly SlotRow[] {
    for (const row of rows) this.#held.set(row.id, row);
    return rows;
  }

  /** Takes a place; the write belongs into the batch that makes the actor. */
  take(row: SlotRow): Write {
    this.#held.set(row.id, row);
    return { put: 'slot', row };
  }

  /** Frees the place of an actor that ends; the writes belong into the batch that ends it. */
  free(id: string): readonly Write[] {
    const row = this.#held.get(id);
    if (row === undefined) return NOTHING;
    this.#held.delete(id);
    this.onFree(row);
    return [{ del: 'slot', id }];
  }
}

const NOTHING: readonly Write[] = [];
