import type { Clock } from '../../../domain/common/clock.ts';
import { TICK_MS } from '../limits.ts';

/** A member that is called at every tick while it is open. */
export interface Beating {
  beat(now: number): void;
}

/**
 * One shared timer for all open calls and streams, instead of one each. It runs only while
 * something is open.
 */
export class Pulse {
  private readonly clock: Clock;
  private readonly members = new Set<Beating>();
  private cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  now(): number {
    return this.clock.now();
  }

  add(member: Beating): void {
    this.members.add(member);
    if (this.cancel === undefined) this.arm();
  }

  remove(member: Beating): void {
    this.members.delete(member);
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.members.clear();
  }

  private arm(): void {
    this.cancel = this.clock.at(this.clock.now() + TICK_MS, () => {
      this.cancel = undefined;
      const now = this.clock.now();
      for (const member of [...this.members]) member.beat(now);
      if (this.members.size > 0) this.arm();
    });
  }
}
