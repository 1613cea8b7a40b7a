import type { SeededRandom } from '../seeded-random.ts';

/** A place where a task waits until the scheduler lets it go on. */
export interface Gate {
  readonly label: string;
  readonly open: () => void;
}

/** Number of turns of the event loop after which tasks count as waiting. */
const IDLE_TURNS = 4;

/** Holds the tasks of one run and lets one of them go on at a time. */
export class Scheduler {
  readonly chance: SeededRandom;
  #gates: Gate[] = [];
  #isHolding = false;

  constructor(chance: SeededRandom) {
    this.chance = chance;
  }

  get gates(): readonly Gate[] {
    return this.#gates;
  }

  /** Resolves when the scheduler chooses this task. Resolves at once before and after the run. */
  readonly pause = (label = 'pause'): Promise<void> => {
    if (!this.#isHolding) return Promise.resolve();
    return new Promise((resolve) => {
      const gate: Gate = {
        label,
        open: () => {
          this.#gates = this.#gates.filter((each) => each !== gate);
          resolve();
        },
      };
      this.#gates.push(gate);
    });
  };

  /** From now on, tasks wait. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Lets all tasks go on, now and later. */
  release(): void {
    this.#isHolding = false;
    for (const { open } of this.#gates) open();
  }

  /** Forgets all waiting tasks, which never go on: their process is gone. */
  forget(): void {
    this.#gates = [];
    this.#isHolding = false;
  }

  /** Waits until no task goes on by itself. */
  async waitUntilIdle(): Promise<void> {
    for (let turn = 0; turn < IDLE_TURNS; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
