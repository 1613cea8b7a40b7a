import { describe, expect, test } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { assign, emit, fromPromise, initialTransition, raise, setup, transition } from 'xstate';
import type { DefinitionSource } from '../../../src/runtime/engine/define.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { EngineError } from '../../../src/runtime/engine/error.ts';
import { persist, restore, stateName } from '../../../src/runtime/engine/snapshot.ts';
import { nameTimers, step } from '../../../src/runtime/engine/step.ts';
import type { Definition, Ev } from '../../../src/runtime/engine/types.ts';
import { hold, worker } from '../../support/actors.ts';

const AT = 1_000;
const idle = worker({ run: async () => 1 });

test('gives what the public transition of XState gives', () => {
  const events = ['AGAIN', 'PAUSE', 'GO', 'UNHEARD', 'xstate.after.wait.hold.held', 'AGAIN'];
  const machine: AnyStateMachine = hold.machine;
  let [theirs] = initialTransition(machine, { holdMs: 5 });
  let ours = begin(hold, { holdMs: 5 });
  for (const type of events) {
    [theirs] = transition(machine, theirs, { type });
    ours = step(hold, ours, { type }, AT).next;
    expect(persist(ours)).toEqual(persist(theirs));
  }
});

test('an event that nothing takes gives back the snapshot itself', () => {
  const current = begin(hold, { holdMs: 5 });
  const result = step(hold, current, { type: 'UNHEARD' }, AT);
  expect(result.changed).toBe(false);
  expect(result.next).toBe(current);
});

test('timers count from the moment of the event, and a leave cancels them', () => {
  const first = step(hold, undefined, { type: 'xstate.init', input: { holdMs: 5 } }, AT);
  const timerId = 'xstate.after.wait.hold.held';
  expect(first.timersSet).toEqual([{ timerId, due: 1_005, event: { type: timerId } }]);
  const again = step(hold, first.next, { type: 'AGAIN' }, AT + 3);
  expect(again.timersCancelled).toEqual([timerId]);
  expect(again.timersSet).toEqual([{ timerId, due: 1_008, event: { type: timerId } }]);
  expect(step(hold, again.next, { type: 'PAUSE' }, AT + 4).timersSet).toEqual([]);
});

test('a restored snapshot sees the end of an effect that was begun before', () => {
  const first = step(idle, undefined, { type: 'xstate.init', input: { n: 4 } }, AT);
  expect(first.effectsStarted).toEqual([{ childId: 'job', src: 'work', input: { n: 4 } }]);
  const row = {
    childId: 'job',
    src: 'work',
    input: { n: 4 },
    token: 't',
    attempt: 1,
    waiting: false,
  };
  const restored = restore(idle, JSON.parse(JSON.stringify(persist(first.next))), [row]);
  expect(step(idle, restored, { type: 'LEAVE' }, AT).effectsStopped).toEqual(['job']);
  const again = step(idle, restored, { type: 'AGAIN' }, AT);
  expect(again.effectsStopped).toEqual(['job']);
  expect(again.effectsStarted).toMatchObject([{ childId: 'job' }]);
});

test('a finished effect has no child left, though the machine stays where it is', () => {
  const lasting = effectMachine({ onDone: { actions: 'note' }, onError: { actions: 'note' } });
  const current = begin(lasting, undefined);
  expect(Object.keys(current.children)).toEqual(['job']);
  for (const event of [done('job', 1), failed('job')]) {
    const { next, effectsStopped } = step(lasting, current, event, AT);
    expect(next.children).toEqual({});
    expect(effectsStopped).toEqual([]);
    expect(next.context).toEqual({ notes: 1 });
  }
});

test('an error of an effect that nothing handles is poison, and the state is kept', () => {
  const careless = effectMachine({ onDone: { actions: 'note' } });
  const current = begin(careless, undefined);
  expect(codeOf(() => step(careless, current, failed('job'), AT))).toBe('EVENT_POISON');
  expect(current.status).toBe('active');
});

test('an ended snapshot takes nothing', () => {
  const stopped = step(hold, begin(hold, { holdMs: 5 }), { type: 'xstate.stop' }, AT).next;
  expect(stopped.status).toBe('stopped');
  expect(codeOf(() => step(hold, stopped, { type: 'AGAIN' }, AT))).toBe('ACTOR_CLOSED');
});

test('a loop of eventless transitions is poison, not a hung process', () => {
  const loop = define({
    kind: 'loop',
    version: 1,
    machine: setup({}).createMachine({
      id: 'loop',
      initial: 'rest',
      states: { rest: { on: { GO: 'a' } }, a: { always: 'b' }, b: { always: 'a' } },
    }),
    effects: {},
  });
  expect(() => step(loop, begin(loop, undefined), { type: 'GO' }, AT)).toThrow('Infinite loop');
});

test.each([
  ['a context that JSON cannot keep', () => ({ notes: new WeakMap() })],
  ['a number that JSON cannot write', () => ({ notes: Number.NaN })],
  ['half a reference to an actor', () => ({ notes: { xstate$$type: 1, name: 'job' } })],
])('%s is poison', (_what, give) => {
  const odd = effectMachine({}, { note: assign(give as never) });
  expect(codeOf(() => step(odd, begin(odd, undefined), { type: 'NOTE' }, AT))).toBe('EVENT_POISON');
});

test.each([
  ['an event of the engine', { type: 'actor.send', to: 'x', event: { type: 'xstate.stop' } }],
  ['an empty address', { type: 'actor.send', to: '', event: { type: 'A' } }],
  ['an address too long', { type: 'actor.send', to: 'x'.repeat(257), event: { type: 'A' } }],
])('sending %s is poison', (_what, event) => {
  const odd = effectMachine({}, { note: emit(event) as never });
  expect(codeOf(() => step(odd, begin(odd, undefined), { type: 'NOTE' }, AT))).toBe('EVENT_POISON');
});

test('sends are apart from what is only emitted', () => {
  const send = { type: 'actor.send', to: 'x', event: { type: 'A', n: 1 } };
  const create = { type: 'actor.create', to: 'y', kind: 'k', input: { n: 2 } };
  const machine = (event: Ev) => effectMachine({}, { note: emit(event) as never });
  const run = (event: Ev) => step(machine(event), begin(machine(event), undefined), note, AT);
  const note = { type: 'NOTE' };
  expect(run(send)).toMatchObject({
    sends: [{ to: 'x', event: { type: 'A', n: 1 } }],
    emits: [],
  });
  expect(run(create)).toMatchObject({
    sends: [{ to: 'y', create: { kind: 'k', input: { n: 2 } } }],
    emits: [],
  });
  expect(run({ type: 'SAID' })).toMatchObject({ sends: [], emits: [{ type: 'SAID' }] });
});

test('history comes back from rest', () => {
  const machine = setup({}).createMachine({
    id: 'past',
    initial: 'on',
    states: {
      on: {
        initial: 'low',
        states: { low: { on: { UP: 'high' } }, high: {}, last: { type: 'history' } },
        on: { OFF: 'off' },
      },
      off: { on: { ON: 'on.last' } },
    },
  });
  const past = define({ kind: 'past', version: 1, machine, effects: {} });
  let current = begin(past, undefined);
  for (const type of ['UP', 'OFF']) current = step(past, current, { type }, AT).next;
  const restored = restore(past, JSON.parse(JSON.stringify(persist(current))), []);
  expect(step(past, restored, { type: 'ON' }, AT).next.value).toEqual({ on: 'high' });
});

test('a raise with a delay is a timer, also without an id', () => {
  const raising = effectMachine({}, { note: raise({ type: 'LATER' }, { delay: 7 }) as never });
  const { timersSet } = step(raising, begin(raising, undefined), { type: 'NOTE' }, AT);
  const timer = { due: 1_007, event: { type: 'LATER' } };
  expect(timersSet).toEqual([{ ...timer, timerId: undefined }]);
  const pending = new Map([['raise.0.LATER', { order: 4 }]]);
  expect([...nameTimers(pending, [...timersSet, ...timersSet])]).toEqual([
    { ...timer, timerId: 'raise.1.LATER', order: 5 },
    { ...timer, timerId: 'raise.2.LATER', order: 6 },
  ]);
});

describe('stateName', () => {
  test.each([
    ['open', 'open'],
    [{ open: 'idle' }, 'open.idle'],
    [{ open: { deep: 'x' } }, 'open.deep.x'],
    [{ a: 'x', b: 'y' }, 'a.x,b.y'],
    [{ a: {} }, 'a'],
  ])('writes %j as %s', (value, name) => {
    expect(stateName(value)).toBe(name);
  });
});

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
  return 'nothing was thrown';
}

function begin(definition: Definition, input: unknown): AnyMachineSnapshot {
  return step(definition, undefined, { type: 'xstate.init', input }, AT).next;
}

function done(childId: string, output: unknown): Ev {
  return { type: `xstate.done.actor.${childId}`, output, actorId: childId };
}

function failed(childId: string): Ev {
  return { type: `xstate.error.actor.${childId}`, error: { name: 'E' }, actorId: childId };
}

/** A machine that stays in its state; `NOTE` does the action `note`. */
function effectMachine(
  on: Readonly<Record<string, unknown>>,
  actions: Readonly<Record<string, unknown>> = {},
): Definition {
  const note = assign({ notes: ({ context }) => Number(context['notes']) + 1 });
  const machine = setup({
    actors: { work: fromPromise<unknown>(() => Promise.resolve()) },
    actions: { note, ...actions } as never,
  }).createMachine({
    id: 'lasting',
    context: { notes: 0 },
    initial: 'on',
    states: {
      on: { invoke: { id: 'job', src: 'work', ...on }, on: { NOTE: { actions: 'note' } } } as never,
    },
  });
  const effects = { work: { run: async () => 1 } };
  const source = { kind: 'lasting', version: 1, machine, effects };
  return define<AnyStateMachine>(source as unknown as DefinitionSource<AnyStateMachine>);
}
