/** Lets at most some of a key run at once; the others wait in order. */
export class Limiter {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Waits for a place.
   *
   * @returns What gives the place back; calling it again does nothing.
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
    // The place goes over as it is: nobody can slip in between.
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
