import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Op } from '../engine/commit-queue.ts';
import type { Environment } from './environment.ts';

/** How long changes are collected before they are written, in milliseconds. */
const BATCH_MS = 5;
/** Maximum collected changes; reaching it starts the write. */
const BATCH_CHANGES_MAX = 2_048;

/** A row whose text stays in memory until it is on disk. */
export interface PendingRow {
  json: string | undefined;
}

/**
 * Batches changes that nobody waits for into one write. A row is put within one batch and removed
 * at most once, so a row added and removed within one batch is never written. Writes reach the disk
 * in the order in which they start; none starts after `close`.
 */
export class WriteBatcher<Row extends object> {
  readonly #environment: Environment;
  readonly #clock: RuntimeClock;
  readonly #onDisk: (puts: readonly Row[]) => void;
  #changes = new Map<Row, Op>();
  #cancel: (() => void) | undefined;
  #number = 1;
  #lastWritten = 0;
  #isClosed = false;

  /** @param onDisk - Called with the rows whose texts are now on disk. */
  constructor(
    environment: Environment,
    clock: RuntimeClock,
    onDisk: (puts: readonly Row[]) => void,
  ) {
    this.#environment = environment;
    this.#clock = clock;
    this.#onDisk = onDisk;
  }

  /** Number of the last write on disk; all earlier ones are on disk too. */
  get written(): number {
    return this.#lastWritten;
  }

  /** Number of the write that contains the next change. */
  get next(): number {
    return this.#number;
  }

  /**
   * Adds a row, or replaces its text if it is not written yet.
   *
   * @returns Number of the write that contains the change.
   */
  put(row: Row, op: Op): number {
    this.#changes.set(row, op);
    return this.#scheduleFlush();
  }

  /**
   * Removes a row.
   *
   * @param op - An operation without text.
   * @returns Number of the write that contains the change.
   */
  remove(row: Row, op: Op): number {
    if (!this.#changes.delete(row)) this.#changes.set(row, op);
    return this.#scheduleFlush();
  }

  /** Starts the last write; closing the environment waits for it. */
  close(): void {
    if (this.#cancel !== undefined) this.#flush();
    this.#isClosed = true;
  }

  #scheduleFlush(): number {
    const number = this.#number;
    if (this.#changes.size >= BATCH_CHANGES_MAX) this.#flush();
    else this.#cancel ??= this.#clock.at(this.#clock.now() + BATCH_MS, () => this.#flush());
    return number;
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isClosed) return;
    const number = this.#number;
    const changes = this.#changes;
    this.#number += 1;
    this.#changes = new Map();
    this.#environment.write([...changes.values()], () => {
      this.#lastWritten = number;
      this.#onDisk([...changes].flatMap(([row, { text }]) => (text === undefined ? [] : [row])));
    });
  }
}
