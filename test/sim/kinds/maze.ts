import { assign, setup } from 'xstate';
import type { Memory, Start } from './acts.ts';
import { actions, actors, common, counted, emptyMemory } from './acts.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Rounds after which the timers of a maze stop turning. */
const ROUNDS_MAX = 4;

const guards = {
  isRested: ({ context }: { context: Memory }) => (context.counts['round'] ?? 0) < ROUNDS_MAX,
  isTired: ({ context }: { context: Memory }) => (context.counts['A'] ?? 0) >= 12,
};
const round = assign(({ context }: { context: Memory }) => counted(context, 'round')) as never;

/** Nested, parallel and remembered states, `always` and `after` of all lengths. */
export function mazeMachine(version: number) {
  return setup({
    types: {} as { context: Memory; input: Start },
    actors,
    actions: { ...actions, round },
    guards: guards as never,
    delays: { month: 30 * DAY_MS, soon: version > 1 ? 2_000 : 1_000 },
  }).createMachine({
    id: 'maze',
    context: emptyMemory,
    initial: 'inside',
    on: common,
    states: {
      inside: {
        type: 'parallel',
        on: { PAUSE: 'paused', END: 'closed', LEAP: { target: 'inside', reenter: true } },
        states: {
          left: {
            initial: 'one',
            states: {
              one: { after: { soon: 'two' }, on: { A: { target: 'two', actions: 'count' } } },
              two: {
                after: { 5000: { guard: 'isRested', target: 'one', actions: 'round' } },
                on: { A: { target: 'three', actions: 'count' }, B: 'one' },
              },
              three: {
                initial: 'low',
                on: { A: { target: 'one', actions: 'count' } },
                states: {
                  low: { on: { B: 'high' }, after: { 60000: 'high' } },
                  high: { on: { B: 'low' }, always: { guard: 'isTired', target: 'worn' } },
                  worn: {},
                },
              },
            },
          },
          right: {
            initial: 'day',
            states: {
              day: { after: { month: 'night' }, on: { C: 'night' } },
              night: { after: { month: 'done' }, on: { C: 'day' } },
              done: { type: 'final' },
            },
          },
          watch: {
            initial: 'asleep',
            states: {
              asleep: { on: { WAKE: 'awake' } },
              awake: {
                invoke: {
                  src: 'quick',
                  id: 'watch',
                  input: { lane: 'watch' },
                  onDone: 'asleep',
                  onError: { target: 'asleep', actions: 'count' },
                },
                after: { 40000: 'asleep' },
                on: { WAKE: { target: 'awake', reenter: true } },
              },
            },
          },
          deep: { type: 'history', history: 'deep' },
        },
      },
      paused: {
        on: { RESUME: 'inside.deep', END: 'closed' } as never,
        after: { [3 * DAY_MS]: 'inside' },
      },
      closed: { type: 'final' },
    },
  } as never);
}

/** Calls people and machines, gives up in time, tries two at once. */
export function workerMachine(version: number) {
  const work = (src: string, id: string, then: { done: string; error: string }) => ({
    src,
    id,
    input: { lane: id },
    onDone: { target: then.done, actions: 'count' },
    onError: { target: then.error, actions: 'count' },
  });
  return setup({
    types: {} as { context: Memory; input: Start },
    actors,
    actions,
  }).createMachine({
    id: 'worker',
    context: emptyMemory,
    initial: 'idle',
    on: common,
    states: {
      idle: { on: { START: 'busy', ASK: 'asking', BOTH: 'pair', END: 'closed' } },
      busy: {
        invoke: work('quick', 'work', { done: 'idle', error: 'failed' }),
        after: { 20000: 'failed' },
        on: { CANCEL: 'idle', START: { target: 'busy', reenter: true }, END: 'closed' },
      },
      asking: {
        invoke: work('person', 'person', { done: 'idle', error: 'failed' }),
        after: { [10 * DAY_MS]: 'failed' },
        on: { CANCEL: 'idle', ...(version > 1 ? { HURRY: 'busy' } : {}) },
      },
      pair: {
        type: 'parallel',
        onDone: 'idle',
        on: { CANCEL: 'idle', END: 'closed' },
        states: {
          first: side(work('shared', 'first', { done: 'over', error: 'over' })),
          second: side(work('single', 'second', { done: 'over', error: 'over' })),
        },
      },
      failed: { on: { START: 'busy', END: 'closed' }, after: { 5000: 'idle' } },
      closed: { type: 'final' },
    },
  } as never);
}

function side(invoke: object) {
  return { initial: 'on', states: { on: { invoke }, over: { type: 'final' } } };
}
