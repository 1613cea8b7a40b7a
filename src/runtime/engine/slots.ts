import type { SlotRow } from '../queue/queue-ports.ts';
import type { Write } from './ports.ts';

/**
 * Slots of running queued actors. Taken in the batch that creates an actor, freed in the batch that
 * ends it.
 */
export class Slots {
  readonly #held = new Map<string, SlotRow>();
  /** Called for each freed slot; its batch is submitted before the next turn. */
  onFree: (row: SlotRow) => void = () => undefined;

  /** Restores the slots that the last process left. */
  restore(rows: readonly SlotRow[]): readonly SlotRow[] {
    for (const row of rows) this.#held.set(row.id, row);
    return rows;
  }

  /** Takes a slot. The write belongs to the batch that creates the actor. */
  take(row: SlotRow): Write {
    this.#held.set(row.id, row);
    return { put: 'slot', row };
  }

  /** Frees the slot of an actor that ends. The writes belong to the batch that ends it. */
  free(id: string): readonly Write[] {
    const row = this.#held.get(id);
    if (row === undefined) return NO_WRITES;
    this.#held.delete(id);
    this.onFree(row);
    return [{ del: 'slot', id }];
  }
}

const NO_WRITES: readonly Write[] = [];
