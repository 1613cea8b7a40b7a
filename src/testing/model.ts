import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import { activeStateIds } from '../machines/graph/machine-graph.ts';
import { nameTimers, step } from '../runtime/engine/step.ts';
import type { NamedTimer, NewEffect, StepResult } from '../runtime/engine/step-types.ts';
import type { Ev } from '../runtime/engine/types.ts';
import { createModelMachine, type ModelMachine } from './model-machine.ts';
import type { Move, PlanView, Standing } from './path.ts';

/** Start of the model clock: 2026-01-01. */
export const MODEL_START_MS = 1_767_225_600_000;
/** Maximum number of timers that fire without the clock advancing. */
const FIRINGS_MAX = 1_000;

/** An immutable state of an actor in the model. */
export interface ModelState {
  readonly snapshot: AnyMachineSnapshot;
  readonly at: number;
  /** When the last timer fired, in model time. */
  readonly firedAt?: number;
  /** The longest delay of all timers so far, in milliseconds. */
  readonly longestDelayMs: number;
  readonly timers: ReadonlyMap<string, NamedTimer>;
  readonly effects: ReadonlyMap<string, NewEffect>;
  readonly messages: readonly unknown[];
}

/** Result of a move. */
export interface MoveResult {
  readonly state: ModelState;
  readonly transitionIds: readonly string[];
}

/**
 * The pure model of a machine. It uses the same `step` as the engine and keeps its own timers,
 * effects and messages.
 */
export class Model {
  readonly machine: AnyStateMachine;
  readonly #model: ModelMachine;

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
    this.#model = createModelMachine(machine);
  }

  /** @throws {EngineError} `EVENT_POISON` if the machine cannot start with this input. */
  start(input: unknown): MoveResult {
    return this.#stepAndFire(undefined, { type: 'xstate.init', input }, MODEL_START_MS);
  }

  /**
   * @throws {AppError} `PATH_INVALID` if the move is impossible here.
   * @throws {EngineError} `EVENT_POISON` if the machine throws.
   */
  move(state: ModelState, move: Move): MoveResult {
    const fault = findMoveProblem(state, move);
    if (fault !== undefined) {
      throw new AppError('PATH_INVALID', { message: fault, data: { event: move.event.type } });
    }
    if (state.snapshot.status !== 'active' && move.kind !== 'wait') {
      return { state, transitionIds: [] };
    }
    if (move.kind === 'wait') {
      return { state: { ...state, at: state.at + move.waitMs }, transitionIds: [] };
    }
    if (move.kind !== 'delay') return this.#stepAndFire(state, move.event, state.at);
    const due = state.timers.get(move.timerId)?.due ?? state.at;
    return this.#fireDue({ ...state, at: Math.max(due, state.at) }, []);
  }

  #stepAndFire(state: ModelState | undefined, event: Ev, at: number): MoveResult {
    const moved = this.#step(state, event, { at });
    return this.#fireDue(moved.state, moved.transitionIds);
  }

  /** Fires due timers in the order of the engine: by time, then by creation. */
  #fireDue(from: ModelState, before: readonly string[]): MoveResult {
    let state = from;
    const transitionIds = [...before];
    for (let firing = 0; firing < FIRINGS_MAX; firing += 1) {
      const [timer] = listTimers(state);
      if (timer === undefined || timer.due > state.at) return { state, transitionIds };
      const { timerId, event } = timer;
      const moved = this.#step(state, event, { at: state.at, timerId });
      state = { ...moved.state, firedAt: state.at };
      transitionIds.push(...moved.transitionIds);
    }
    throw new AppError('PATHS_BOUND', {
      message: `more than ${FIRINGS_MAX} timers fired at once (firingsMax)`,
      data: { bound: 'firingsMax', limit: FIRINGS_MAX },
    });
  }

  #step(
    state: ModelState | undefined,
    event: Ev,
    { at, timerId }: { readonly at: number; readonly timerId?: string },
  ): MoveResult {
    const { result, transitionIds } = this.#model.record(() =>
      step(this.#model.definition, state?.snapshot, event, at),
    );
    const { next, sends, emits } = result;
    const newMessages = [...sends, ...emits];
    const timers = updateTimers(state, result, timerId);
    const effects = updateEffects(state, result, event);
    const messages =
      newMessages.length === 0
        ? (state?.messages ?? [])
        : [...(state?.messages ?? []), ...newMessages];
    const delays = result.timersSet.map(({ due }) => due - at);
    const longestDelayMs = Math.max(state?.longestDelayMs ?? 0, ...delays);
    const { firedAt } = state ?? {};
    const times = { at, longestDelayMs, ...(firedAt === undefined ? {} : { firedAt }) };
    return { state: { ...times, snapshot: next, timers, effects, messages }, transitionIds };
  }
}

/** Returns the view of a model state for paths. */
export function viewOf(state: ModelState): Standing {
  const { snapshot, at, effects, messages } = state;
  const timers = listTimers(state).map(({ timerId, due }) => ({ timerId, dueInMs: due - at }));
  return {
    value: snapshot.value,
    status: snapshot.status,
    stateIds: activeStateIds(snapshot.value),
    context: snapshot.context as Standing['context'],
    timers,
    effects: [...effects.values()].toSorted((a, b) => (a.childId < b.childId ? -1 : 1)),
    messages,
  };
}

/** Returns the view for the functions of a plan. */
export function planViewOf(state: ModelState): PlanView {
  // A plan belongs to one machine, so its functions know the type of the context.
  return { ...viewOf(state), context: state.snapshot.context as never };
}

/** Returns pending timers by due time, then by creation. */
export function listTimers({ timers }: ModelState): readonly NamedTimer[] {
  return [...timers.values()].toSorted((a, b) => a.due - b.due || a.order - b.order);
}

function findMoveProblem(state: ModelState, move: Move): string | undefined {
  if (state.snapshot.status !== 'active') {
    return 'afterEnd' in move ? undefined : 'the actor has ended';
  }
  switch (move.kind) {
    case 'event':
      return undefined;
    case 'delay': {
      const first = listTimers(state)[0]?.timerId;
      return first === move.timerId
        ? undefined
        : `the next timer is ${first ?? 'none'}, not ${move.timerId}`;
    }
    case 'wait': {
      const untilDueMs = (listTimers(state)[0]?.due ?? Number.POSITIVE_INFINITY) - state.at;
      if (move.waitMs > 0 && move.waitMs < untilDueMs) return undefined;
      return `the wait is ${move.waitMs} ms and the next timer is due in ${untilDueMs} ms`;
    }
    case 'effect_done':
    case 'effect_error': {
      const running = state.effects.get(move.childId)?.src;
      return running === move.src ? undefined : `the effect ${move.childId} is not running`;
    }
  }
}

function updateTimers(
  before: ModelState | undefined,
  { next, timersSet, timersCancelled }: StepResult,
  firedId: string | undefined,
): ReadonlyMap<string, NamedTimer> {
  if (next.status !== 'active') return new Map();
  const timers = new Map(before?.timers);
  if (firedId !== undefined) timers.delete(firedId);
  for (const timerId of timersCancelled) timers.delete(timerId);
  for (const timer of nameTimers(timers, timersSet)) {
    timers.delete(timer.timerId);
    timers.set(timer.timerId, timer);
  }
  return timers;
}

function updateEffects(
  before: ModelState | undefined,
  { next, effectsStarted, effectsStopped }: StepResult,
  { type, actorId }: Ev,
): ReadonlyMap<string, NewEffect> {
  if (next.status !== 'active') return new Map();
  const effects = new Map(before?.effects);
  const isEnd = type.startsWith('xstate.done.actor.') || type.startsWith('xstate.error.actor.');
  if (isEnd && typeof actorId === 'string') effects.delete(actorId);
  for (const childId of effectsStopped) effects.delete(childId);
  for (const effect of effectsStarted) effects.set(effect.childId, effect);
  return effects;
}
