import { AppError } from '../domain/common/error.ts';
import { listTimers, type Model, type ModelState, viewOf } from './model.ts';
import { createDoneMove, createErrorMove, createWait } from './moves.ts';
import type { FaultName, Move, TestPath, TestStep } from './path.ts';

/** Id and input of a path. */
export interface PathIdentity {
  readonly id: string;
  readonly inputName: string;
  readonly input: unknown;
  readonly seed?: number;
}

/** A move and the faults after it. */
export type FaultedMove = Move & { readonly faults?: readonly FaultName[] };

/** Walks moves on a model and records the state after every step. */
export class Walk {
  readonly #model: Model;
  readonly #begin: TestPath['begin'];
  readonly #input: unknown;
  readonly #steps: TestStep[] = [];
  #state: ModelState;

  constructor(model: Model, input: unknown) {
    const { state, transitionIds } = model.start(input);
    this.#model = model;
    this.#input = input;
    this.#state = state;
    this.#begin = { transitionIds, after: viewOf(state) };
  }

  get state(): ModelState {
    return this.#state;
  }

  get length(): number {
    return this.#steps.length;
  }

  /**
   * Takes one move. Delays are recomputed from the current timers.
   *
   * @returns The transitions taken.
   * @throws {AppError} `PATH_INVALID` if the move is impossible here.
   */
  take(wanted: FaultedMove): readonly string[] {
    const move = this.#refreshDelay(wanted);
    const before = this.#steps.at(-1)?.after ?? this.#begin.after;
    const { state, transitionIds } = this.#model.move(this.#state, move);
    const after = viewOf(state);
    const stateIds = { before: before.stateIds, after: after.stateIds };
    this.#steps.push({ ...move, transitionIds, stateIds, after });
    this.#state = state;
    return transitionIds;
  }

  /** Returns the path so far. */
  path(head: Omit<PathIdentity, 'input'>): TestPath {
    const steps = [...this.#steps];
    const { stateIds } = steps.at(-1)?.after ?? this.#begin.after;
    const machineId = this.#model.machine.id;
    return { ...head, machineId, input: this.#input, begin: this.#begin, steps, stateIds };
  }

  #refreshDelay(move: FaultedMove): FaultedMove {
    if (move.kind !== 'delay') return move;
    const [timer] = listTimers(this.#state);
    const delayMs = Math.max(0, (timer?.due ?? 0) - this.#state.at);
    return { ...move, delayMs, event: timer?.event ?? move.event };
  }
}

/** Creates a path by walking a list of moves. */
export function walkPath(model: Model, head: PathIdentity, moves: Iterable<FaultedMove>): TestPath {
  const { input, ...names } = head;
  const walk = new Walk(model, input);
  for (const move of moves) walk.take(move);
  return walk.path(names);
}

/** A step in its shortest complete form, as part of a saved path. */
export type SavedStep = (
  | {
      readonly event: { readonly type: string; readonly [key: string]: unknown };
      readonly afterEnd?: true;
    }
  | { readonly delay: string }
  | { readonly waitMs: number; readonly afterEnd?: true }
  | { readonly effect: string; readonly src: string; readonly output: unknown }
  | {
      readonly effect: string;
      readonly src: string;
      readonly error: { readonly name: string; readonly code?: string; readonly message: string };
    }
) & { readonly faults?: readonly FaultName[] };

/** Converts a step to its saved form. */
export function toSavedStep(step: TestStep): SavedStep {
  const faults = step.faults === undefined ? {} : { faults: step.faults };
  switch (step.kind) {
    case 'event':
      return { event: step.event, ...isAfterEnd(step), ...faults };
    case 'delay':
      return { delay: step.timerId, ...faults };
    case 'wait':
      return { waitMs: step.waitMs, ...isAfterEnd(step), ...faults };
    case 'effect_done':
      return { effect: step.childId, src: step.src, output: step.output, ...faults };
    case 'effect_error':
      return { effect: step.childId, src: step.src, error: step.error, ...faults };
  }
}

/** Converts a saved step to a move. */
export function toMove(saved: SavedStep): FaultedMove {
  const faults = saved.faults === undefined ? {} : { faults: saved.faults };
  if ('event' in saved) {
    return { kind: 'event', event: saved.event, ...isAfterEnd(saved), ...faults };
  }
  if ('delay' in saved) {
    const event = { type: saved.delay };
    return { kind: 'delay', event, timerId: saved.delay, delayMs: 0, ...faults };
  }
  if ('waitMs' in saved) return { ...createWait(saved.waitMs), ...isAfterEnd(saved), ...faults };
  const { effect: childId, src } = saved;
  const move =
    'error' in saved
      ? createErrorMove({ childId, src, error: saved.error })
      : createDoneMove({ childId, src, output: saved.output });
  return { ...move, ...faults };
}

function isAfterEnd({ afterEnd }: { readonly afterEnd?: true }): { readonly afterEnd?: true } {
  return afterEnd === undefined ? {} : { afterEnd };
}

/** Requires a whole number of at least 1. */
export function requirePositive(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return;
  throw new AppError('INPUT_INVALID', {
    message: `${name} is ${value}; it must be a whole number of at least 1`,
    data: { [name]: value },
  });
}
