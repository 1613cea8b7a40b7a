import type { EngineStore, RuntimeClock, Write } from '../runtime/engine/ports.ts';

/** The lifetime of a simulated process. After its end, none of its writes reach the disk. */
export class SimulatedProcess {
  #isKilled = false;
  #writing: Promise<unknown> = Promise.resolve();

  get isOver(): boolean {
    return this.#isKilled;
  }

  /** Kills the process without a shutdown. */
  kill(): void {
    this.#isKilled = true;
  }

  /** Resolves when the last started commit is on disk. */
  async waitUntilWritten(): Promise<void> {
    await this.#writing;
  }

  /** Wraps a store so that it hangs after the end of the process. */
  wrapStore(store: EngineStore, onCommit: (writes: readonly Write[]) => void): EngineStore {
    const commit = async (writes: readonly Write[]): Promise<void> => {
      if (this.#isKilled) await pendingForever();
      const writing = store.commit(writes);
      this.#writing = writing.catch(() => undefined);
      await writing;
      onCommit(writes);
      if (this.#isKilled) await pendingForever();
    };
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit') return commit;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Wraps a clock so that it wakes nothing after the end of the process. */
  wrapClock(clock: RuntimeClock): RuntimeClock {
    return {
      now: () => clock.now(),
      at: (at, run) => clock.at(at, () => (this.#isKilled ? undefined : run())),
    };
  }
}

function pendingForever(): Promise<never> {
  return new Promise<never>(() => undefined);
}
