import { assign, cancel, emit, fromPromise, raise, sendTo, setup } from 'xstate';

const never = <Out, In = unknown>() => fromPromise<Out, In>(() => new Promise(() => undefined));

/** A door: events, a guard on a payload, a delay, and an effect that ends well or badly. */
export const doorMachine = setup({
  types: {} as {
    context: { tries: number; by: string | null };
    events: { type: 'OPEN'; by: string } | { type: 'CLOSE' } | { type: 'LOCK' };
  },
  actors: { unlock: never<{ key: string }>() },
  guards: { isKnown: ({ event }) => event.type === 'OPEN' && event.by === 'ada' },
  actions: {
    ring: emit({ type: 'bell' }),
    count: assign({ tries: ({ context }) => context.tries + 1 }),
    keepWho: assign({ by: ({ event }) => (event.type === 'OPEN' ? event.by : null) }),
  },
  delays: { slam: 10_000 },
}).createMachine({
  id: 'door',
  context: { tries: 0, by: null },
  initial: 'closed',
  states: {
    closed: {
      on: {
        OPEN: { guard: 'isKnown', target: 'open', actions: 'keepWho' },
        LOCK: 'locked',
      },
    },
    open: { entry: 'ring', on: { CLOSE: 'closed' }, after: { slam: 'closed' } },
    locked: {
      invoke: {
        src: 'unlock',
        id: 'unlock',
        onDone: 'closed',
        onError: { target: 'broken', actions: 'count' },
      },
    },
    broken: { type: 'final' },
  },
});

/** What may happen to a door. */
export const doorPlan = { events: { OPEN: [{ by: 'ada' }, { by: 'eve' }] } };

/** A counter that never ends: its context has no bound, and only seven of it opens the gate. */
export const counterMachine = setup({
  types: {} as { context: { total: number }; events: { type: 'ADD' } | { type: 'GO' } },
  guards: { isSeven: ({ context }) => context.total === 7 },
  actions: { add: assign({ total: ({ context }) => context.total + 1 }) },
}).createMachine({
  id: 'counter',
  context: { total: 0 },
  initial: 'counting',
  states: {
    counting: { on: { ADD: { actions: 'add' }, GO: { guard: 'isSeven', target: 'gone' } } },
    gone: { type: 'final' },
  },
});

/** Two regions with a timer each: one pair of delays comes at the same moment. */
export const clockMachine = setup({ delays: { short: 1_000, long: 2_000 } }).createMachine({
  id: 'clock',
  type: 'parallel',
  states: {
    left: {
      initial: 'waiting',
      states: {
        waiting: { after: { short: 'next' } },
        next: { after: { short: 'over' } },
        over: {},
      },
    },
    right: { initial: 'waiting', states: { waiting: { after: { long: 'over' } }, over: {} } },
  },
});

/** A machine with actions of its own, which no engine keeps: a model leaves them out. */
export const noisyMachine = setup({
  actors: { child: never<string>() },
  actions: {
    shout: () => {
      throw new Error('the model must not run what reaches outside');
    },
  },
}).createMachine({
  id: 'noisy',
  initial: 'quiet',
  states: {
    quiet: { entry: 'shout', on: { GO: { target: 'loud', actions: ['shout', () => undefined] } } },
    loud: {
      invoke: { src: 'child', id: 'child', onDone: 'quiet' },
      entry: sendTo('child', { type: 'HELLO' }),
    },
  },
});

/**
 * The rest of what XState has: history, wildcards, a raised event with a delay, ends of regions.
 */
export const richMachine = setup({
  types: {} as {
    context: { taps: number };
    events:
      | { type: 'TURN.LEFT' }
      | { type: 'TURN.RIGHT' }
      | { type: 'PAUSE' }
      | { type: 'RESUME' }
      | { type: 'ALARM' };
  },
  actions: {
    setAlarm: raise({ type: 'ALARM' }, { delay: 7_000, id: 'alarm' }),
    clearAlarm: cancel('alarm'),
    tap: assign({ taps: ({ context }) => context.taps + 1 }),
  },
  guards: { isTapped: ({ context }) => context.taps > 1 },
}).createMachine({
  id: 'rich',
  context: { taps: 0 },
  initial: 'working',
  on: { ALARM: '.stopped' },
  states: {
    working: {
      type: 'parallel',
      entry: 'setAlarm',
      on: { PAUSE: 'paused' },
      onDone: 'finished',
      states: {
        before: { type: 'history', history: 'deep' },
        left: {
          initial: 'idle',
          states: {
            idle: { on: { 'TURN.*': { target: 'turned', actions: 'tap' } } },
            turned: { after: { 1000: { target: 'ready', reenter: true } } },
            ready: { type: 'final' },
          },
        },
        right: {
          initial: 'idle',
          states: {
            idle: {
              on: { 'TURN.RIGHT': { actions: 'tap' } },
              always: { guard: 'isTapped', target: 'ready' },
            },
            ready: { type: 'final' },
          },
        },
      },
    },
    paused: { entry: 'clearAlarm', on: { RESUME: 'working.before' } },
    stopped: { type: 'final' },
    finished: { type: 'final' },
  },
});

/** What may happen to it; its alarm comes by time alone. */
export const richPlan = {
  events: { 'TURN.LEFT': [{}], 'TURN.RIGHT': [{}], ALARM: [] },
};
