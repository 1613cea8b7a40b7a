import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Op } from '../engine/commit-line.ts';
import type { Environment } from './environment.ts';

/** How long changes are gathered before they are written, in milliseconds. */
const GATHER_MS = 5;
/** Changes that are gathered at most; with the last of them the write begins. */
const GATHERED_MAX = 2_048;

/** A row whose text is in memory until the disk has it. */
export interface Written {
  json: string | undefined;
}

/**
 * Gathers changes that nobody waits for into one write. A row is put once and removed at most once,
 * so one that comes and goes within a write is never written. Writes reach the disk in the order in
 * which they begin; none begins after `close`.
 */
export class GatheredWrites<Row extends object> {
  readonly #environment: Environment;
  readonly #clock: RuntimeClock;
  readonly #onDisk: (puts: readonly Row[]) => void;
  #changes = new Map<Row, Op>();
  #cancel: (() => void) | undefined;
  #number = 1;
  #written = 0;
  #isClosed = false;

  /** @param onDisk - Called with the rows whose texts the disk has now. */
  constructor(
    environment: Environment,
    clock: RuntimeClock,
    onDisk: (puts: readonly Row[]) => void,
  ) {
    this.#environment = environment;
    this.#clock = clock;
    this.#onDisk = onDisk;
  }

  /** Number of the last write that the disk has; it has the earlier ones too. */
  get written(): number {
    return this.#written;
  }

  /** @returns Number of the write that the change belongs to. */
  put(row: Row, op: Op): number {
    this.#changes.set(row, op);
    return this.#schedule();
  }

  /**
   * @param op - An operation without text.
   * @returns As `put`.
   */
  remove(row: Row, op: Op): number {
    if (!this.#changes.delete(row)) this.#changes.set(row, op);
    return this.#schedule();
  }

  /** Begins the last write; closing the environment waits for it. */
  close(): void {
    if (this.#cancel !== undefined) this.#flush();
    this.#isClosed = true;
  }

  #schedule(): number {
    const number = this.#number;
    if (this.#changes.size >= GATHERED_MAX) this.#flush();
    else this.#cancel ??= this.#clock.at(this.#clock.now() + GATHER_MS, () => this.#flush());
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
      this.#written = number;
      this.#onDisk([...changes].flatMap(([row, { text }]) => (text === undefined ? [] : [row])));
    });
  }
}
