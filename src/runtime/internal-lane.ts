import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import type { Core } from './core.ts';
import { POISON_RETRIES, poisonBackoffMs } from './core.ts';
import { EngineError } from './error.ts';
import type { Intake } from './intake.ts';
import type { Incoming, Moment } from './moment.ts';
import type { Write } from './ports.ts';

/** Where an internal event stands once its actor has taken it, or never will. */
export interface Receipt {
  /** Resolves when what became of it is on disk. */
  readonly committed: Promise<unknown>;
}

/** How an internal event is to be judged. */
export interface Route {
  /** False when the row that the event came from is no longer current: it is stale then. */
  readonly isCurrent?: (moment: Moment) => boolean;
  readonly extra?: readonly Write[];
  /** Says what becomes of it when there is no such actor, or none that takes events. */
  readonly nobody?: (error: EngineError) => Promise<unknown>;
}

/**
 * The reserved lane: results, timers and messages between actors. Nothing here is refused. What
 * poisons is tried again a few times; then its actor is stuck and all that follows is held.
 */
export class InternalLane {
  readonly #core: Core;
  readonly #cells: Cells;
  readonly #intake: Intake;
  #closed = false;

  constructor(core: Core, cells: Cells, intake: Intake) {
    this.#core = core;
    this.#cells = cells;
    this.#intake = intake;
  }

  /** Resolves when the event is taken or dropped; stays open while its actor is stuck. */
  deliver(id: string, incoming: Incoming, route: Route): Promise<Receipt> {
    return new Promise((resolve) => this.#attempt({ id, incoming, route, tries: 0, resolve }));
  }

  /** Lets go of what was held while an actor was stuck. */
  release(cell: Cell): void {
    for (const again of cell.held.splice(0)) again();
  }

  close(): void {
    this.#closed = true;
  }

  #attempt(delivery: Delivery): void {
    if (this.#closed) return;
    const cell = this.#find(delivery);
    if (cell === 'unloadable') return;
    const { incoming, route } = delivery;
    if (cell === undefined) {
      const error = new EngineError('ACTOR_UNKNOWN', `no actor has the id ${delivery.id}`);
      answer(delivery, route.nobody?.(error));
    } else if (cell.live.stuck) {
      cell.held.push(() => this.#attempt({ ...delivery, tries: 0 }));
    } else if (route.isCurrent?.(cell.live) === false) {
      answer(delivery, this.#intake.stale(cell, incoming, route.extra));
    } else if (cell.live.snapshot.status !== 'active') {
      const error = new EngineError('ACTOR_CLOSED', `${delivery.id} has ended`);
      answer(delivery, route.nobody?.(error));
    } else {
      this.#take(cell, delivery);
    }
  }

  #take(cell: Cell, delivery: Delivery): void {
    const { id, incoming, route, tries } = delivery;
    try {
      answer(delivery, this.#intake.take(cell, incoming, { extra: route.extra ?? [] }));
    } catch (error) {
      if (tries < POISON_RETRIES) {
        const at = this.#core.clock.now() + poisonBackoffMs(tries);
        this.#core.clock.at(at, () => this.#attempt({ ...delivery, tries: tries + 1 }));
        return;
      }
      answer(delivery, this.#stick(cell, id, delivery, error));
    }
  }

  async #stick(cell: Cell, id: string, { incoming, route }: Delivery, error: unknown) {
    const dead = await this.#intake.poison(cell, incoming, error, {
      stick: true,
      extra: route.extra ?? [],
    });
    this.#core.notice({
      kind: 'actor_stuck',
      actorId: id,
      message: `${id} cannot process ${incoming.event.type} and is stuck: ${dead.reason}`,
      deadLetterId: dead.deadLetterId,
      cause: error,
    });
  }

  #find({ id }: Delivery): Cell | undefined | 'unloadable' {
    try {
      return this.#cells.find(id);
    } catch (cause) {
      // Its rows stay where they are: a program that can load it will find them.
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#core.notice({ kind: 'actor_unloadable', actorId: id, message: why, cause });
      return 'unloadable';
    }
  }
}

interface Delivery {
  readonly id: string;
  readonly incoming: Incoming;
  readonly route: Route;
  readonly tries: number;
  readonly resolve: (receipt: Receipt) => void;
}

function answer(delivery: Delivery, outcome: Promise<unknown> | undefined): void {
  const committed = outcome ?? Promise.resolve();
  // A failed commit ends the engine; who does not wait for it must not end the process as well.
  committed.catch(() => undefined);
  delivery.resolve({ committed });
}
