import type { ActorState, Incoming } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { InternalLane } from '../engine/internal-lane.ts';
import type { Ev } from '../engine/types.ts';
import { toBounded } from '../value/plain.ts';
import type { EffectRun } from './effect-run.ts';

/** An event from a running effect to its actor. */
export interface SentBack {
  readonly run: EffectRun;
  readonly attempt: number;
  readonly event: Ev;
}

/**
 * Gives an actor an event of its effect, in the order of the calls. A stopped effect sends nothing.
 *
 * @throws {EngineError} `EVENT_INVALID`; `OVERLOADED` if too many events are not on disk yet.
 */
export function sendToActor(
  { limits: { mailboxMax, eventCharsMax } }: Core,
  lane: InternalLane,
  { run, attempt, event: sent }: SentBack,
): void {
  const { actorId, row } = run;
  const { token, childId, trace } = row;
  if (run.isStopped) return;
  const event = toBounded(sent, 'event', eventCharsMax);
  if (run.unsent >= mailboxMax) {
    const message = `${row.src} of ${actorId} has ${mailboxMax} events that are not on disk yet.`;
    throw new EngineError('OVERLOADED', message, { data: { id: actorId, mailboxMax } });
  }
  run.unsent += 1;
  const cause = { by: 'effect', token, attempt } as const;
  const incoming: Incoming = trace === undefined ? { event, cause } : { event, cause, trace };
  const isCurrent = (state: ActorState) => state.effects.get(childId)?.token === token;
  const delivered = lane.deliver(actorId, incoming, { isCurrent });
  delivered
    .then(({ committed }) => committed)
    .then(
      () => {
        run.unsent -= 1;
      },
      // A failed commit has stopped the engine.
      () => undefined,
    );
}
