import { isPromise } from '../load/awaitable.ts';
import { waitFor } from '../timer/clock-steps.ts';
import type { ActorCache } from './actor-cache.ts';
import type { ActorCell } from './actor-cell.ts';
import type { ActorState, Incoming } from './actor-state.ts';
import type { Core } from './core.ts';
import { POISON_RETRIES, poisonBackoffMs } from './core.ts';
import { EngineError } from './error.ts';
import type { Intake } from './intake.ts';
import type { Write } from './ports.ts';

/** Outcome of delivering an internal event. */
export interface DeliveryReceipt {
  /** Resolves when the outcome is on disk. */
  readonly committed: Promise<unknown>;
}

/** How to judge and route an internal event. */
export interface DeliveryRoute {
  /** Returns `false` if the row that produced the event is no longer current; it is then stale. */
  readonly isCurrent?: (state: ActorState) => boolean;
  readonly extra?: readonly Write[];
  /** Handles the event if the actor does not exist or no longer accepts events. */
  readonly onUndeliverable?: (error: EngineError) => Promise<unknown>;
  /** Called if this process cannot load the actor. */
  readonly onUnloadable?: () => void;
}

/**
 * Delivers internal events: effect results, timers and messages between actors. None of them is
 * rejected. A poison event is retried a few times while later events of its actor wait. Then the
 * actor is stuck and later events are held.
 */
export class InternalLane {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  #closed = false;

  constructor(core: Core, cells: ActorCache, intake: Intake) {
    this.#core = core;
    this.#cells = cells;
    this.#intake = intake;
  }

  /** Resolves when the event is processed or dropped; stays pending while its actor is stuck. */
  deliver(id: string, incoming: Incoming, route: DeliveryRoute): Promise<DeliveryReceipt> {
    return new Promise((resolve, reject) => {
      this.#attempt({ mark: {}, id, incoming, route, tries: 0, resolve, reject });
    });
  }

  /** Delivers the events held while an actor was stuck. */
  release(cell: ActorCell): void {
    for (const again of cell.held.splice(0)) again();
  }

  close(): void {
    this.#closed = true;
  }

  #attempt(delivery: Delivery): void {
    if (this.#closed) return;
    if (this.#cells.isReady(delivery.id)) {
      this.#decide(delivery);
      return;
    }
    const decided = this.#cells.prepare({ ids: [delivery.id] }, () => this.#decide(delivery));
    if (isPromise(decided)) decided.catch(delivery.reject);
  }

  #decide(delivery: Delivery): void {
    if (this.#closed) return;
    const cell = this.#findCell(delivery);
    if (cell === 'unloadable') return;
    const { incoming, route } = delivery;
    if (cell === undefined) {
      const error = new EngineError('ACTOR_UNKNOWN', `No actor has the id ${delivery.id}.`);
      settleDelivery(delivery, route.onUndeliverable?.(error));
    } else if (cell.live.stuck || (cell.retried ?? delivery.mark) !== delivery.mark) {
      cell.held.push(() => this.#attempt({ ...delivery, tries: 0 }));
    } else if (route.isCurrent?.(cell.live) === false) {
      settleDelivery(delivery, this.#intake.recordStale(cell, incoming, route.extra));
      this.#continue(cell);
    } else if (cell.live.snapshot.status !== 'active') {
      const error = new EngineError('ACTOR_CLOSED', `The actor ${delivery.id} has ended.`);
      settleDelivery(delivery, route.onUndeliverable?.(error));
      this.#continue(cell);
    } else {
      this.#process(cell, delivery);
    }
  }

  #process(cell: ActorCell, delivery: Delivery): void {
    const { id, incoming, route, tries } = delivery;
    try {
      settleDelivery(delivery, this.#intake.process(cell, incoming, { extra: route.extra ?? [] }));
      this.#continue(cell);
    } catch (error) {
      if (tries < POISON_RETRIES) {
        cell.retried = delivery.mark;
        const again = (): void => this.#attempt({ ...delivery, tries: tries + 1 });
        waitFor(this.#core.clock, poisonBackoffMs(tries), again);
        return;
      }
      cell.retried = undefined;
      settleDelivery(delivery, this.#markStuck(cell, id, delivery, error));
    }
  }

  /** Delivers the events that waited behind a retried event, in order. */
  #continue(cell: ActorCell): void {
    if (cell.retried === undefined) return;
    cell.retried = undefined;
    this.release(cell);
  }

  async #markStuck(cell: ActorCell, id: string, { incoming, route }: Delivery, error: unknown) {
    // The parent of a child decides, as in XState; any other actor waits for a repair.
    if (cell.subject.parent !== undefined) {
      await this.#intake.failChild(cell, incoming, error, route.extra ?? []);
      return;
    }
    const deadLetter = await this.#intake.recordPoison(cell, incoming, error, {
      stick: true,
      extra: route.extra ?? [],
    });
    this.#core.notice({
      kind: 'actor_stuck',
      actorId: id,
      message: `${id} could not process ${incoming.event.type} and is stuck: ${deadLetter.reason}`,
      deadLetterId: deadLetter.deadLetterId,
      cause: error,
    });
  }

  #findCell(delivery: Delivery): ActorCell | undefined | 'unloadable' {
    const { id } = delivery;
    try {
      return this.#cells.find(id);
    } catch (cause) {
      // Its rows stay unchanged, so a process that can load the actor finds them.
      this.#cells.reportUnloadable(id, cause);
      delivery.route.onUnloadable?.();
      return 'unloadable';
    }
  }
}

interface Delivery {
  /** Stays the same across retries. */
  readonly mark: object;
  readonly id: string;
  readonly incoming: Incoming;
  readonly route: DeliveryRoute;
  readonly tries: number;
  readonly resolve: (receipt: DeliveryReceipt) => void;
  readonly reject: (error: unknown) => void;
}

function settleDelivery(delivery: Delivery, outcome: Promise<unknown> | undefined): void {
  const committed = outcome ?? Promise.resolve();
  // A failed commit stops the engine. A caller that does not await must not crash the process too.
  committed.catch(() => undefined);
  delivery.resolve({ committed });
}
