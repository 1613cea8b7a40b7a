import type { Clock } from '../../domain/common/clock.ts';
import type { ConnectionBounds } from './host-options.ts';

/** A request whose body arrives in parts. */
export interface PendingBody {
  tooLate(): void;
}

/** Ends requests whose bodies arrive too slowly, for an engine that sets no limit. */
export class BodyDeadlines {
  private readonly clock: Clock;
  private readonly bounds: ConnectionBounds;
  /** Requests with the deadline of their bodies, earliest first. */
  private readonly watched = new Map<PendingBody, number>();
  private cancel: (() => void) | undefined;

  constructor(clock: Clock, bounds: ConnectionBounds) {
    this.clock = clock;
    this.bounds = bounds;
  }

  /** Starts the deadline of a body. A repeated call does nothing. */
  watch(body: PendingBody): void {
    if (this.watched.has(body)) return;
    this.watched.set(body, this.clock.now() + this.bounds.requestMs);
    if (this.cancel === undefined) this.scheduleCheck();
  }

  unwatch(body: PendingBody): void {
    this.watched.delete(body);
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.watched.clear();
  }

  private scheduleCheck(): void {
    this.cancel = this.clock.at(this.clock.now() + this.bounds.lookMs, () => {
      this.cancel = undefined;
      const now = this.clock.now();
      for (const [body, dueAt] of [...this.watched]) if (dueAt <= now) body.tooLate();
      if (this.watched.size > 0) this.scheduleCheck();
    });
  }
}
