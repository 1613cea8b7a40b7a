import { expect } from 'vitest';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { counter, post, worker } from '../../support/actors.ts';
import { faultyStore } from '../../support/faulty-store.ts';
import type { Claims } from './claims.ts';

/** What an engine does when its disk is full or fails. */
export const diskClaims: Claims = {
  'below the disk reserve new work is refused, and what runs goes on': async (world) => {
    let isFull = false;
    const work = worker({ run: async () => LATER });
    const engine = await world.start([counter, post, work], {
      wrapStore: (store) => faultyStore(store, { hasRoom: () => !isFull }),
    });
    await engine.create('counter', 'c/1');
    await engine.create('worker', 'w/1');
    await engine.create('post', 'p/1');
    await world.rest();
    isFull = true;
    const full = { code: 'STORE_FULL' };
    await expect(engine.create('counter', 'c/2')).rejects.toMatchObject(full);
    await expect(engine.tell('c/1', { type: 'ADD', n: 1 })).rejects.toMatchObject(full);
    expect(await engine.create('counter', 'c/1')).toMatchObject({ seq: 1 });
    expect(await engine.view('c/1')).toMatchObject({ seq: 1 });
    expect(await engine.complete('w/1:1:job', { ok: true, output: 1 })).toMatchObject({
      value: 'finished',
    });
    isFull = false;
    expect(await engine.tell('c/1', { type: 'ADD', n: 1 })).toMatchObject({ seq: 2 });
  },

  'a failed commit ends the engine and answers nobody as if it were written': async (world) => {
    let isBroken = false;
    const engine = await world.start([counter], {
      wrapStore: (store) => faultyStore(store, { fails: () => isBroken }),
    });
    await engine.create('counter', 'c/1');
    const seen: number[] = [];
    engine.watch('c/1', 1, ({ seq }) => seen.push(seq));
    await world.rest();
    isBroken = true;
    const told = [1, 2, 3].map((n) => engine.tell('c/1', { type: 'ADD', n }));
    const outcomes = await Promise.allSettled(told);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({ reason: { code: 'STORE_FAILED' } });
    await expect(engine.tell('c/1', { type: 'ADD', n: 4 })).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    expect(world.fatal).toHaveLength(1);
    expect(seen).toEqual([1]);
    world.crash();
    const next = await world.start([counter]);
    expect(await next.view('c/1')).toMatchObject({ seq: 1, context: { total: 0 } });
  },
};
