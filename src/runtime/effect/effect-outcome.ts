import type { Incoming } from '../engine/actor-state.ts';
import type { EffectResult, EffectRow, Ev } from '../engine/types.ts';
import type { EffectEnd } from '../view/observer.ts';
import type { AttemptOutcome } from './attempt.ts';

/** Creates the event that gives a machine the result of its effect. */
export function toResultEvent(row: EffectRow, result: EffectResult): Incoming {
  const { childId, token, attempt } = row;
  const event: Ev = result.ok
    ? { type: `xstate.done.actor.${childId}`, output: result.output, actorId: childId }
    : { type: `xstate.error.actor.${childId}`, error: result.error, actorId: childId };
  return { event, cause: { by: 'effect', token, attempt }, childId };
}

/** The end of an attempt that was stopped. */
export const STOPPED: EffectEnd = { outcome: 'stopped' };

/** Returns the end of an attempt, as observers get it. */
export function toEffectEnd(outcome: AttemptOutcome): EffectEnd {
  if (outcome.kind !== 'failed') return { outcome: outcome.kind };
  const { code, name } = outcome.error;
  return { outcome: 'failed', error: code ?? name };
}
