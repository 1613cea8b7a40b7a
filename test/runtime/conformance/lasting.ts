import { expect } from 'vitest';
import type { AnyEventObject, Subscribable } from 'xstate';
import {
  assign,
  cancel,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  sendTo,
  setup,
} from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import type { Claims } from './claims.ts';

/** What a test does to the outside that a callback or an observable listens to. */
class Outside {
  readonly heard: AnyEventObject[] = [];
  starts = 0;
  ends = 0;
  sendBack: (event: AnyEventObject) => void = () => undefined;
  observer: Observer = { next: () => undefined, error: () => undefined, complete: () => undefined };

  callback = fromCallback<AnyEventObject, { fails?: boolean }>(({ input, sendBack, receive }) => {
    if (input.fails === true) throw new Error('cannot listen');
    this.starts += 1;
    this.sendBack = sendBack;
    receive((event) => {
      if (event.type === 'BREAK') throw new Error('broke');
      this.heard.push(event);
      if (event.type === 'PING') sendBack({ type: 'SEEN', text: 'pong' });
    });
    return () => {
      this.ends += 1;
    };
  });

  stream<T>(): Subscribable<T> {
    this.starts += 1;
    return {
      subscribe: (observer: Observer) => {
        this.observer = observer;
        return {
          unsubscribe: () => {
            this.ends += 1;
          },
        };
      },
    } as Subscribable<T>;
  }
}

interface Observer {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

interface Context {
  readonly seen: readonly unknown[];
  readonly fails?: boolean;
}

/** Adds to what was seen. It fits into machines with any actors. */
const note = (pick: (event: AnyEventObject) => unknown) =>
  assign({
    seen: ({ context, event }: { context: Context; event: AnyEventObject }) => [
      ...context.seen,
      pick(event),
    ],
  }) as never;

function listening(outside: Outside) {
  return define({
    kind: 'listening',
    version: 1,
    machine: setup({
      types: {} as { context: Context; events: AnyEventObject; input: { fails?: boolean } },
      actors: { listen: outside.callback },
    }).createMachine({
      context: ({ input }) => ({ seen: [], ...input }),
      initial: 'on',
      states: {
        on: {
          invoke: {
            id: 'ear',
            src: 'listen',
            input: ({ context }) => (context.fails === true ? { fails: true } : {}),
            onError: { target: 'failed', actions: note((event) => event['error'].message) },
          },
          entry: sendTo('ear', { type: 'HELLO' }),
          on: {
            SEEN: { actions: note((event) => event['text']) },
            SAY: { actions: sendTo('ear', ({ event }) => event['event']) },
            LATER: {
              actions: sendTo('ear', { type: 'PING' }, { delay: 5_000, id: 'later' }),
            },
            NEVER: { actions: cancel('later') },
            OFF: 'off',
            AGAIN: { target: 'on', reenter: true },
          },
        },
        off: { on: { ON: 'on', SEEN: { actions: note(() => 'late') } } },
        failed: {},
      },
    }),
  });
}

function watching(outside: Outside) {
  return define({
    kind: 'watching',
    version: 1,
    machine: setup({
      types: {} as { context: Context; events: AnyEventObject },
      actors: {
        numbers: fromObservable(() => outside.stream<number>()),
        events: fromEventObservable(() => outside.stream<AnyEventObject>()),
        idle: fromPromise(() => new Promise(() => undefined)),
      },
    }).createMachine({
      context: { seen: [] },
      initial: 'idle',
      states: {
        idle: { on: { NUMBERS: 'numbers', EVENTS: 'events', PROMISE: 'promise' } },
        numbers: {
          invoke: {
            src: 'numbers',
            onSnapshot: { actions: note((event) => event['snapshot'].context ?? 'started') },
            onDone: 'idle',
            onError: { target: 'idle', actions: note((event) => event['error'].message) },
          },
        },
        events: { invoke: { src: 'events', onDone: 'idle' } },
        promise: {
          invoke: {
            src: 'idle',
            onSnapshot: { actions: note((event) => event['snapshot'].status) },
          },
        },
      },
      on: { TICK: { actions: note((event) => event['n']) } },
    }),
  });
}

/** A parent that gets each snapshot of its child machine. */
const following = define({
  kind: 'following',
  version: 1,
  machine: setup({
    types: {} as { context: Context; events: AnyEventObject },
    actors: {
      light: setup({}).createMachine({
        initial: 'red',
        states: { red: { on: { NEXT: 'green' } }, green: { on: { NEXT: 'end' } }, end: FINAL() },
      }),
    },
  }).createMachine({
    context: { seen: [] },
    invoke: {
      id: 'light',
      src: 'light',
      onSnapshot: { actions: note((event) => event['snapshot'].value) },
      onDone: { actions: note(() => 'done') },
    },
    on: { NEXT: { actions: sendTo('light', { type: 'NEXT' }) } },
  }),
});

function FINAL() {
  return { type: 'final' } as const;
}

/** Actors that last as long as their state: callbacks and observables. */
export const lastingClaims: Claims = {
  'a callback gets events, sends events back, and is disposed of with its state': async (world) => {
    const outside = new Outside();
    const engine = await world.start([listening(outside)]);
    await engine.create('listening', 'l', {});
    await world.rest();
    expect(outside.heard).toEqual([{ type: 'HELLO' }]);
    outside.sendBack({ type: 'SEEN', text: 'a' });
    outside.sendBack({ type: 'SEEN', text: 'b' });
    await engine.tell('l', { type: 'SAY', event: { type: 'PING' } });
    await world.rest();
    expect(await seen(engine, 'l')).toEqual(['a', 'b', 'pong']);
    await engine.tell('l', { type: 'OFF' });
    await world.rest();
    expect(outside.ends).toBe(1);
    outside.sendBack({ type: 'SEEN', text: 'late' });
    await world.rest();
    expect(await seen(engine, 'l')).toEqual(['a', 'b', 'pong']);
    expect((await world.journal('l')).every(({ entry }) => entry === 'event')).toBe(true);
  },

  'a callback starts again with the process, as often as it ends': async (world) => {
    const outside = new Outside();
    let engine = await world.start([listening(outside)]);
    await engine.create('listening', 'l', {});
    await world.rest();
    for (let life = 1; life <= 5; life += 1) {
      expect(outside.starts).toBe(life);
      outside.sendBack({ type: 'SEEN', text: life });
      await world.rest();
      world.crash();
      engine = await world.start([listening(outside)]);
      await world.rest();
    }
    expect(await seen(engine, 'l')).toEqual([1, 2, 3, 4, 5]);
    expect(world.notices).toEqual([]);
  },

  'time ends no callback': async (world) => {
    const outside = new Outside();
    const engine = await world.start([listening(outside)]);
    await engine.create('listening', 'l', {});
    await world.clock.advance(365 * 24 * 3_600_000);
    outside.sendBack({ type: 'SEEN', text: 'still here' });
    await world.rest();
    expect(await engine.view('l')).toMatchObject({
      value: 'on',
      context: { seen: ['still here'] },
    });
    expect(outside.starts).toBe(1);
  },

  'a callback that throws at its start or on an event is an error of its state': async (world) => {
    const outside = new Outside();
    const engine = await world.start([listening(outside)]);
    await engine.create('listening', 'start', { fails: true });
    await engine.create('listening', 'event', {});
    await world.rest();
    await engine.tell('event', { type: 'SAY', event: { type: 'BREAK' } });
    await world.rest();
    expect(await engine.view('start')).toMatchObject({ value: 'failed' });
    expect(await seen(engine, 'start')).toEqual(['cannot listen']);
    expect(await seen(engine, 'event')).toEqual(['broke']);
  },

  'a callback that is entered again gets no event of the earlier one': async (world) => {
    const outside = new Outside();
    const engine = await world.start([listening(outside)]);
    await engine.create('listening', 'l', {});
    await world.rest();
    const earlier = outside.sendBack;
    await engine.tell('l', { type: 'AGAIN' });
    await world.rest();
    earlier({ type: 'SEEN', text: 'from the earlier one' });
    await world.rest();
    expect(outside).toMatchObject({ starts: 2, ends: 1 });
    expect(await seen(engine, 'l')).toEqual([]);
  },

  'an event that cannot be stored is refused where it is sent back': async (world) => {
    const outside = new Outside();
    const engine = await world.start([listening(outside)]);
    await engine.create('listening', 'l', {});
    await world.rest();
    expect(() => outside.sendBack({ type: 'SEEN', text: Symbol('x') })).toThrow('event.text');
  },

  'a delayed event to a callback waits across restarts, and can be cancelled': async (world) => {
    const outside = new Outside();
    let engine = await world.start([listening(outside)]);
    await engine.create('listening', 'l', {});
    await engine.create('listening', 'cancelled', {});
    for (const id of ['l', 'cancelled']) await engine.tell(id, { type: 'LATER' });
    await engine.tell('cancelled', { type: 'NEVER' });
    await world.rest();
    world.crash();
    engine = await world.start([listening(outside)]);
    await world.rest();
    outside.heard.length = 0;
    await world.clock.advance(5_000);
    await world.rest();
    expect(outside.heard).toEqual([{ type: 'PING' }]);
    const [one, other] = [await seen(engine, 'l'), await seen(engine, 'cancelled')];
    expect([...one, ...other]).toEqual(['pong']);
  },

  'an observable gives its snapshots and its end; leaving unsubscribes': async (world) => {
    const outside = new Outside();
    const engine = await world.start([watching(outside)]);
    await engine.create('watching', 'w');
    await engine.tell('w', { type: 'NUMBERS' });
    await world.rest();
    outside.observer.next(1);
    outside.observer.next(2);
    outside.observer.complete();
    await world.rest();
    expect(await engine.view('w')).toMatchObject({ value: 'idle', effects: [] });
    await engine.tell('w', { type: 'NUMBERS' });
    await world.rest();
    outside.observer.error(new Error('lost'));
    await world.rest();
    expect(await seen(engine, 'w')).toEqual(['started', 1, 2, 'started', 'lost']);
    expect(outside.ends).toBe(0);
  },

  'an observable of events sends them, also after a restart': async (world) => {
    const outside = new Outside();
    let engine = await world.start([watching(outside)]);
    await engine.create('watching', 'w');
    await engine.tell('w', { type: 'EVENTS' });
    await world.rest();
    outside.observer.next({ type: 'TICK', n: 1 });
    await world.rest();
    world.crash();
    engine = await world.start([watching(outside)]);
    await world.rest();
    outside.observer.next({ type: 'TICK', n: 2 });
    outside.observer.complete();
    await world.rest();
    expect(await engine.view('w')).toMatchObject({ value: 'idle', context: { seen: [1, 2] } });
  },

  'a promise and a child machine give their snapshots too': async (world) => {
    const engine = await world.start([watching(new Outside()), following]);
    await engine.create('watching', 'w');
    await engine.tell('w', { type: 'PROMISE' });
    await engine.create('following', 'f');
    await world.rest();
    expect(await seen(engine, 'w')).toEqual(['active']);
    for (let n = 0; n < 2; n += 1) await engine.tell('f', { type: 'NEXT' });
    await world.rest();
    expect(await seen(engine, 'f')).toEqual(['red', 'green', 'done']);
  },
};

async function seen(engine: ActorEngine, id: string): Promise<readonly unknown[]> {
  return (await engine.view(id)).context['seen'] as readonly unknown[];
}
