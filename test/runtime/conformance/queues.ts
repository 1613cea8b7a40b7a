import { expect } from 'vitest';
import type { Migration } from '../../../src/runtime/engine/types.ts';
import { counter, post } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import { faultyStore } from '../../support/faulty-store.ts';
import {
  broken,
  endOf,
  flash,
  QUEUED_KINDS,
  runningIds,
  waitingIds,
} from '../../support/queue-bench.ts';
import type { Claims } from './claims.ts';

/** Queues: who starts, who waits, and what is refused. */
export const queueClaims: Claims = {
  'as many run as may, and the next one starts when one ends': async (world) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 2 }] });
    const answers = [];
    for (const id of ['a', 'b', 'c', 'd']) {
      answers.push(await engine.enqueue('q', 'counter', id, { total: 4 }));
    }
    expect(answers).toEqual([
      { queue: 'q', id: 'a', state: 'started', ack: { seq: 1, value: 'open', status: 'active' } },
      { queue: 'q', id: 'b', state: 'started', ack: { seq: 1, value: 'open', status: 'active' } },
      { queue: 'q', id: 'c', state: 'waiting' },
      { queue: 'q', id: 'd', state: 'waiting' },
    ]);
    await expect(engine.view('c')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    await endOf(world, 'b');
    expect(await runningIds(world)).toEqual(['a', 'c']);
    expect(await engine.view('c')).toMatchObject({ seq: 1, context: { total: 4 } });
    expect(await waitingIds(world)).toEqual(['d']);
    await engine.stop('a');
    await endOf(world, 'c');
    expect(await runningIds(world)).toEqual(['d']);
    expect(world.store.slots()).toEqual([{ id: 'd', queue: 'q', key: '' }]);
  },

  'the same id again tells where it stands, and starts nothing': async (world) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    const [first, again] = await Promise.all([
      engine.enqueue('q', 'counter', 'a', { total: 1 }),
      engine.enqueue('q', 'counter', 'a', { total: 2 }),
    ]);
    expect(again).toEqual(first);
    const waits = await Promise.all([1, 2].map(() => engine.enqueue('q', 'counter', 'b')));
    expect(waits[1]).toEqual(waits[0]);
    expect(await engine.enqueue('q', 'counter', 'b')).toEqual(waits[0]);
    const conflict = { code: 'ACTOR_KIND_CONFLICT' };
    await expect(engine.enqueue('q', 'post', 'a')).rejects.toMatchObject(conflict);
    await expect(engine.enqueue('q', 'post', 'b')).rejects.toMatchObject(conflict);
    world.crash();
    const next = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    expect(await next.enqueue('q', 'counter', 'a')).toEqual(first);
    expect(await next.enqueue('q', 'counter', 'b')).toEqual(waits[0]);
    await endOf(world, 'a');
    expect(await next.enqueue('q', 'counter', 'a')).toEqual(first);
    expect(await next.enqueue('q', 'counter', 'b')).toMatchObject({
      state: 'started',
      ack: { seq: 1 },
    });
    expect(await world.journal('b')).toHaveLength(1);
  },

  'higher priorities start first, then those who came first': async (world) => {
    const options = { queues: [{ name: 'q', concurrency: 1 }] };
    await world.start(QUEUED_KINDS, options);
    const orders = [0, 5, 0, -1, 5, 1_000].map((priority, n) => ({ id: `a${n}`, priority }));
    for (const { id, priority } of orders.slice(0, 4)) {
      await world.engine.enqueue('q', 'counter', id, undefined, { priority });
    }
    world.crash();
    await world.start(QUEUED_KINDS, options);
    for (const { id, priority } of orders.slice(4)) {
      await world.engine.enqueue('q', 'counter', id, undefined, { priority });
    }
    expect(await waitingIds(world)).toEqual(['a5', 'a1', 'a4', 'a2', 'a3']);
    const started: string[] = [];
    for (;;) {
      const [id] = await runningIds(world);
      if (id === undefined) break;
      started.push(id);
      await endOf(world, id);
    }
    expect(started).toEqual(['a0', 'a5', 'a1', 'a4', 'a2', 'a3']);
  },

  'a key that is full holds up nobody else, and gets its turn back': async (world) => {
    const engine = await world.start(QUEUED_KINDS, {
      queues: [{ name: 'q', concurrency: 3, perKey: { concurrency: 1 } }],
    });
    const add = (id: string, key?: string, priority = 0) =>
      engine.enqueue('q', 'counter', id, undefined, {
        priority,
        ...(key === undefined ? {} : { key }),
      });
    await add('x1', 'x');
    for (let n = 2; n <= 200; n += 1) await add(`x${n}`, 'x', 1);
    expect(await add('y1', 'y')).toMatchObject({ state: 'started' });
    expect(await add('z1')).toMatchObject({ state: 'started' });
    expect(await add('y2', 'y')).toMatchObject({ state: 'waiting' });
    expect(await add('z2')).toMatchObject({ state: 'waiting' });
    await endOf(world, 'z1');
    expect(await runningIds(world)).toEqual(['x1', 'y1', 'z2']);
    await endOf(world, 'x1');
    await endOf(world, 'y1');
    expect(await runningIds(world)).toEqual(['z2', 'x2', 'y2']);
    await endOf(world, 'x2');
    expect(await add('x0', 'x', 9)).toMatchObject({ state: 'waiting' });
    await endOf(world, 'x3');
    expect(await runningIds(world)).toEqual(['z2', 'y2', 'x0']);
    expect(await waitingIds(world)).toHaveLength(197);
  },

  'a stuck actor keeps its place until it is stopped or mended': async (world) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    await engine.create('post', 'sender');
    await engine.enqueue('q', 'post', 'p');
    await engine.enqueue('q', 'counter', 'c');
    await engine.tell('sender', { type: 'FORWARD', to: 'p' });
    await world.clock.advance(60_000);
    expect(await engine.view('p')).toMatchObject({ status: 'stuck' });
    expect(await waitingIds(world)).toEqual(['c']);
    world.crash();
    const next = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    await world.rest();
    expect(await waitingIds(world)).toEqual(['c']);
    await next.stop('p');
    await world.rest();
    expect(await runningIds(world)).toEqual(['c']);
  },

  'an actor that ends with its first row, or cannot start, holds no place': async (world) => {
    const queues = [{ name: 'q', concurrency: 1 }];
    const engine = await world.start([...QUEUED_KINDS, flash, broken], { queues });
    expect(await engine.enqueue('q', 'flash', 'f')).toMatchObject({ ack: { status: 'done' } });
    await expect(engine.enqueue('q', 'broken', 'b')).rejects.toMatchObject({
      code: 'EVENT_POISON',
    });
    expect(world.store.slots()).toEqual([]);
    await engine.enqueue('q', 'counter', 'a');
    await engine.enqueue('q', 'broken', 'b');
    await engine.enqueue('q', 'flash', 'g');
    await engine.enqueue('q', 'counter', 'c');
    await endOf(world, 'a');
    expect(await runningIds(world)).toEqual(['c']);
    expect(await engine.view('g')).toMatchObject({ status: 'done' });
    const [letter] = (await engine.deadLetters()).rows;
    expect(letter).toMatchObject({ actorId: 'b', event: { type: 'actor.create' } });
    expect(world.notices).toMatchObject([{ kind: 'dead_letter', actorId: 'b' }]);
    expect(world.store.slots().map(({ id }) => id)).toEqual(['c']);
  },

  'who was made past the queue while waiting takes no place': async (world) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    for (const id of ['a', 'b', 'c', 'd']) await engine.enqueue('q', 'counter', id);
    await engine.create('counter', 'b', { total: 7 });
    await engine.create('post', 'c');
    await endOf(world, 'a');
    expect(await runningIds(world)).toEqual(['b', 'd']);
    expect(await engine.view('b')).toMatchObject({ context: { total: 7 } });
    expect((await engine.deadLetters()).rows).toMatchObject([{ actorId: 'c' }]);
    expect(world.store.slots().map(({ id }) => id)).toEqual(['d']);
  },

  'who waits is listed in pages and can be taken out': async (world) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    await engine.enqueue('q', 'counter', 'run');
    const ids = Array.from({ length: 230 }, (_, n) => `w${String(n).padStart(3, '0')}`);
    await Promise.all(
      ids.map((id, n) => engine.enqueue('q', 'counter', id, { total: n }, { key: `k${n % 3}` })),
    );
    const first = await engine.queued('q');
    expect(first.rows).toHaveLength(100);
    expect(first.rows[1]).toEqual({
      queue: 'q',
      id: 'w001',
      kind: 'counter',
      key: 'k1',
      priority: 0,
      at: world.clock.now(),
    });
    expect(await waitingIds(world)).toEqual(ids);
    const removed = await Promise.all(['w000', 'w000', 'run', 'none'].map((id) => take(world, id)));
    expect(removed).toEqual([true, false, false, false]);
    await engine.enqueue('q', 'counter', 'w000', { total: 99 });
    await endOf(world, 'run');
    expect(await runningIds(world)).toEqual(['w001']);
    expect((await waitingIds(world)).at(-1)).toBe('w000');
  },

  'who was taken out does not start, though it was next in line': async (world) => {
    const engine = await world.start(QUEUED_KINDS, {
      queues: [{ name: 'q', concurrency: 2, perKey: { concurrency: 1 } }],
    });
    const keys = ['z', 'x', 'y', 'x'];
    for (const [n, key] of keys.entries()) {
      await engine.enqueue('q', 'counter', `a${n}`, undefined, { key });
    }
    await endOf(world, 'a0');
    expect(await engine.dequeue('q', 'a3')).toBe(true);
    await engine.enqueue('q', 'counter', 'a4', undefined, { key: 'x' });
    await endOf(world, 'a1');
    expect(await runningIds(world)).toEqual(['a2', 'a4']);
    await expect(engine.view('a3')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  },

  'who was taken out does not start, though the queue was read before the disk knew': async (
    world,
  ) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    for (const id of ['a', 'b', 'c', 'd']) await engine.enqueue('q', 'counter', id);
    const goOn = world.holdCommits();
    const taken = engine.dequeue('q', 'c');
    const ended = engine.stop('a');
    await world.rest();
    goOn();
    expect(await taken).toBe(true);
    await ended;
    await world.rest();
    await endOf(world, 'b');
    expect(await runningIds(world)).toEqual(['d']);
    await endOf(world, 'd');
    expect(await waitingIds(world)).toEqual([]);
    await expect(engine.view('c')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  },

  'a dequeue that meets its own enqueue leaves nothing behind': async (world) => {
    const engine = await world.start(QUEUED_KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    await engine.enqueue('q', 'counter', 'a');
    const enqueued = engine.enqueue('q', 'counter', 'b');
    const removed = engine.dequeue('q', 'b');
    const again = enqueued.then(() => engine.enqueue('q', 'counter', 'b', { total: 2 }));
    expect([(await enqueued).state, await removed]).toEqual(['waiting', true]);
    await again;
    await endOf(world, 'a');
    expect((await world.journal('b')).length).toBeLessThanOrEqual(1);
    expect(world.store.slots().length).toBeLessThanOrEqual(1);
    expect(await waitingIds(world)).toEqual([]);
  },

  'too many, a full disk and unknown queues are refused by name': async (world) => {
    let isFull = false;
    const engine = await world.start(QUEUED_KINDS, {
      queues: [{ name: 'q', concurrency: 1, waitingMax: 2 }],
      wrapStore: (store) => faultyStore(store, { hasRoom: () => !isFull }),
    });
    for (const id of ['a', 'b', 'c']) await engine.enqueue('q', 'counter', id);
    await expect(engine.enqueue('q', 'counter', 'd')).rejects.toMatchObject({
      code: 'OVERLOADED',
      data: { queue: 'q', waiting: 2, waitingMax: 2 },
    });
    expect(await engine.enqueue('q', 'counter', 'c')).toMatchObject({ state: 'waiting' });
    const unknown = { code: 'QUEUE_UNKNOWN', data: { received: 'r', known: ['q'] } };
    await expect(engine.enqueue('r', 'counter', 'd')).rejects.toMatchObject(unknown);
    await expect(engine.queued('r')).rejects.toMatchObject(unknown);
    await expect(engine.dequeue('r', 'd')).rejects.toMatchObject(unknown);
    await expect(engine.enqueue('q', 'none', 'd')).rejects.toMatchObject({
      code: 'ACTOR_KIND_UNKNOWN',
    });
    for (const o of [{ key: '' }, { key: 'k'.repeat(129) }, { priority: 1.5 }, { priority: 1e9 }]) {
      const refused = engine.enqueue('q', 'counter', 'd', undefined, o);
      await expect(refused).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    }
    isFull = true;
    await endOfFull(world);
    await expect(engine.enqueue('q', 'counter', 'd')).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await waitingIds(world)).toEqual(['b', 'c']);
    isFull = false;
    await world.clock.advance(5_000);
    expect(await runningIds(world)).toEqual(['b']);
  },

  'nobody overtakes who waits for room on the disk': async (world) => {
    let isFull = false;
    const engine = await world.start(QUEUED_KINDS, {
      queues: [{ name: 'q', concurrency: 1 }],
      wrapStore: (store) => faultyStore(store, { hasRoom: () => !isFull }),
    });
    for (const id of ['a', 'b']) await engine.enqueue('q', 'counter', id);
    isFull = true;
    await endOfFull(world);
    isFull = false;
    expect(await engine.enqueue('q', 'counter', 'c')).toMatchObject({ state: 'waiting' });
    await world.rest();
    expect(await runningIds(world)).toEqual(['b']);
    expect(await waitingIds(world)).toEqual(['c']);
  },

  'a queue that is described wrongly is refused, with all that is wrong': async (world) => {
    const wrong = world.start(QUEUED_KINDS, {
      queues: [
        { name: 'q', concurrency: 0, rate: { max: 1.5, perMs: 0 } },
        { name: 'q', perKey: { concurrency: -1 } },
        { name: '' },
      ],
    });
    await expect(wrong).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
      data: {
        faults: [
          'q: concurrency is 0; it must be an integer from 1',
          'q: rate.max is 1.5; it must be an integer from 1',
          'q: rate.perMs must be a number of milliseconds above 0',
          'q is defined twice',
          'q per key: concurrency is -1; it must be an integer from 1',
          'a name must have 1 to 64 printable characters',
        ],
      },
    });
    world.crash();
  },

  'an actor that a migration ends gives its place to the next one': async (world) => {
    const queues = [{ name: 'q', concurrency: 1 }];
    const engine = await world.start(QUEUED_KINDS, { queues });
    for (const id of ['a', 'b']) await engine.enqueue('q', 'counter', id);
    await engine.close();
    world.crash();
    const ends: Migration = {
      from: 1,
      migrate: ({ snapshot }) => ({
        snapshot: { ...snapshot, status: 'done', value: 'closed' },
        timers: [],
        effects: [],
      }),
    };
    const second = { ...counter, version: 2, migrations: [ends] };
    const next = await world.start([second, post], { queues });
    expect(await next.view('a')).toMatchObject({ status: 'done' });
    await world.rest();
    expect(await runningIds(world)).toEqual(['b']);
    expect(world.store.slots().map(({ id }) => id)).toEqual(['b']);
  },

  'what is of a queue or a kind that is not there waits until it is': async (world) => {
    const queues = [{ name: 'q', concurrency: 1 }];
    const engine = await world.start(QUEUED_KINDS, { queues });
    for (const id of ['a', 'b']) await engine.enqueue('q', 'counter', id);
    world.crash();
    await world.start(QUEUED_KINDS);
    await endOf(world, 'a');
    expect(world.store.slots()).toEqual([]);
    expect(world.store.waitingRow('b')).toMatchObject({ queue: 'q' });
    world.crash();
    await world.start([post], { queues });
    await world.rest();
    expect(await waitingIds(world)).toEqual(['b']);
    await world.engine.enqueue('q', 'post', 'p');
    expect((await world.engine.list({ kind: 'post' })).rows).toHaveLength(1);
    await world.engine.stop('p');
    world.crash();
    await world.start(QUEUED_KINDS, { queues });
    await world.rest();
    expect(await runningIds(world)).toEqual(['b']);
  },
};

async function take(world: EngineWorld, id: string): Promise<boolean> {
  return await world.engine.dequeue('q', id);
}

/** Ends the actor that runs though the disk takes no new work. */
async function endOfFull(world: EngineWorld): Promise<void> {
  await world.engine.stop('a');
  await world.rest();
}
