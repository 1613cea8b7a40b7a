import type { AnyStateNode } from 'xstate';
import type { EffectError } from '../runtime/engine/types.ts';
import { type Model, type ModelState, standingOf, timersOf } from './model.ts';
import { nodesOf } from './model-machine.ts';
import type { ModelView, Move, OpenEffect, PathPlan } from './path.ts';

/** All possible moves of a machine, in a fixed order. */
export class Moves {
  readonly #plan: PathPlan;
  readonly #types: readonly string[];

  constructor({ machine }: Model, plan: PathPlan) {
    this.#plan = plan;
    const named = [...nodesOf(machine.root)].flatMap((node) => node.ownEvents);
    const types = new Set<string>([...named, ...Object.keys(plan.events ?? {})]);
    this.#types = [...types].filter((type) => !type.startsWith('xstate.') && !type.includes('*'));
  }

  /** Returns the moves from a state, including ignored ones. A final state has none. */
  of(state: ModelState): readonly Move[] {
    if (state.snapshot.status !== 'active') return [];
    const view = standingOf(state);
    return [
      ...this.#types.flatMap((type) => this.#events(type, view)),
      ...delaysOf(state),
      ...view.effects.flatMap((effect) => this.#ends(effect, view)),
    ];
  }

  #events(type: string, view: ModelView): readonly Move[] {
    const given = this.#plan.events?.[type] ?? [{}];
    const payloads = typeof given === 'function' ? given(view) : given;
    return payloads.map((payload) => ({ kind: 'event', event: { ...payload, type } }));
  }

  #ends(effect: OpenEffect, view: ModelView): readonly Move[] {
    const { childId, src } = effect;
    const ends = this.#plan.effects?.[src] ?? {};
    const failed: EffectError = { name: 'Error', message: `${src} failed` };
    const outputs = listOf(ends.done ?? [null], effect, view);
    const errors = listOf(ends.error ?? [failed], effect, view);
    return [
      ...outputs.map((output) => doneMove({ childId, src, output })),
      ...errors.map((error) => errorMove({ childId, src, error })),
    ];
  }
}

/** Checks whether an active state names the event type, directly or by a wildcard. */
export function isNamed(state: ModelState, type: string): boolean {
  const nodes = state.snapshot._nodes as readonly AnyStateNode[];
  return nodes.some((node) => node.ownEvents.some((descriptor) => fits(descriptor, type)));
}

/** Creates the move that completes an effect. */
export function doneMove(o: {
  readonly childId: string;
  readonly src: string;
  readonly output: unknown;
}): Move {
  const event = { type: `xstate.done.actor.${o.childId}`, output: o.output, actorId: o.childId };
  return { kind: 'effect_done', event, ...o };
}

/** Creates the move that fails an effect. */
export function errorMove(o: {
  readonly childId: string;
  readonly src: string;
  readonly error: EffectError;
}): Move {
  const event = { type: `xstate.error.actor.${o.childId}`, error: o.error, actorId: o.childId };
  return { kind: 'effect_error', event, ...o };
}

/** Advances time to the next timer. Others due at the same time fire too. */
function delaysOf(state: ModelState): readonly Move[] {
  const [timer] = timersOf(state);
  if (timer === undefined) return [];
  const { timerId, due, event } = timer;
  return [{ kind: 'delay', event, timerId, delayMs: Math.max(0, due - state.at) }];
}

function fits(descriptor: string, type: string): boolean {
  if (descriptor === type || descriptor === '*') return true;
  return descriptor.endsWith('.*') && type.startsWith(descriptor.slice(0, -1));
}

type Ends<T> = readonly T[] | ((effect: OpenEffect, view: ModelView) => readonly T[]);

function listOf<T>(ends: Ends<T>, effect: OpenEffect, view: ModelView): readonly T[] {
  return typeof ends === 'function' ? ends(effect, view) : ends;
}
