import type { RuntimeSource } from '../../../domain/inspect/runtime-source.ts';
import type { Outlet, PushSource } from '../outlet.ts';

/** A client of runtime metrics. It receives the history, then each new sample. */
export class RuntimeClient implements PushSource {
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

  /** Sends the whole history again after missed samples. */
  pump(): void {
    if (!this.#isBehind || !this.#outlet.isOpen) return;
    this.#isBehind = false;
    this.#outlet.push({ kind: 'frame', frame: this.#runtime.history() });
  }

  stop(): void {
    this.#stop();
  }
}
