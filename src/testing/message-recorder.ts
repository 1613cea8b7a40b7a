import type { Write } from '../runtime/engine/ports.ts';

interface RowMessages {
  readonly sends: unknown[];
  emits: readonly unknown[];
}

/** Messages that one actor emitted and sent, taken from the rows that its engine commits. */
export class MessageRecorder {
  readonly #id: string;
  readonly #bySeq = new Map<number, RowMessages>();

  constructor(id: string) {
    this.#id = id;
  }

  /** Records a committed batch. */
  record(writes: readonly Write[]): void {
    for (const write of writes) {
      if (!('put' in write)) continue;
      if (write.put === 'journal' && write.row.id === this.#id) {
        this.#at(write.row.seq).emits = write.row.emits;
      }
      if (write.put === 'outbox' && write.row.from === this.#id) {
        const { to, create, event, fromSeq, n } = write.row;
        this.#at(fromSeq).sends[n] = { to, create, event };
      }
    }
  }

  /** Returns all messages in order. The sends of a row precede its emits. */
  all(): readonly unknown[] {
    const rows = [...this.#bySeq].toSorted(([one], [other]) => one - other);
    return rows.flatMap(([, { sends, emits }]) => [...sends, ...emits]);
  }

  #at(seq: number): RowMessages {
    const messages = this.#bySeq.get(seq) ?? { sends: [], emits: [] };
    this.#bySeq.set(seq, messages);
    return messages;
  }
}
