import type { AnyStateNode } from 'xstate';
import { iterateNodes } from '../machines/graph/machine-graph.ts';
import type { EffectError } from '../runtime/engine/types.ts';
import type { Model, ModelState } from './model.ts';
import { listTimers, planViewOf } from './model.ts';
import type { Move, OpenEffect, PathPlan, PlanView } from './path.ts';

/** All possible moves of a machine, in a fixed order. */
export class MoveGenerator {
  readonly #plan: PathPlan;
  readonly #types: string[];
  /** Wildcards by the event type that was created for each. */
  readonly #wildcards = new Map<string, string>();

  constructor({ machine }: Model, plan: PathPlan) {
    this.#plan = plan;
    // `ownEvents` leaves out the events that a state forbids.
    const named = [...iterateNodes(machine.root)].flatMap((node) => [...node.transitions.keys()]);
    const types = new Set<string>([...named, ...Object.keys(plan.events ?? {})]);
    const outer = [...types].filter((type) => !type.startsWith('xstate.'));
    this.#types = outer.filter((type) => !isWildcard(type));
    for (const wildcard of outer.filter(isWildcard)) {
      const isMatched = (type: string): boolean =>
        !named.includes(type) && findDescriptor(named, type) === wildcard;
      if (this.#types.some(isMatched)) continue;
      const type = createMatchingType(wildcard, isMatched);
      this.#wildcards.set(type, wildcard);
      this.#types.push(type);
    }
  }

  /** Returns the events and waits after the end of an actor, which must change nothing. */
  listMovesAfterEnd(state: ModelState): readonly Move[] {
    const view = planViewOf(state);
    const events = this.#types.flatMap((type) => this.#eventMoves(type, view));
    const waits = state.longestDelayMs > 0 ? [createWait(state.longestDelayMs)] : [];
    return [...events, ...waits].map((move) => ({ ...move, afterEnd: true }) as Move);
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
    const choices = this.#plan.events?.[this.#wildcards.get(type) ?? type] ?? [{}];
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

/**
 * Returns the moves that only let time pass: to 1 ms before the next timer, to 1 ms after the last
 * one, and, if no timer is pending, by the longest delay so far, when a stale timer would fire.
 */
export function listWaits(state: ModelState): readonly Move[] {
  if (state.snapshot.status !== 'active') return [];
  const [next] = listTimers(state);
  const untilDueMs = next === undefined ? Number.POSITIVE_INFINITY : next.due - state.at;
  const waits = new Set<number>();
  if (state.firedAt === state.at && untilDueMs > 1) waits.add(1);
  const longestMs = next === undefined ? state.longestDelayMs : untilDueMs - 1;
  if (longestMs > 0) waits.add(longestMs);
  return [...waits].map(createWait);
}

/** Creates the move that lets time pass while no timer is due. */
export function createWait(waitMs: number): Move {
  return { kind: 'wait', event: { type: `wait ${waitMs} ms` }, waitMs };
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
  return descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1));
}

function isWildcard(descriptor: string): boolean {
  return descriptor === '*' || descriptor.endsWith('.*');
}

/** Returns the most specific descriptor that matches a type, which XState tries first. */
function findDescriptor(descriptors: readonly string[], type: string): string | undefined {
  const matching = descriptors.filter((descriptor) => matchesDescriptor(descriptor, type));
  return matching.toSorted((one, other) => other.length - one.length)[0];
}

/** Creates an event type that only this wildcard takes. */
function createMatchingType(wildcard: string, isMatched: (type: string) => boolean): string {
  const stem = `${wildcard.slice(0, -1)}any`;
  for (let n = 0; ; n += 1) {
    const type = n === 0 ? stem : `${stem}_${n}`;
    if (isMatched(type)) return type;
  }
}

type EndChoices<T> = readonly T[] | ((effect: OpenEffect, view: PlanView) => readonly T[]);

function listEnds<T>(ends: EndChoices<T>, effect: OpenEffect, view: PlanView): readonly T[] {
  return typeof ends === 'function' ? ends(effect, view) : ends;
}
