import type { Key } from 'lmdb';
import type { Environment } from '../common/environment.ts';
import type { RowSeals } from '../common/open-lmdb.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from './commit-queue.ts';
import type { EngineDatabases } from './engine-databases.ts';
import { SEALS_DONE, SEALS_MARK } from './row-check.ts';

/** Rows that are read per commit. */
const BATCH = 2_000;
/** Bytes reserved on the disk for a commit. */
const BATCH_BYTES = 16 * 1024 * 1024;

/**
 * Gives each row of a store of format 1 to 3 its checksum, batch by batch, while the engine runs;
 * new rows already have one. The next opening resumes an interrupted upgrade. From its end on, a
 * row without a checksum is damaged.
 */
export class SealUpgrade {
  readonly #environment: Environment;
  readonly #dbs: EngineDatabases;
  readonly #seals: RowSeals;
  readonly #ended: Promise<void>;
  #isClosed = false;

  constructor(
    environment: Environment,
    dbs: EngineDatabases,
    { seals, readOnly }: { readonly seals: RowSeals; readonly readOnly: boolean },
  ) {
    this.#environment = environment;
    this.#dbs = dbs;
    this.#seals = seals;
    const reached = dbs.marks.getSealed(SEALS_MARK);
    seals.isComplete = reached === SEALS_DONE || isEmpty(dbs);
    const isDone = reached === SEALS_DONE || readOnly;
    // The engine notices a failed commit as well; the next opening resumes.
    this.#ended = isDone ? Promise.resolve() : this.#run(reached).catch(() => undefined);
  }

  /** Stops after the current batch. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#ended;
  }

  async #run(reached: string | undefined): Promise<void> {
    // Marks come first, because their texts need not be JSON.
    const names = ['marks', ...Object.keys(this.#dbs).filter((name) => name !== 'marks')];
    let place = reached === undefined ? START : (JSON.parse(reached) as Place);
    while (!this.#isClosed && place.at < names.length) {
      let next = place;
      // No other commit is in flight while the rows are read, so none of them is outdated.
      const seal = () => {
        const batch = this.#readBatch(names, place);
        next = batch.next;
        return batch.ops;
      };
      await this.#environment.commit(seal, BATCH_BYTES);
      if (next === place) return;
      place = next;
    }
    this.#seals.isComplete = place.at === names.length;
  }

  /** Returns the place as it was after an error: the next opening tries again. */
  #readBatch(names: readonly string[], place: Place): Batch {
    try {
      const ops: Op[] = [];
      let { at, after } = place;
      for (let left = BATCH; left > 0 && at < names.length; ) {
        const db = this.#dbs[names[at] as keyof EngineDatabases];
        const start = after === undefined ? {} : { start: after, exclusiveStart: true };
        [at, after] = [at + 1, undefined];
        for (const { key, unsealed } of db.getStored(start)) {
          if (unsealed !== undefined) ops.push({ db, key, text: unsealed });
          left -= 1;
          if (left > 0) continue;
          [at, after] = [at - 1, key];
          break;
        }
      }
      const next = { at, ...(after === undefined ? {} : { after }) };
      const text = at === names.length ? SEALS_DONE : JSON.stringify(next);
      return { ops: [...ops, { db: this.#dbs.marks, key: SEALS_MARK, text }], next };
    } catch {
      return { ops: [], next: place };
    }
  }
}

/** The table, by its position, and its last row with a checksum. */
interface Place {
  readonly at: number;
  readonly after?: Key;
}

const START: Place = { at: 0 };

interface Batch {
  readonly ops: readonly Op[];
  readonly next: Place;
}

function isEmpty(dbs: EngineDatabases): boolean {
  return Object.values(dbs).every((db: TextTable) => db.size().rows === 0);
}
