import fc from 'fast-check';
import type { AnyActor, AnyStateMachine } from 'xstate';
import { createActor, initialTransition, transition } from 'xstate';
import { getShortestPaths, getSimplePaths } from 'xstate/graph';
import { iterateNodes } from '../../../src/machines/graph/machine-graph.ts';
import type { Ev } from '../../../src/runtime/engine/types.ts';
import { checkSystem } from '../../../src/testing/check-system.ts';
import {
  HistoryFailure,
  runConcurrently,
} from '../../../src/testing/concurrency/run-concurrently.ts';
import type { Driver, Observed } from '../../../src/testing/driver.ts';
import { differencesOf, PathFailure } from '../../../src/testing/path-failure.ts';
import { type System, Timers } from './system.ts';

/** Searches one form of a system. @returns Whether a difference was found. */
export type Finder = (system: System, o: Search) => Promise<boolean>;

interface Search {
  readonly isFaulty: boolean;
  readonly timeMs: number;
  readonly seed: number;
}

/** The testing kit of this repository. */
export const findWithKit: Finder = async (system, { isFaulty, timeMs, seed }) => {
  const { machine, events, driver, clients, answer } = system;
  const common = { timeMs, seed, shrinkRunsMax: 0, ...(events && { events }) };
  try {
    if (driver !== undefined) {
      await checkSystem(machine, { ...common, driver: () => driver(isFaulty) });
    }
    if (clients !== undefined) {
      const options = { ...common, runs: Number.MAX_SAFE_INTEGER, ...(answer && { answer }) };
      await runConcurrently(machine, { ...options, driver: () => clients(isFaulty) });
    }
    return false;
  } catch (thrown) {
    if (thrown instanceof PathFailure || thrown instanceof HistoryFailure) return true;
    throw thrown;
  }
};

/** fast-check in its usual form: commands on a model, which is an XState actor. */
export const findWithFastCheck: Finder = async (system, { isFaulty, timeMs, seed }) => {
  const machine = system.machine;
  const commands = fc.commands(listCommands(system), { maxCommands: 50 });
  const property = fc.asyncProperty(commands, async (chosen) => {
    const driver = openDriver(system, isFaulty);
    await driver.start(undefined);
    const timers = new Timers();
    const actor = createActor(machine, { clock: clockOf(timers) }).start();
    try {
      const model: FastModel = { actor, timers };
      await fc.asyncModelRun(() => ({ model, real: { driver } }), chosen);
    } finally {
      actor.stop();
    }
  });
  const limits = { interruptAfterTimeLimit: timeMs, endOnFailure: true };
  const result = await fc.check(property, { ...limits, seed, numRuns: 1_000_000 });
  return result.failed;
};

/** The simulated clock of XState starts a timer that a timer sets at the end of the whole wait. */
function clockOf(timers: Timers) {
  let count = 0;
  return {
    setTimeout: (run: () => void, ms: number) => {
      count += 1;
      timers.set(`${count}`, ms, run);
      return count;
    },
    clearTimeout: (id: number) => timers.cancel(`${id}`),
  };
}

interface FastModel {
  readonly actor: AnyActor;
  readonly timers: Timers;
  last?: Ev;
}

interface FastReal {
  readonly driver: Driver;
}

type FastCommand = fc.AsyncCommand<FastModel, FastReal>;

function listCommands(system: System): fc.Arbitrary<FastCommand>[] {
  const events = listEvents(system).map((event) => fc.constant(sendCommand(event)));
  const delays = listDelays(system.machine);
  const edges = [1, ...delays.flatMap((ms) => [ms - 1, ms, ms + 1])];
  const longest = Math.max(...edges);
  const waits = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 1, max: longest }));
  const children = listChildren(system.machine);
  const settles = children.flatMap((id) => [true, false].map((ok) => fc.constant(settle(id, ok))));
  return [
    ...events,
    ...settles,
    ...(delays.length > 0 ? [waits.map(waitCommand)] : []),
    fc.constant(faultCommand('kill_restart')),
    fc.constant(faultCommand('duplicate')),
  ];
}

function sendCommand(event: Ev): FastCommand {
  return {
    check: () => true,
    run: async (model, { driver }) => {
      if (isActive(model)) model.actor.send(event);
      model.last = event;
      await driver.send(event);
      await compare(model, driver);
    },
    toString: () => event.type,
  };
}

function waitCommand(ms: number): FastCommand {
  return {
    check: () => true,
    run: async (model, { driver }) => {
      model.timers.advance(ms);
      await driver.wait?.(ms);
      await compare(model, driver);
    },
    toString: () => `wait ${ms}`,
  };
}

function settle(childId: string, isGood: boolean): FastCommand {
  return {
    check: ({ actor }) => actor.getSnapshot().children[childId] !== undefined,
    run: async (model, { driver }) => {
      const error = { name: 'Error', message: 'failed' };
      const type = `xstate.${isGood ? 'done' : 'error'}.actor.${childId}`;
      const end: Ev = { type, actorId: childId, output: null, error };
      model.actor.send(end);
      const result = isGood
        ? ({ ok: true, output: null } as const)
        : ({ ok: false, error } as const);
      await driver.settle({ src: childId, childId }, result);
      await compare(model, driver);
    },
    toString: () => `${childId} ${isGood ? 'done' : 'failed'}`,
  };
}

function faultCommand(name: 'kill_restart' | 'duplicate'): FastCommand {
  return {
    check: ({ last }) => name === 'kill_restart' || last !== undefined,
    run: async (model, { driver }) => {
      await driver.faults?.[name]?.(model.last && ({ kind: 'event', event: model.last } as never));
      await compare(model, driver);
    },
    toString: () => name,
  };
}

function isActive({ actor }: FastModel): boolean {
  return actor.getSnapshot().status === 'active';
}

async function compare({ actor }: FastModel, driver: Driver): Promise<void> {
  const { value, status, context, children } = actor.getSnapshot();
  expectSame({ value, status, context, effects: Object.keys(children) }, await driver.observe());
}

/** The paths of `xstate/graph`, shortest and simple, with the delays of the machine as events. */
export const findWithGraph: Finder = async (system, { isFaulty, timeMs }) => {
  const until = performance.now() + timeMs;
  const machine = system.machine;
  const allowed = listEvents(system);
  const hidden = Object.entries(system.events ?? {}).filter(([, list]) => list.length === 0);
  const options = {
    events: allowed as never,
    limit: GRAPH_LIMIT,
    // Contexts without a bound would have no end.
    stopWhen: ({ status, context }: GraphState) =>
      status !== 'active' || Object.values(context).some((n) => Number(n) > NUMBER_MAX),
    filterEvents: (_state: unknown, { type }: Ev) => !hidden.some(([name]) => name === type),
  };
  const byValue = (state: { readonly value?: unknown }) => JSON.stringify(state.value);
  const sets = [
    () => getShortestPaths(machine, options as never),
    () => getSimplePaths(machine, { ...options, serializeState: byValue } as never),
  ];
  for (const list of sets) {
    for (const { steps } of orNone(list)) {
      if (performance.now() >= until) return false;
      const events = steps.map(({ event }) => event as Ev);
      if (await differs(machine, events, openDriver(system, isFaulty))) return true;
    }
  }
  return false;
};

const GRAPH_LIMIT = 2_000;
const NUMBER_MAX = 10;

interface GraphState {
  readonly value: unknown;
  readonly status: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly children: object;
}

/** Plays events and compares after each one with what XState says. */
async function differs(
  machine: AnyStateMachine,
  events: readonly Ev[],
  driver: Driver,
): Promise<boolean> {
  await driver.start(undefined);
  let [state] = initialTransition(machine);
  for (const event of events) {
    if (event.type !== 'xstate.init') {
      if (state.status !== 'active') return false;
      [state] = transition(machine, state, event);
      await play(driver, event);
    }
    const { value, status, context, children } = state as GraphState;
    try {
      expectSame(
        { value, status, context, effects: Object.keys(children) },
        await driver.observe(),
      );
    } catch {
      return true;
    }
  }
  return false;
}

/** A search over a context without a bound ends with an error, which is no path. */
function orNone<T>(list: () => readonly T[]): readonly T[] {
  try {
    return list();
  } catch {
    return [];
  }
}

async function play(driver: Driver, event: Ev): Promise<void> {
  if (event.type === 'xstate.init') return;
  const delay = /^xstate\.after\.(\d+)\./.exec(event.type)?.[1];
  if (delay !== undefined) return driver.elapse({ timerId: event.type, delayMs: Number(delay) });
  const end = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event.type);
  if (end === null) return driver.send(event);
  const childId = end[2] ?? '';
  const error = { name: 'Error', message: 'failed' };
  const result =
    end[1] === 'done' ? ({ ok: true, output: null } as const) : ({ ok: false, error } as const);
  return driver.settle({ src: childId, childId }, result);
}

function expectSame(
  expected: Pick<GraphState, 'value' | 'status' | 'context'> & { readonly effects: string[] },
  observed: Observed,
): void {
  const effects = expected.effects.map((childId) => ({ childId, src: childId, input: undefined }));
  const standing = { ...expected, effects, stateIds: [], timers: [], messages: [] };
  const [difference] = differencesOf(standing as never, observed);
  if (difference !== undefined) throw new Error(`${difference.what} differs`);
}

/** A system with several callers, called by one. */
function openDriver({ driver, clients }: System, isFaulty: boolean): Driver {
  if (driver !== undefined) return driver(isFaulty);
  const shared = clients?.(isFaulty);
  if (shared === undefined) throw new Error('a system has a driver or clients');
  const call = { client: 'one', actor: 'a' };
  let [sent, last] = [0, undefined as Ev | undefined];
  return {
    start: async (input) => shared.start({ actors: ['a'], input, pause: async () => undefined }),
    send: async (event) => {
      [sent, last] = [sent + 1, event];
      await shared.send({ ...call, event, key: `key-${sent}` });
    },
    elapse: async () => undefined,
    settle: async () => undefined,
    observe: () => shared.read(call),
    faults: {
      kill_restart: async () => shared.killAndRestart?.(),
      duplicate: async () => {
        if (last !== undefined) await shared.send({ ...call, event: last, key: `key-${sent}` });
      },
    },
    close: async () => undefined,
  };
}

function listEvents({ machine, events = {} }: System): readonly Ev[] {
  const named = [...iterateNodes(machine.root)].flatMap(({ transitions }) => [
    ...transitions.keys(),
  ]);
  const types = [...new Set(named)].filter((type) => !type.startsWith('xstate.'));
  return types.flatMap((type) => {
    const payloads = events[type] ?? [{}];
    return typeof payloads === 'function' ? [] : payloads.map((each) => ({ ...each, type }));
  });
}

/** Delays of the states; those of raised events are in no declaration, so all are offered. */
function listDelays(machine: AnyStateMachine): readonly number[] {
  const nodes = [...iterateNodes(machine.root)];
  const delays = nodes.flatMap(({ after }) => after.map(({ delay }) => Number(delay)));
  const raised = ['instant', 'reminders'].includes(machine.id) ? [300, 500] : [];
  return [...new Set([...delays, ...raised])];
}

function listChildren(machine: AnyStateMachine): readonly string[] {
  return [...iterateNodes(machine.root)].flatMap(({ invoke }) => invoke.map(({ id }) => id));
}
