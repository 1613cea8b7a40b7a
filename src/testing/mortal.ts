import type { EngineStore, RuntimeClock, Write } from '../runtime/engine/ports.ts';

/** The life of one simulated process: when it is over, nothing of it reaches the disk any more. */
export class Life {
  #isOver = false;
  #writing: Promise<unknown> = Promise.resolve();

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the process without a word. */
  end(): void {
    this.#isOver = true;
  }

  /** Resolves when the last commit that was begun is on disk. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** A store that knows of nothing after the end of the process. */
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

  /** A clock that wakes nobody after the end of the process. */
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
