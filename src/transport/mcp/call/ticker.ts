import type { Clock } from '../../../domain/common/clock.ts';
import { TICK_MS } from '../limits.ts';

/** A member that is called at every tick while it is open. */
export interface Tickable {
  tick(now: number): void;
}

/**
 * One shared timer for all open calls and streams, instead of one each. It runs only while
 * something is open.
 */
export class Ticker {
  private readonly clock: Clock;
  private readonly members = new Set<Tickable>();
  private cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  now(): number {
    return this.clock.now();
  }

  add(member: Tickable): void {
    this.members.add(member);
    if (this.cancel === undefined) this.scheduleTick();
  }

  remove(member: Tickable): void {
    this.members.delete(member);
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.members.clear();
  }

  private scheduleTick(): void {
    this.cancel = this.clock.at(this.clock.now() + TICK_MS, () => {
      this.cancel = undefined;
      const now = this.clock.now();
      for (const member of [...this.members]) member.tick(now);
      if (this.members.size > 0) this.scheduleTick();
    });
  }
}
