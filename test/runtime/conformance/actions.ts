import { expect } from 'vitest';
import { assign, enqueueActions, fromPromise, log, sendTo, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import { deferred } from '../../support/deferred.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

interface Call {
  readonly name: string;
  readonly sum: number;
  readonly token: string;
}

/** Counts, and calls functions as it does. */
function countingKind(calls: Call[], before: (name: string) => Promise<void> | void = () => {}) {
  const record = async (name: string, { context, token }: object & Partial<Noted>) => {
    await before(name);
    calls.push({ name, sum: context?.sum ?? -1, token: token ?? '' });
  };
  // XState's types say that an action gives nothing; what is asynchronous is awaited.
  const note = (name: string, args: object): unknown => record(name, args);
  return define({
    kind: 'counting',
    version: 1,
    machine: setup({
      types: {} as { context: { sum: number }; events: { type: 'ADD' | 'PING' | 'END' } },
      actions: {
        named: (args) => note('named', args),
        withParams: (args, { word }: { word: string }) => note(word, args),
      },
      actors: { double: fromPromise<number, number>(async ({ input }) => input * 2) },
    }).createMachine({
      id: 'm',
      context: { sum: 0 },
      initial: 'on',
      states: {
        on: {
          on: {
            ADD: {
              actions: [
                'named',
                assign({ sum: ({ context }) => context.sum + 1 }),
                (args) => note('inline', args),
                { type: 'withParams', params: { word: 'word' } },
                log(({ context }) => context.sum, 'sum'),
                enqueueActions(({ enqueue }) => {
                  enqueue({ type: 'withParams', params: { word: 'queued' } });
                  enqueue.sendTo(({ self }) => self, { type: 'PING' });
                }),
              ],
            },
            PING: { actions: assign({ sum: ({ context }) => context.sum + 10 }) },
            END: 'ending',
          },
        },
        ending: {
          invoke: {
            src: 'double',
            input: ({ context }) => context.sum,
            onDone: { target: 'off', actions: assign({ sum: ({ event }) => event.output }) },
          },
        },
        off: { type: 'final', entry: 'named' },
      },
    }),
  });
}

interface Noted {
  readonly context: { readonly sum: number };
  readonly token: string;
}

/** Functions in machines: they run once, after their step is on disk. */
export const actionClaims: Claims = {
  'functions run in order, with the context that they saw, and sends to itself arrive': async (
    world,
  ) => {
    const calls: Call[] = [];
    const logs: unknown[] = [];
    const engine = await world.start([countingKind(calls)], { onLog: (line) => logs.push(line) });
    await engine.create('counting', 'c');
    await engine.tell('c', { type: 'ADD' });
    await world.rest();
    expect(calls.map(({ name, sum }) => [name, sum])).toEqual([
      ['named', 0],
      ['inline', 1],
      ['word', 1],
      ['queued', 1],
    ]);
    expect(new Set(calls.map(({ token }) => token)).size).toBe(4);
    expect(logs).toEqual([{ actorId: 'c', label: 'sum', value: 1 }]);
    expect((await engine.view('c')).context).toEqual({ sum: 11 });
    expect(world.store.outbox(10)).toEqual([]);
  },

  'a promise of the machine runs as an effect, and a final state still calls': async (world) => {
    const calls: Call[] = [];
    const engine = await world.start([countingKind(calls)]);
    await engine.create('counting', 'c');
    await engine.tell('c', { type: 'ADD' });
    await world.rest();
    await engine.tell('c', { type: 'END' });
    await world.rest();
    expect(await engine.view('c')).toMatchObject({ status: 'done', context: { sum: 22 } });
    expect(calls.at(-1)).toMatchObject({ name: 'named', sum: 22 });
  },

  'a function that a kill interrupts runs again with its token, and no other does': async (
    world,
  ) => {
    const calls: Call[] = [];
    const never = deferred<void>();
    const hangs = (name: string) => (name === 'inline' ? never.promise : undefined);
    const engine = await world.start([countingKind(calls, hangs)]);
    await engine.create('counting', 'c');
    await engine.tell('c', { type: 'ADD' });
    await world.rest();
    expect(calls.map(({ name }) => name)).toEqual(['named']);
    expect((await engine.view('c')).context).toEqual({ sum: 11 });
    world.crash();
    await world.start([countingKind(calls)]);
    await world.rest();
    expect(calls.map(({ name }) => name)).toEqual(['named', 'inline', 'word', 'queued']);
    expect(calls[1]).toMatchObject({ sum: 1, token: expect.stringContaining('c:2:action.') });
  },

  'a function that throws is reported, and the next ones run': async (world) => {
    const calls: Call[] = [];
    const throws = (name: string) => {
      if (name === 'named') throw new Error('no printer');
    };
    const engine = await world.start([countingKind(calls, throws)]);
    await engine.create('counting', 'c');
    await engine.tell('c', { type: 'ADD' });
    await world.rest();
    expect(calls.map(({ name }) => name)).toEqual(['inline', 'word', 'queued']);
    expect(reportsOf(world)).toEqual(['The action named of c failed: no printer']);
    expect((await engine.view('c')).status).toBe('active');
  },

  'a function that a step creates runs, also after a kill before it': async (world) => {
    const calls: unknown[] = [];
    const kind = closureKind((said) => calls.push(said));
    const engine = await world.start([kind]);
    await engine.create('closure', 'c');
    await engine.tell('c', { type: 'GO', word: 'a' });
    await world.rest();
    // The step is on disk, and the process ends before its functions run.
    world.crashAfterNextCommit();
    engine.tell('c', { type: 'GO', word: 'b' }).catch(() => undefined);
    await world.rest();
    expect(calls).toEqual(['first', 'second', 'a1', 'a2']);
    await world.start([closureKind((said) => calls.push(`again ${said}`))]);
    await world.rest();
    expect(calls.slice(4)).toEqual(['again b1', 'again b2']);
    expect(world.store.outbox(10)).toEqual([]);
  },

  'a function that the changed machine no longer creates is reported': async (world) => {
    const kind = closureKind(() => undefined);
    const engine = await world.start([kind]);
    await engine.create('closure', 'c');
    await world.rest();
    world.crashAfterNextCommit();
    engine.tell('c', { type: 'GO', word: 'b' }).catch(() => undefined);
    await world.rest();
    await world.start([
      define({ kind: 'closure', version: 1, machine: setup({}).createMachine({}) }),
    ]);
    await world.rest();
    expect(reportsOf(world)).toHaveLength(2);
    expect(reportsOf(world)[0]).toContain('of c failed: the machine no longer has it');
  },

  'a delayed send to itself is a timer that can be cancelled': async (world) => {
    const kind = define({
      kind: 'later',
      version: 1,
      machine: setup({ types: {} as { context: { rung: number } } }).createMachine({
        context: { rung: 0 },
        entry: sendTo(({ self }) => self, { type: 'RING' }, { id: 'bell', delay: 1_000 }),
        on: { RING: { actions: assign({ rung: ({ context }) => context.rung + 1 }) } },
      }),
    });
    const engine = await world.start([kind]);
    await engine.create('later', 'l');
    world.crash();
    const next = await world.start([kind]);
    await world.clock.advance(1_000);
    expect((await next.view('l')).context).toEqual({ rung: 1 });
  },
};

/** Creates functions while its steps run, as `enqueueActions` allows. */
function closureKind(say: (said: string) => void) {
  return define({
    kind: 'closure',
    version: 1,
    machine: setup({ types: {} as { events: { type: 'GO'; word: string } } }).createMachine({
      entry: enqueueActions(({ enqueue }) => {
        for (const word of ['first', 'second']) enqueue(() => say(word));
      }),
      on: {
        GO: {
          actions: enqueueActions(({ enqueue, event }) => {
            for (const n of [1, 2]) enqueue(() => say(`${event.word}${n}`));
          }),
        },
      },
    }),
  });
}

function reportsOf({ notices }: EngineWorld): readonly string[] {
  return notices.filter(({ kind }) => kind === 'action_failed').map(({ message }) => message);
}
