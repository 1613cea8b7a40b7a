import { isDeepStrictEqual } from 'node:util';
import type { AnyActor, AnyStateMachine, AnyStateNode } from 'xstate';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import { createModelMachine } from './model-machine.ts';
import type { Standing, TestPath, TestStep } from './path.ts';
import { toPlainJson } from './path-failure.ts';

/**
 * Plays a path on an actor of XState itself, with the clock of XState, and compares state, status
 * and context after each step with the model. So a fault that the model shares with the engine is
 * not hidden. Where XState itself cannot go on alike, the rest is not compared: after two timers of
 * one name, after states that exclude each other, and after a send to an actor that it lacks.
 *
 * @throws {AppError} `PATH_INVALID` if the model differs from XState.
 */
export function confirmWithXState(machine: AnyStateMachine, path: TestPath): void {
  const witness = new Witness(machine, path.input);
  try {
    let done = 0;
    if (!witness.agrees(path, path.begin.after, done)) return;
    for (const step of path.steps) {
      done += 1;
      if (step.after.status !== 'active' && 'afterEnd' in step) return;
      witness.take(step);
      if (!witness.agrees(path, step.after, done)) return;
    }
  } finally {
    witness.actor.stop();
  }
}

class Witness {
  readonly actor: AnyActor;
  readonly #clock = new SimulatedClock();
  #timeouts = 0;
  #hasFailed = false;

  constructor(machine: AnyStateMachine, input: unknown) {
    const { machine: copy, effects } = createModelMachine(machine).definition;
    const never = fromPromise(() => new Promise(() => undefined));
    const actors = Object.fromEntries(Object.keys(effects).map((name) => [name, never]));
    const clock = {
      setTimeout: (run: () => void, ms: number) => {
        this.#timeouts += 1;
        return this.#clock.setTimeout(() => {
          this.#timeouts -= 1;
          run();
        }, ms);
      },
      clearTimeout: (id: number) => {
        this.#timeouts -= 1;
        this.#clock.clearTimeout(id);
      },
    };
    const options = { input, clock, logger: () => undefined };
    this.actor = createActor(copy.provide({ actors } as never), options);
    this.actor.subscribe({
      error: () => {
        this.#hasFailed = true;
      },
    });
    this.actor.start();
  }

  take(step: TestStep): void {
    switch (step.kind) {
      case 'delay':
        this.#clock.increment(step.delayMs);
        return;
      case 'wait':
        this.#clock.increment(step.waitMs);
        return;
      case 'event':
      case 'effect_done':
      case 'effect_error':
        this.actor.send(step.event);
    }
  }

  /** @returns False if XState cannot go on alike. */
  agrees(path: TestPath, expected: Standing, stepsDone: number): boolean {
    if (this.#hasFailed || this.#hasTwins || this.#isTorn) return false;
    const { value, status, context } = this.actor.getSnapshot();
    const mine = toPlainJson({ value, status, context });
    const model = toPlainJson(pickCompared(expected));
    // An actor in the context has another form in XState than at rest.
    if (JSON.stringify(mine).includes('"xstate$$type"')) return false;
    if (isDeepStrictEqual(mine, model)) return true;
    throw new AppError('PATH_INVALID', {
      message:
        `${path.machineId}, path ${path.id}: after step ${stepsDone} the model has ` +
        `${JSON.stringify(model)}, XState itself has ${JSON.stringify(mine)}`,
      data: { pathId: path.id, stepsDone },
    });
  }

  /** True once two timers of one name run: XState enters an active state again from a history. */
  get #hasTwins(): boolean {
    const { _scheduledEvents: scheduled } = this.actor.system.getSnapshot();
    return this.#timeouts !== Object.keys(scheduled).length;
  }

  /** True once states are active that exclude each other, which a history state can cause. */
  get #isTorn(): boolean {
    const active = new Set<AnyStateNode>(this.actor.getSnapshot()._nodes);
    return [...active].some(({ type, states, parent }) => {
      if (parent !== undefined && !active.has(parent)) return true;
      const children = Object.values(states).filter((child) => child.type !== 'history');
      const count = children.filter((child) => active.has(child)).length;
      return type === 'parallel' ? count < children.length : type === 'compound' && count !== 1;
    });
  }
}

function pickCompared({ value, status, context }: Standing) {
  return { value, status, context };
}
