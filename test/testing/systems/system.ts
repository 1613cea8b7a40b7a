import type { AnyStateMachine } from 'xstate';
import { assign, createMachine, fromPromise } from 'xstate';
import type { EffectResult, Ev } from '../../../src/runtime/engine/types.ts';
import type { ConcurrentDriver } from '../../../src/testing/concurrency/concurrent-driver.ts';
import type { ModelAnswer } from '../../../src/testing/concurrency/linearize.ts';
import type { Driver } from '../../../src/testing/driver.ts';
import type { PathPlan } from '../../../src/testing/path.ts';

/** Numbers by name: contexts and payloads of the small systems hold nothing else. */
export type Numbers = Readonly<Record<string, number>>;

/** A small system with a correct form and one seeded fault. */
export interface System {
  readonly name: string;
  /** Whether the fault is a published bug, named in a comment at the system. */
  readonly isPublished: boolean;
  readonly machine: AnyStateMachine;
  readonly events: PathPlan['events'];
  /** For a system with one caller at a time. */
  readonly driver?: (isFaulty: boolean) => Driver;
  /** For a system with several callers at once. */
  readonly clients?: (isFaulty: boolean) => ConcurrentDriver;
  readonly answer?: (answer: ModelAnswer) => unknown;
}

/** A plain program under test. Its members are called by event type. */
export interface Program {
  readonly on: Readonly<Record<string, (event: Numbers, key: string) => void>>;
  readonly look: () => {
    readonly value: unknown;
    readonly isOver?: boolean;
    readonly facets?: Numbers;
    readonly effects?: readonly string[];
  };
  readonly settle?: (src: string, isGood: boolean) => void;
  /** The process is killed and started again: what is only in memory is lost. */
  readonly restart?: () => void;
  /** Whether a repeated key must change nothing. */
  readonly isKeyed?: boolean;
}

/** Named timers of a plain program. */
export class Timers {
  now = 0;
  #order = 0;
  readonly #due = new Map<string, { at: number; order: number; run: () => void }>();

  set(name: string, ms: number, run: () => void): void {
    this.#order += 1;
    this.#due.set(name, { at: this.now + ms, order: this.#order, run });
  }

  cancel(name: string): void {
    this.#due.delete(name);
  }

  clear(): void {
    this.#due.clear();
  }

  advance(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [next] = [...this.#due].toSorted(
        ([, one], [, other]) => one.at - other.at || one.order - other.order,
      );
      if (next === undefined || next[1].at > until) break;
      this.#due.delete(next[0]);
      this.now = next[1].at;
      next[1].run();
    }
    this.now = until;
  }
}

/** A system with one caller at a time. */
export function oneCaller(
  name: string,
  o: {
    readonly isPublished?: boolean;
    readonly machine: AnyStateMachine;
    readonly events?: PathPlan['events'];
    readonly program: (isFaulty: boolean, timers: Timers) => Program;
  },
): System {
  const { machine, events, isPublished = false } = o;
  return { name, isPublished, machine, events, driver: (isFaulty) => drive(o.program, isFaulty) };
}

function drive(program: (isFaulty: boolean, timers: Timers) => Program, isFaulty: boolean): Driver {
  const timers = new Timers();
  const run = program(isFaulty, timers);
  let sent = 0;
  const repeat = async (step: { readonly event: Ev } | undefined): Promise<void> => {
    if (step !== undefined) deliver(step.event);
  };
  const deliver = (event: Ev): void => run.on[event.type]?.(event as never, `key-${sent}`);
  return {
    start: async () => undefined,
    send: async (event) => {
      sent += 1;
      deliver(event);
    },
    elapse: async ({ delayMs }) => timers.advance(delayMs),
    wait: async (ms) => timers.advance(ms),
    settle: async ({ src }, result: EffectResult) => run.settle?.(src, result.ok),
    observe: async () => {
      const { value, isOver = false, facets, effects } = run.look();
      const status = isOver ? 'done' : 'active';
      return { value, status, ...(facets && { facets }), ...(effects && { effects }) };
    },
    faults: {
      ...(run.restart && { kill_restart: async () => run.restart?.() }),
      ...(run.isKeyed === true && { duplicate: repeat, lost_reply: repeat }),
    },
    close: async () => undefined,
  };
}

/** A server under test that several clients call at once. */
export interface Server {
  /** Returns the answer of an event. */
  readonly send: (event: Numbers & { readonly type: string }, key: string) => Promise<unknown>;
  readonly read: () => Promise<{ readonly value: unknown; readonly facets: Numbers }>;
  readonly restart?: () => void;
}

/** A system with several callers at once. `pause` stands where the server waits for something. */
export function manyCallers(
  name: string,
  o: {
    readonly isPublished?: boolean;
    readonly machine: AnyStateMachine;
    readonly events?: PathPlan['events'];
    readonly answer?: (answer: ModelAnswer) => unknown;
    readonly server: (isFaulty: boolean, pause: () => Promise<void>) => Server;
  },
): System {
  const { machine, events, answer, isPublished = false } = o;
  const clients = (isFaulty: boolean): ConcurrentDriver => {
    let server: Server | undefined;
    const running = (): Server => server as Server;
    const restart = async (): Promise<void> => running().restart?.();
    return {
      start: async ({ pause }) => {
        server = o.server(isFaulty, () => pause());
      },
      send: ({ event, key }) => running().send(event as never, key),
      read: async () => ({ ...(await running().read()), status: 'active' }),
      killAndRestart: restart,
      close: async () => undefined,
    };
  };
  return { name, isPublished, machine, events, clients, ...(answer && { answer }) };
}

/** Creates a machine from a config of this folder. Its children never end by themselves. */
export function machineOf(config: object, children: readonly string[] = []): AnyStateMachine {
  const never = fromPromise(() => new Promise(() => undefined));
  const actors = Object.fromEntries(children.map((name) => [name, never]));
  return createMachine(config as never).provide({ actors } as never) as AnyStateMachine;
}

/** An action that changes numbers in the context. */
export function set(change: (context: Numbers, event: Numbers) => Numbers): unknown {
  return assign(({ context, event }) => change(context as Numbers, event as never));
}

/** A guard over the numbers of context and event. */
export function when(isTrue: (context: Numbers, event: Numbers) => boolean) {
  return (o: { readonly context: unknown; readonly event: unknown }): boolean =>
    isTrue(o.context as Numbers, o.event as Numbers);
}

/** Reads a number that must be there. */
export function num(numbers: Numbers, name: string): number {
  return numbers[name] ?? 0;
}
