import type { AnyStateNode } from 'xstate';
import { iterateNodes } from '../machines/graph/machine-graph.ts';
import type { EffectError } from '../runtime/engine/types.ts';
import type { Model, ModelState } from './model.ts';
import { listTimers, planViewOf } from './model.ts';
import type { Move, OpenEffect, PathPlan, PlanView } from './path.ts';

/** All possible moves of a machine, in a fixed order. */
export class MoveGenerator {
  readonly #plan: PathPlan;
  readonly #types: readonly string[];

  constructor({ machine }: Model, plan: PathPlan) {
    this.#plan = plan;
    const named = [...iterateNodes(machine.root)].flatMap((node) => node.ownEvents);
    const types = new Set<string>([...named, ...Object.keys(plan.events ?? {})]);
    this.#types = [...types].filter((type) => !type.startsWith('xstate.') && !type.includes('*'));
  }

  /** Returns the moves from a state, including ignored ones. A final state has none. */
  listMoves(state: ModelState): readonly Move[] {
    if (state.snapshot.status !== 'active') return [];
    const view = planViewOf(state);
    return [
      ...this.#types.flatMap((type) => this.#eventMoves(type, view)),
      ...delayMoves(state),
      ...view.effects.flatMap((effect) => this.#endMoves(effect, view)),
    ];
  }

  #eventMoves(type: string, view: PlanView): readonly Move[] {
    const choices = this.#plan.events?.[type] ?? [{}];
    const payloads = typeof choices === 'function' ? choices(view) : choices;
    return payloads.map((payload) => ({ kind: 'event', event: { ...payload, type } }));
  }

  #endMoves(effect: OpenEffect, view: PlanView): readonly Move[] {
    const { childId, src } = effect;
    const ends = this.#plan.effects?.[src] ?? {};
    const failed: EffectError = { name: 'Error', message: `${src} failed` };
    const outputs = listEnds(ends.done ?? [null], effect, view);
    const errors = listEnds(ends.error ?? [failed], effect, view);
    return [
      ...outputs.map((output) => createDoneMove({ childId, src, output })),
      ...errors.map((error) => createErrorMove({ childId, src, error })),
    ];
  }
}

/** Checks whether an active state names the event type, directly or by a wildcard. */
export function isEventNamed(state: ModelState, type: string): boolean {
  const nodes = state.snapshot._nodes as readonly AnyStateNode[];
  return nodes.some((node) =>
    node.ownEvents.some((descriptor) => matchesDescriptor(descriptor, type)),
  );
}

/** Creates the move that completes an effect. */
export function createDoneMove(o: {
  readonly childId: string;
  readonly src: string;
  readonly output: unknown;
}): Move {
  const event = { type: `xstate.done.actor.${o.childId}`, output: o.output, actorId: o.childId };
  return { kind: 'effect_done', event, ...o };
}

/** Creates the move that fails an effect. */
export function createErrorMove(o: {
  readonly childId: string;
  readonly src: string;
  readonly error: EffectError;
}): Move {
  const event = { type: `xstate.error.actor.${o.childId}`, error: o.error, actorId: o.childId };
  return { kind: 'effect_error', event, ...o };
}

/** Advances time to the next timer. Others due at the same time fire too. */
function delayMoves(state: ModelState): readonly Move[] {
  const [timer] = listTimers(state);
  if (timer === undefined) return [];
  const { timerId, due, event } = timer;
  return [{ kind: 'delay', event, timerId, delayMs: Math.max(0, due - state.at) }];
}

function matchesDescriptor(descriptor: string, type: string): boolean {
  if (descriptor === type || descriptor === '*') return true;
  return descriptor.endsWith('.*') && type.startsWith(descriptor.slice(0, -1));
}

type EndChoices<T> = readonly T[] | ((effect: OpenEffect, view: PlanView) => readonly T[]);

function listEnds<T>(ends: EndChoices<T>, effect: OpenEffect, view: PlanView): readonly T[] {
  return typeof ends === 'function' ? ends(effect, view) : ends;
}
