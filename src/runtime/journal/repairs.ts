import type { CrashCounter } from '../effect/crashes.ts';
import { isCrashLetter } from '../effect/crashes.ts';
import type { ActorCache } from '../engine/actor-cache.ts';
import type { ActorCell } from '../engine/actor-cell.ts';
import type { Incoming } from '../engine/actor-state.ts';
import { toAck } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import { assertAcceptsEvents, getAuthor } from '../engine/ingress.ts';
import type { Intake } from '../engine/intake.ts';
import type { InternalLane } from '../engine/internal-lane.ts';
import type { Write } from '../engine/ports.ts';
import type { Ack, DeadLetter, EffectRow, RetryOptions } from '../engine/types.ts';

/** Operator actions: complete an effect, retry a dead letter, stop an actor. */
export class Repairs {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  readonly #lane: InternalLane;
  readonly #crashes: CrashCounter;
  /** Retries that are not on disk yet; the store still has their dead letters. */
  readonly #retries = new Map<string, Promise<Ack>>();

  constructor(
    core: Core,
    parts: {
      readonly cells: ActorCache;
      readonly intake: Intake;
      readonly lane: InternalLane;
      readonly crashes: CrashCounter;
    },
  ) {
    this.#core = core;
    this.#cells = parts.cells;
    this.#intake = parts.intake;
    this.#lane = parts.lane;
    this.#crashes = parts.crashes;
  }

  /** Implements `ActorEngine.complete`. */
  complete(effectToken: string, toIncoming: (row: EffectRow) => Incoming): Promise<Ack> {
    return this.#cells.prepare({ ids: listOwners(effectToken) }, () => {
      const { cell, row } = this.#findRunning(effectToken);
      assertAcceptsEvents(cell);
      const incoming = toIncoming(row);
      try {
        return this.#intake.process(cell, incoming);
      } catch (error) {
        return this.#rejectPoison(cell, incoming, error);
      }
    });
  }

  /** Implements `ActorEngine.retry`. */
  retry(deadLetterId: string, o: RetryOptions = {}): Promise<Ack> {
    const known = this.#retries.get(deadLetterId);
    if (known !== undefined) return known;
    const ack = this.#retry(deadLetterId, o);
    this.#retries.set(deadLetterId, ack);
    const settle = (): void => {
      this.#retries.delete(deadLetterId);
    };
    ack.then(settle, settle);
    return ack;
  }

  #retry(deadLetterId: string, o: RetryOptions): Promise<Ack> {
    const read = () => this.#core.store.deadLetter(deadLetterId);
    return this.#cells.prepare({ ids: [], read }, (dead) => {
      if (dead !== undefined) {
        return this.#cells.prepare({ ids: [dead.actorId] }, () => this.#retryLetter(dead, o));
      }
      throw new EngineError('DEAD_LETTER_UNKNOWN', `No dead letter has the id ${deadLetterId}.`, {
        data: { deadLetterId },
      });
    });
  }

  #retryLetter(dead: DeadLetter, o: RetryOptions): Promise<Ack> {
    const { deadLetterId } = dead;
    const extra: Write[] = [{ del: 'dead', deadLetterId }];
    if (dead.event.type === 'actor.create') return this.#retryCreate(dead, extra, o);
    const cell = this.#cells.get(dead.actorId);
    if (isCrashLetter(dead)) return this.#unblockEffect(cell, dead, extra);
    const cause = { by: 'retry', deadLetterId, ...getAuthor(o) } as const;
    const incoming: Incoming = { event: dead.event, cause };
    const wasStuck = cell.live.stuck;
    const ack = this.#intake.process(cell, incoming, { extra });
    if (wasStuck) this.#lane.release(cell);
    return ack;
  }

  /**
   * The machine already took its failure transition. When it starts the child again, the child
   * runs.
   */
  #unblockEffect(cell: ActorCell, { event }: DeadLetter, extra: readonly Write[]): Promise<Ack> {
    const cleared = this.#crashes.clear(cell.subject.id, String(event['childId']));
    return new Promise((resolve, reject) => {
      this.#core.committer.submit([...extra, ...cleared], {
        done: () => resolve(toAck(cell.live)),
        failed: reject,
      });
    });
  }

  /** Implements `ActorEngine.stop`. */
  stop(id: string): Promise<Ack> {
    return this.#cells.prepare({ ids: [id] }, () => {
      const cell = this.#cells.getForRemoval(id);
      const ack = this.#intake.stop(cell);
      this.#cells.add(cell);
      this.#lane.release(cell);
      return ack;
    });
  }

  #retryCreate(deadLetter: DeadLetter, extra: readonly Write[], o: RetryOptions): Promise<Ack> {
    const { kind, input } = deadLetter.event;
    const definition = this.#core.definitions.get(String(kind));
    if (definition === undefined) {
      throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${String(kind)} is not defined.`);
    }
    if (this.#cells.find(deadLetter.actorId) !== undefined) {
      throw new EngineError(
        'ACTOR_KIND_CONFLICT',
        `The actor ${deadLetter.actorId} already exists.`,
      );
    }
    const cause = { by: 'retry', deadLetterId: deadLetter.deadLetterId, ...getAuthor(o) } as const;
    const incoming: Incoming = { event: { type: 'xstate.init', input }, cause };
    return this.#intake.create(definition, deadLetter.actorId, incoming, { extra });
  }

  async #rejectPoison(cell: ActorCell, incoming: Incoming, error: unknown): Promise<never> {
    // The row of the effect stays, so completing it can be tried again.
    const { event, cause } = incoming;
    const dead = await this.#intake.recordPoison(cell, { event, cause }, error, { stick: false });
    throw new EngineError('EVENT_POISON', dead.reason, {
      data: { id: cell.subject.id, deadLetterId: dead.deadLetterId },
      cause: error,
    });
  }

  #findRunning(token: string): { readonly cell: ActorCell; readonly row: EffectRow } {
    for (const id of listOwners(token)) {
      const cell = this.#cells.find(id);
      // A migration may have renamed the effect, so its id can differ from the one in the token.
      const row = [...(cell?.live.effects.values() ?? [])].find((each) => each.token === token);
      if (cell !== undefined && row !== undefined) return { cell, row };
    }
    throw new EngineError('EFFECT_UNKNOWN', `No effect with the token ${token} is running.`, {
      data: { token },
    });
  }
}

/**
 * Returns the actors that an effect may belong to. Tokens are `actor:transition:effect`, and actor
 * and effect can contain colons.
 */
function listOwners(token: string): readonly string[] {
  return [...token.matchAll(/:\d+(?=:)/g)].map(({ index }) => token.slice(0, index));
}
