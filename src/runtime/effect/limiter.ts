/** A keyed semaphore: limits concurrent work per key; the rest waits in order. */
export class Limiter {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Waits for a slot.
   *
   * @returns A function that releases the slot. Further calls have no effect.
   */
  async acquire(key: string, max: number): Promise<() => void> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running >= max) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(key, lane);
    };
  }

  #release(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    // The slot passes directly to the next waiter, so no other caller can take it in between.
    if (next !== undefined) {
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}
