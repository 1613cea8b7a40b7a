import type { Clock } from '../../domain/common/clock.ts';
import { pause } from './pause.ts';

/** How often one host may be asked. */
export interface Pace {
  readonly intervalMs: number;
  readonly concurrency: number;
}

/** Requests that wait for their turn at one host; more are refused. */
export const TURNS_WAITING_MAX = 64;

/**
 * Turns at one host: a least distance from one request to the next, and a most that are under way.
 * A turn that would come after its deadline is refused at once, so that nobody waits in vain.
 */
export class HostPace {
  readonly #clock: Clock;
  readonly #pace: Pace;
  #nextAt = 0;
  #heldUntil = 0;
  #underWay = 0;
  #reserved = 0;
  readonly #freed: (() => void)[] = [];

  constructor(clock: Clock, pace: Pace) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /**
   * Waits for a turn.
   *
   * @param deadline - Milliseconds; a turn later than this is none.
   * @returns The way to give the turn back; `undefined` when there is none in time.
   */
  async take(deadline: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#reserved >= TURNS_WAITING_MAX || this.#startOfNext() > deadline) return undefined;
    this.#reserved += 1;
    try {
      while (this.#underWay >= this.#pace.concurrency) {
        const isOver = await this.#freeOrLate(deadline, signal);
        if (isOver) return undefined;
      }
      const at = this.#startOfNext();
      if (at > deadline) return undefined;
      this.#underWay += 1;
      this.#nextAt = at + this.#pace.intervalMs;
      await pause(this.#clock, at - this.#clock.now(), signal);
    } finally {
      this.#reserved -= 1;
    }
    return () => this.#giveBack();
  }

  /** Nobody asks this host before that time: it said so. */
  holdUntil(at: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, at);
    this.#nextAt = Math.max(this.#nextAt, at);
  }

  /** Milliseconds for which the host wants to be left alone; 0 for none. */
  heldMs(): number {
    return Math.max(0, this.#heldUntil - this.#clock.now());
  }

  #startOfNext(): number {
    return Math.max(this.#clock.now(), this.#nextAt);
  }

  #giveBack(): void {
    this.#underWay -= 1;
    this.#freed.shift()?.();
  }

  /** @returns Whether the time was up before anything became free. */
  #freeOrLate(deadline: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        off();
        signal?.removeEventListener('abort', late);
        const at = this.#freed.indexOf(free);
        if (at >= 0) this.#freed.splice(at, 1);
        resolve(isOver);
      };
      const free = () => end(false);
      const late = () => end(true);
      const off = this.#clock.at(deadline, late);
      signal?.addEventListener('abort', late, { once: true });
      this.#freed.push(free);
    });
  }
}
