import type { RuntimeSource } from '../../../domain/inspect/runtime-source.ts';
import type { Outlet, Source } from '../outlet.ts';

/** One client of the runtime's figures: all that is kept, then each sample as it comes. */
export class RuntimeClient implements Source {
  readonly #runtime: RuntimeSource;
  readonly #outlet: Outlet;
  readonly #stop: () => void;
  #isBehind = false;

  constructor(runtime: RuntimeSource, outlet: Outlet) {
    this.#runtime = runtime;
    this.#outlet = outlet;
    this.#outlet.push({ kind: 'frame', frame: runtime.history() });
    this.#stop = runtime.watch((frame) => {
      if (outlet.isOpen) outlet.push({ kind: 'frame', frame });
      else this.#isBehind = true;
    });
  }

  /** Whoever has missed samples gets all that are kept again. */
  pump(): void {
    if (!this.#isBehind || !this.#outlet.isOpen) return;
    this.#isBehind = false;
    this.#outlet.push({ kind: 'frame', frame: this.#runtime.history() });
  }

  stop(): void {
    this.#stop();
  }
}
