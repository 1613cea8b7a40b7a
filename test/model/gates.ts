import { type Deferred, deferred } from '../support/deferred.ts';

/** Calls to the outside that wait until the test says how they end. */
export class Gates {
  readonly #held = new Map<string, Deferred<string>[]>();

  /** Waits at a gate for the word how to go on; an abort ends the wait with `aborted`. */
  async wait(name: string, signal?: AbortSignal): Promise<string> {
    const turn = deferred<string>();
    const queue = this.#held.get(name) ?? [];
    this.#held.set(name, [...queue, turn]);
    const leave = (): void => {
      this.#remove(name, turn);
      turn.resolve('aborted');
    };
    if (signal?.aborted === true) leave();
    signal?.addEventListener('abort', leave, { once: true });
    return turn.promise;
  }

  /** True when a call waits there. */
  isHeld(name: string): boolean {
    return (this.#held.get(name) ?? []).length > 0;
  }

  /** Lets the first call that waits there go on. Returns false when there is none. */
  open(name: string, how: string): boolean {
    const [first] = this.#held.get(name) ?? [];
    if (first === undefined) return false;
    this.#remove(name, first);
    first.resolve(how);
    return true;
  }

  /** Lets everything that waits anywhere go on. */
  openAll(how: string): void {
    for (const name of [...this.#held.keys()]) while (this.open(name, how));
  }

  /** Those who wait never hear anything: their process is gone. */
  forget(): void {
    this.#held.clear();
  }

  #remove(name: string, turn: Deferred<string>): void {
    const queue = this.#held.get(name) ?? [];
    this.#held.set(
      name,
      queue.filter((one) => one !== turn),
    );
  }
}
