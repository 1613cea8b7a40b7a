import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import { AppError } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type { Ev } from '../../runtime/engine/types.ts';
import type { Observed } from '../driver.ts';
import { Model, type ModelState, planViewOf, viewOf } from '../model.ts';
import type { PathPlan, PlanView } from '../path.ts';
import { differencesOf, toPlainJson } from '../path-failure.ts';
import { formatCall, type History, type Operation } from './history.ts';

/** Maximum number of states of one search for an order. */
const STATES_MAX = 500_000;

/** What an event did in the model. */
export interface ModelAnswer {
  readonly event: Ev;
  readonly before: PlanView;
  readonly after: PlanView;
  /** Whether the machine took a transition. */
  readonly isTaken: boolean;
}

/** How a machine explains a history. */
export interface HistoryOptions extends Pick<PathPlan, 'input'> {
  /** Returns the answer that the machine gives to an event. Without it, none are compared. */
  readonly answer?: (answer: ModelAnswer) => unknown;
}

/** Whether the operations on one actor are linearizable. */
export interface Verdict {
  readonly actor: string;
  /**
   * The operations in an order that explains all answers. Unanswered events that were not applied
   * are left out. Absent if there is no order.
   */
  readonly order?: History;
  /** Without an order: how far the best one comes, and what contradicts it. */
  readonly reason?: string;
}

/**
 * Checks for each actor whether some order of the operations explains all answers: each operation
 * takes effect at one moment between call and answer, as the machine says. An event without an
 * answer may have been applied at any time after its call, or never.
 *
 * @throws {AppError} `PATHS_BOUND` if one search needs too many states.
 */
export function checkHistory(
  machine: AnyStateMachine,
  history: History,
  options: HistoryOptions = {},
): readonly Verdict[] {
  const model = new Model(machine);
  const actors = [...new Set(history.map(({ actor }) => actor))];
  return actors.map((actor) => {
    const operations = history.filter((each) => each.actor === actor);
    return { actor, ...new OrderSearch(model, operations, options).run() };
  });
}

/** The search of Wing and Gong with the memory of Lowe: no state is visited twice. */
class OrderSearch {
  readonly #model: Model;
  readonly #operations: History;
  readonly #options: HistoryOptions;
  readonly #visited = new Set<string>();
  readonly #keys = new WeakMap<ModelState, string>();
  #best: { readonly order: History; readonly contradiction: string } | undefined;

  constructor(model: Model, operations: History, options: HistoryOptions) {
    this.#model = model;
    this.#operations = operations;
    this.#options = options;
  }

  run(): Pick<Verdict, 'order' | 'reason'> {
    const { state } = this.#model.start(this.#options.input);
    const order = this.#extend(state, []);
    if (order !== undefined) return { order };
    const { order: longest = [], contradiction = '' } = this.#best ?? {};
    const words = longest.map(formatCall).join(', ');
    return { reason: `after ${words === '' ? 'the start' : words}: ${contradiction}` };
  }

  #extend(state: ModelState, order: History): History | undefined {
    const rest = this.#operations.filter((each) => !order.includes(each));
    const ends = rest.map(({ returnedAt }) => returnedAt ?? Number.POSITIVE_INFINITY);
    const firstEnd = Math.min(...ends);
    if (firstEnd === Number.POSITIVE_INFINITY) return order;
    if (this.#isVisited(state, order)) return undefined;
    for (const operation of rest) {
      if (operation.invokedAt > firstEnd) continue;
      const next = this.#apply(state, operation);
      if (typeof next === 'string') {
        this.#recordContradiction(order, operation, next);
        continue;
      }
      const found = this.#extend(next, [...order, operation]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** @returns The next state; a text if the answer contradicts the machine. */
  #apply(state: ModelState, operation: Operation): ModelState | string {
    const { event, answer, returnedAt } = operation;
    if (event === undefined) {
      const [difference] = differencesOf(viewOf(state), answer as Observed);
      return difference === undefined ? state : describeDifference(difference);
    }
    const { next, isTaken } = this.#move(state, event);
    const expect = this.#options.answer;
    if (returnedAt === undefined || expect === undefined) return next;
    const expected = expect({ event, before: planViewOf(state), after: planViewOf(next), isTaken });
    if (isDeepStrictEqual(toPlainJson(expected), toPlainJson(answer))) return next;
    return describeDifference({ what: 'answer', expected, seen: answer });
  }

  #move(state: ModelState, event: Ev): { readonly next: ModelState; readonly isTaken: boolean } {
    try {
      const moved = this.#model.move(state, { kind: 'event', event, afterEnd: true });
      return { next: moved.state, isTaken: moved.transitionIds.length > 0 };
    } catch (thrown) {
      if (!(thrown instanceof EngineError)) throw thrown;
      // An event that makes the machine throw is refused and changes nothing.
      return { next: state, isTaken: false };
    }
  }

  #isVisited(state: ModelState, order: History): boolean {
    const taken = order.map((operation) => this.#operations.indexOf(operation));
    const key = `${taken.toSorted((one, other) => one - other).join()} ${this.#keyOf(state)}`;
    if (this.#visited.has(key)) return true;
    this.#visited.add(key);
    if (this.#visited.size <= STATES_MAX) return false;
    throw new AppError('PATHS_BOUND', {
      message: `the history needs more than ${STATES_MAX} states; use fewer clients or operations`,
      data: { bound: 'statesMax', limit: STATES_MAX },
    });
  }

  #keyOf(state: ModelState): string {
    const known = this.#keys.get(state);
    if (known !== undefined) return known;
    const { value, status, context, timers, effects } = viewOf(state);
    const key = JSON.stringify([value, status, context, timers, effects]);
    this.#keys.set(state, key);
    return key;
  }

  #recordContradiction(order: History, operation: Operation, words: string): void {
    if (this.#best !== undefined && this.#best.order.length >= order.length) return;
    const { client } = operation;
    this.#best = { order, contradiction: `${client} ${formatCall(operation)}: ${words}` };
  }
}

function describeDifference(o: {
  readonly what: string;
  readonly expected: unknown;
  readonly seen: unknown;
}): string {
  return `${o.what} expected ${JSON.stringify(o.expected)}, seen ${JSON.stringify(o.seen)}`;
}
