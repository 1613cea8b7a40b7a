/** A keyed semaphore: limits concurrent work per key; the rest waits in order. */
export class KeyedSemaphore {
  readonly #keys = new Map<string, KeyState>();

  /**
   * Waits for a slot.
   *
   * @returns A function that releases the slot. Further calls have no effect.
   */
  async acquire(key: string, max: number): Promise<() => void> {
    const state = this.#keys.get(key) ?? { running: 0, waiting: [] };
    this.#keys.set(key, state);
    if (state.running >= max) await new Promise<void>((resolve) => state.waiting.push(resolve));
    else state.running += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(key, state);
    };
  }

  #release(key: string, lane: KeyState): void {
    const next = lane.waiting.shift();
    // The slot passes directly to the next waiter, so no other caller can take it in between.
    if (next !== undefined) {
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#keys.delete(key);
  }
}

interface KeyState {
  running: number;
  readonly waiting: (() => void)[];
}
