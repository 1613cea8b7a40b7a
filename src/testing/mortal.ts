import type { EngineStore, RuntimeClock, Write } from '../runtime/engine/ports.ts';

/** The lifetime of a simulated process. After its end, none of its writes reach the disk. */
export class Life {
  #isOver = false;
  #writing: Promise<unknown> = Promise.resolve();

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Kills the process without a shutdown. */
  end(): void {
    this.#isOver = true;
  }

  /** Resolves when the last started commit is on disk. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Wraps a store so that it hangs after the end of the process. */
  store(store: EngineStore, onCommit: (writes: readonly Write[]) => void): EngineStore {
    const commit = async (writes: readonly Write[]): Promise<void> => {
      if (this.#isOver) await forever();
      const writing = store.commit(writes);
      this.#writing = writing.catch(() => undefined);
      await writing;
      onCommit(writes);
      if (this.#isOver) await forever();
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
  clock(clock: RuntimeClock): RuntimeClock {
    return {
      now: () => clock.now(),
      at: (at, run) => clock.at(at, () => (this.#isOver ? undefined : run())),
    };
  }
}

function forever(): Promise<never> {
  return new Promise<never>(() => undefined);
}
