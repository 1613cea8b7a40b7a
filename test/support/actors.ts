import { assign, emit, fromPromise, setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import type { Definition, Effect, Migration } from '../../src/runtime/engine/types.ts';

const never = fromPromise<unknown, { readonly n: number }>(() => Promise.reject(new Error('run')));

interface Count {
  readonly total: number;
}

/** Adds numbers; `BREAK` breaks in a guard, `BURST` in an assign. */
export const counter = define({
  kind: 'counter',
  version: 1,
  machine: setup({
    types: {
      context: {} as Count,
      input: {} as { readonly total?: number } | undefined,
      events: {} as
        | { type: 'ADD'; n: number }
        | { type: 'BREAK' }
        | { type: 'BURST' }
        | { type: 'CLOSE' },
    },
    guards: {
      broken: () => {
        throw new Error('the guard is broken');
      },
    },
    actions: {
      add: assign(({ context, event }) => ({
        total: context.total + (event.type === 'ADD' ? event.n : 0),
      })),
      burst: assign(() => {
        throw new Error('the assign is broken');
      }),
      tellTotal: emit(({ context }) => ({ type: 'TOTAL', total: context.total })),
    },
  }).createMachine({
    id: 'counter',
    context: ({ input }) => ({ total: input?.total ?? 0 }),
    initial: 'open',
    states: {
      open: {
        tags: ['taking'],
        on: {
          ADD: { actions: ['add', 'tellTotal'] },
          BREAK: { guard: 'broken', target: 'closed' },
          BURST: { actions: 'burst' },
          CLOSE: 'closed',
        },
      },
      closed: { type: 'final' },
    },
    output: ({ context }) => context.total,
  }),
  effects: {},
});

/** Holds until `holdMs` are over; `AGAIN` begins the wait anew, `PAUSE` ends it. */
export const hold = define({
  kind: 'hold',
  version: 1,
  machine: setup({
    types: {
      context: {} as { readonly holdMs: number; readonly rounds: number },
      input: {} as { readonly holdMs: number },
      events: {} as { type: 'AGAIN' } | { type: 'PAUSE' } | { type: 'GO' },
    },
    delays: { wait: ({ context }) => context.holdMs },
    actions: { round: assign({ rounds: ({ context }) => context.rounds + 1 }) },
  }).createMachine({
    id: 'hold',
    context: ({ input }) => ({ holdMs: input.holdMs, rounds: 0 }),
    initial: 'held',
    states: {
      held: {
        entry: 'round',
        after: { wait: 'released' },
        on: { AGAIN: { target: 'held', reenter: true }, PAUSE: 'paused' },
      },
      paused: { on: { GO: 'held' } },
      released: { on: { AGAIN: 'held' } },
    },
  }),
  effects: {},
});

/** Runs the effect `work` on entry; `AGAIN` runs it anew, `LEAVE` ends it. */
export function worker(work: Effect<{ readonly n: number }>, over: Partial<Definition> = {}) {
  const made = define({
    kind: 'worker',
    version: 1,
    machine: setup({
      types: {
        context: {} as { readonly n: number; readonly said: unknown },
        input: {} as { readonly n?: number } | undefined,
        events: {} as { type: 'AGAIN' } | { type: 'LEAVE' },
      },
      actors: { work: never },
      actions: {
        keep: assign({ said: ({ event }) => ('output' in event ? event.output : undefined) }),
        note: assign({ said: ({ event }) => ('error' in event ? event.error : undefined) }),
      },
    }).createMachine({
      id: 'worker',
      context: ({ input }) => ({ n: input?.n ?? 1, said: null }),
      initial: 'busy',
      states: {
        busy: {
          invoke: {
            id: 'job',
            src: 'work',
            input: ({ context }) => ({ n: context.n }),
            onDone: { target: 'finished', actions: 'keep' },
            onError: { target: 'failed', actions: 'note' },
          },
          on: { AGAIN: { target: 'busy', reenter: true }, LEAVE: 'idle' },
        },
        idle: { on: { AGAIN: 'busy' } },
        finished: { on: { AGAIN: 'busy' } },
        failed: { on: { AGAIN: 'busy' } },
      },
    }),
    effects: { work },
  });
  return { ...made, ...over };
}

/** Sends to other actors, creates them, and keeps what it is sent. */
export const post = define({
  kind: 'post',
  version: 1,
  machine: setup({
    types: {
      context: {} as { readonly got: readonly number[] },
      events: {} as
        | { type: 'SEND'; to: string; n: number; times?: number }
        | { type: 'MAKE'; to: string; kind: string; input: unknown }
        | { type: 'LETTER'; n: number }
        | { type: 'REFUSED' }
        | { type: 'FORWARD'; to: string },
    },
    guards: {
      broken: () => {
        throw new Error('cannot be taken');
      },
    },
    actions: {
      send: emit(({ event }) => ({
        type: 'actor.send',
        to: event.type === 'SEND' ? event.to : '',
        event: { type: 'LETTER', n: event.type === 'SEND' ? event.n : 0 },
      })),
      make: emit(({ event }) => ({
        type: 'actor.create',
        to: event.type === 'MAKE' ? event.to : '',
        kind: event.type === 'MAKE' ? event.kind : '',
        input: event.type === 'MAKE' ? event.input : null,
      })),
      forward: emit(({ event }) => ({
        type: 'actor.send',
        to: event.type === 'FORWARD' ? event.to : '',
        event: { type: 'REFUSED' },
      })),
      keep: assign({
        got: ({ context, event }) =>
          event.type === 'LETTER' ? [...context.got, event.n] : context.got,
      }),
    },
  }).createMachine({
    id: 'post',
    context: { got: [] },
    initial: 'open',
    states: {
      open: {
        on: {
          SEND: { actions: 'send' },
          MAKE: { actions: 'make' },
          FORWARD: { actions: 'forward' },
          LETTER: { actions: 'keep' },
          REFUSED: { guard: 'broken', actions: 'keep' },
        },
      },
    },
  }),
  effects: {},
});

/** Two regions, one of them with states inside; `NEXT` moves that one on. */
export const nested = define({
  kind: 'nested',
  version: 1,
  machine: setup({}).createMachine({
    id: 'nested',
    type: 'parallel',
    states: {
      left: {
        initial: 'one',
        states: {
          one: { on: { NEXT: 'two' } },
          two: { initial: 'deep', states: { deep: {} } },
        },
      },
      right: { initial: 'idle', states: { idle: {} } },
    },
  }),
  effects: {},
});

/** Runs an effect for as long as it lives; the message `REFUSED` breaks while `isBroken`. */
export function fragile(work: Effect<{ readonly n: number }>, isBroken: () => boolean): Definition {
  const machine = setup({
    types: { context: {} as { readonly said: unknown } },
    actors: { work: never },
    guards: {
      broken: () => {
        if (isBroken()) throw new Error('broken for now');
        return true;
      },
    },
    actions: {
      keep: assign({ said: ({ event }) => event['output'] }),
    },
  }).createMachine({
    id: 'fragile',
    context: { said: null },
    initial: 'busy',
    states: {
      busy: {
        invoke: {
          id: 'job',
          src: 'work',
          input: { n: 1 },
          onDone: { target: 'rest', actions: 'keep' },
          onError: 'rest',
        },
        on: { REFUSED: { guard: 'broken' } },
      },
      rest: {},
    },
  });
  return define({ kind: 'fragile', version: 1, machine, effects: { work } });
}

/** A migration that changes nothing but the context. */
export function contextMigration(
  from: number,
  change: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Migration {
  return {
    from,
    migrate: ({ snapshot, timers, effects }) => ({
      snapshot: { ...snapshot, context: change(snapshot.context) },
      timers,
      effects,
    }),
  };
}

/** Runs the effect `work` until it succeeds, as one child, with a wait after each failure. */
export function looper(work: Effect<{ readonly n: number }>, waitMs = 1_000) {
  return define({
    kind: 'looper',
    version: 1,
    machine: setup({ actors: { work: never }, delays: { wait: waitMs } }).createMachine({
      id: 'looper',
      initial: 'busy',
      states: {
        busy: {
          invoke: {
            id: 'job',
            src: 'work',
            input: { n: 1 },
            onDone: 'finished',
            onError: 'waiting',
          },
        },
        waiting: { after: { wait: 'busy' } },
        finished: {},
      },
    }),
    effects: { work },
  });
}
