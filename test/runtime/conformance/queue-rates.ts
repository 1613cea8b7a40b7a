import { expect } from 'vitest';
import type { EngineWorld } from '../../support/engine-world.ts';
import { START } from '../../support/engine-world.ts';
import { QUEUED_KINDS, waitingIds } from '../../support/queue-bench.ts';
import type { Claims } from './claims.ts';

const ANSWER = { seq: 1, value: 'open', status: 'active' } as const;

/** Queues with rates: how many may start in a time. */
export const queueRateClaims: Claims = {
  'a rate lets a burst start, then one after the other, over restarts': async (world) => {
    const options = { queues: [{ name: 'q', rate: { max: 3, perMs: 3_000 } }] };
    const engine = await world.start(QUEUED_KINDS, options);
    for (const n of [0, 1, 2, 3, 4, 5, 6]) await engine.enqueue('q', 'counter', `a${n}`);
    expect(await waitingIds(world)).toEqual(['a3', 'a4', 'a5', 'a6']);
    expect(engine.stats().nextDue).toBe(START + 1_000);
    await world.clock.advance(999);
    expect(await startedAfter(world)).toEqual([0, 0, 0]);
    world.crash();
    await world.start(QUEUED_KINDS, options);
    await world.clock.advance(1_001);
    world.crash();
    await world.start(QUEUED_KINDS, options);
    await world.clock.advance(9_000);
    expect(await startedAfter(world)).toEqual([0, 0, 0, 1_000, 2_000, 3_000, 4_000]);
    const [first, second, third, fourth] = await Promise.all(
      ['b0', 'b1', 'b2', 'b3'].map((id) => world.engine.enqueue('q', 'counter', id)),
    );
    expect([first, second, third, fourth].map((answer) => answer?.state)).toEqual([
      'started',
      'started',
      'started',
      'waiting',
    ]);
  },

  'with a burst of one no window holds more than the rate says': async (world) => {
    await world.start(QUEUED_KINDS, {
      queues: [{ name: 'q', rate: { max: 3, perMs: 1_000, burst: 1 } }],
    });
    for (let n = 0; n < 20; n += 1) await world.engine.enqueue('q', 'counter', `a${n}`);
    await world.clock.advance(10_000);
    const times = await startedAfter(world);
    expect(times).toHaveLength(20);
    for (const [n, at] of times.entries()) {
      expect((times[n + 3] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(1_000);
    }
    expect(times.at(-1)).toBeLessThan(6_400);
  },

  'the rate of a key holds back that key only': async (world) => {
    await world.start(QUEUED_KINDS, {
      queues: [{ name: 'q', perKey: { rate: { max: 1, perMs: 1_000 } } }],
    });
    const keys = ['x', 'x', 'x', 'y', 'y', 'z'];
    for (const [n, key] of keys.entries()) {
      await world.engine.enqueue('q', 'counter', `${key}${n}`, undefined, { key });
    }
    await world.engine.enqueue('q', 'counter', 'free');
    expect(await waitingIds(world)).toEqual(['x1', 'x2', 'y4']);
    await world.clock.advance(1_000);
    expect(await waitingIds(world)).toEqual(['x2']);
    await world.clock.advance(1_000);
    expect(await startedAfter(world)).toEqual([0, 0, 0, 0, 1_000, 1_000, 2_000]);
  },

  'rates that are over leave the store, and nothing changes by it': async (world) => {
    const queues = [{ name: 'q', perKey: { rate: { max: 1, perMs: 60_000 } } }];
    await world.start(QUEUED_KINDS, { queues });
    for (const key of ['x', 'y']) {
      await world.engine.enqueue('q', 'counter', `${key}0`, undefined, { key });
    }
    expect(world.store.rate('q', 'x')).toBe(START + 60_000);
    expect(world.store.trim(START + 59_999)).toBe(0);
    expect(world.store.rate('q', 'x')).toBe(START + 60_000);
    await world.clock.advance(61_000);
    await world.engine.enqueue('q', 'counter', 'x1', undefined, { key: 'x' });
    expect(world.store.trim(START + 61_000)).toBe(1);
    await world.store.commit([]);
    expect(world.store.rate('q', 'y')).toBeUndefined();
    expect(await world.engine.enqueue('q', 'counter', 'y1', undefined, { key: 'y' })).toMatchObject(
      { state: 'started' },
    );
    expect(await world.engine.enqueue('q', 'counter', 'x2', undefined, { key: 'x' })).toMatchObject(
      { state: 'waiting' },
    );
  },

  'a trim takes no rate and no answer that is just being written anew': async (world) => {
    await world.start(QUEUED_KINDS);
    const { store } = world;
    const rate = (freshAt: number) =>
      ({ put: 'rate', row: { queue: 'q', key: 'x', freshAt } }) as const;
    const answer = (expires: number) =>
      ({ put: 'idempotency', id: 'a', key: 'k', row: { ack: ANSWER, expires } }) as const;
    await store.commit([rate(10), answer(10)]);
    const first = store.commit([]);
    const newer = store.commit([rate(90), answer(90)]);
    expect(store.trim(50)).toBe(2);
    await Promise.all([first, newer, store.commit([])]);
    await store.commit([]);
    expect(store.rate('q', 'x')).toBe(90);
    expect(store.idempotency('a', 'k')?.expires).toBe(90);
    expect(store.trim(90)).toBe(2);
    await store.commit([]);
    await store.commit([]);
    expect(store.rate('q', 'x')).toBeUndefined();
    expect(store.idempotency('a', 'k')).toBeUndefined();
  },

  'a clock that was set back does not stop a queue for longer than a burst': async (world) => {
    const queues = [{ name: 'q', rate: { max: 1, perMs: 1_000 } }];
    await world.start(QUEUED_KINDS, { queues });
    await world.clock.advance(1_000_000);
    await world.engine.enqueue('q', 'counter', 'a');
    world.crash();
    const late = { put: 'rate', row: { queue: 'q', key: '', freshAt: START + 9e9 } } as const;
    await world.store.commit([late]);
    await world.start(QUEUED_KINDS, { queues });
    expect(await world.engine.enqueue('q', 'counter', 'b')).toMatchObject({ state: 'waiting' });
    await world.clock.advance(2_000);
    expect(await waitingIds(world)).toEqual([]);
  },
};

/** When the counters have started, in milliseconds since the world began, in order. */
async function startedAfter(world: EngineWorld): Promise<readonly number[]> {
  const { rows } = await world.engine.list({ kind: 'counter', limit: 1_000 });
  return rows.map(({ createdAt }) => createdAt - START).sort((a, b) => a - b);
}
