import type { Cells } from './cells.ts';
import type { Core } from './core.ts';

/** Between two trims of the store, in milliseconds. */
const TRIM_EVERY_MS = 60 * 60 * 1_000;

/** Lets idle actors leave the memory, and has the store drop what is past its age. */
export class Housekeeping {
  readonly #core: Core;
  readonly #cells: Cells;
  #cancelSweep: () => void = () => undefined;
  #cancelTrim: () => void = () => undefined;

  constructor(core: Core, cells: Cells) {
    this.#core = core;
    this.#cells = cells;
  }

  start(): void {
    this.#cells.onFirst = () => this.#sweepLater();
    this.#sweepLater();
    this.#trimLater();
  }

  close(): void {
    this.#cells.onFirst = () => undefined;
    this.#cancelSweep();
    this.#cancelTrim();
  }

  #sweepLater(): void {
    const { clock, limits } = this.#core;
    this.#cancelSweep();
    if (this.#cells.size === 0) return;
    this.#cancelSweep = clock.at(clock.now() + limits.passivateAfterMs, () => {
      this.#cells.sweep(limits.passivateAfterMs);
      this.#sweepLater();
    });
  }

  #trimLater(): void {
    const { clock } = this.#core;
    this.#cancelTrim = clock.at(clock.now() + TRIM_EVERY_MS, () => {
      this.#trim();
      this.#trimLater();
    });
  }

  #trim(): void {
    const { clock, store } = this.#core;
    try {
      store.trim(clock.now());
    } catch (cause) {
      const message = `the store could not be trimmed: ${String(cause)}`;
      this.#core.notice({ kind: 'trim_failed', actorId: '', message, cause });
    }
  }
}
