import type { RuntimeClock } from '../runtime/ports.ts';
import type { Environment, Op } from './environment.ts';

/** How long changes are gathered before they are written, in milliseconds. */
export const GATHER_MS = 5;
/** Changes that are gathered at most; the next one begins a new write. */
export const GATHERED_MAX = 512;

/** A change on its way to the disk. */
export interface Gathered extends Op {
  /** Names the row: of several changes to one row only the last is written. */
  readonly row: string;
}

/**
 * Gathers small changes that nobody waits for into one write. A row that comes and goes within one
 * write is never written. Writes reach the disk in the order in which they were begun.
 */
export class Gatherer {
  readonly #environment: Environment;
  readonly #clock: RuntimeClock;
  #open: Gathering = emptyGathering(1);
  #cancel: (() => void) | undefined;
  #onDisk = 0;

  constructor(environment: Environment, clock: RuntimeClock) {
    this.#environment = environment;
    this.#clock = clock;
  }

  /**
   * Adds a change.
   *
   * @param onDisk - Called when the disk has this change or a later one of the same row.
   * @returns Number of the write that it belongs to; later writes have greater numbers.
   */
  add(change: Gathered, onDisk?: () => void): number {
    const { changes, listeners, isNew } = this.#open;
    const comesAndGoes = change.text === undefined && isNew.has(change.row);
    if (comesAndGoes) changes.delete(change.row);
    else changes.set(change.row, change);
    if (change.text !== undefined && !changes.has(change.row)) isNew.add(change.row);
    if (onDisk !== undefined) listeners.push(onDisk);
    const { number } = this.#open;
    if (changes.size >= GATHERED_MAX) this.flush();
    else this.#cancel ??= this.#clock.at(this.#clock.now() + GATHER_MS, () => this.flush());
    return number;
  }
}
