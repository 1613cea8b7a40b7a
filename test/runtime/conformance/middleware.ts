import { expect } from 'vitest';
import type { AnyActorRef } from 'xstate';
import { fromPromise, sendTo, setup } from 'xstate';
import { actorRef } from '../../../src/runtime/child/actor-ref.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import type { Middleware } from '../../../src/runtime/middleware/middleware-types.ts';
import type { Claims } from './claims.ts';

const other = actorRef('other') as never as AnyActorRef;
const job = define({
  kind: 'job',
  version: 1,
  machine: setup({
    actors: { work: fromPromise<string>(async () => 'done') },
  }).createMachine({
    initial: 'idle',
    states: {
      idle: {
        on: {
          GO: 'busy',
          CALL: { actions: sendTo(other, { type: 'GO' }) },
        },
      },
      busy: { invoke: { src: 'work', onDone: 'over', onError: 'lost' } },
      over: {},
      lost: {},
    },
  }),
  effects: { work: { run: async () => 'done', attempts: 3, backoff: () => 1_000 } },
});

/** Code of a program around commits, effects and events. */
export const middlewareClaims: Claims = {
  'the first of a list is the outermost, around commits, effects and events': async (world) => {
    const seen: string[] = [];
    const layer = (name: string): Middleware => ({
      commit: async (next, { actorIds }) => {
        seen.push(`${name} commits ${actorIds.join()}`);
        await next();
      },
      effect: async (next, { src, attempt }) => {
        const output = await next();
        seen.push(`${name} had ${src} ${attempt}: ${String(output)}`);
        return output;
      },
      message: (next, { event, actorId }) => {
        seen.push(`${name} sees ${event.type} of ${actorId}`);
        next();
      },
    });
    const engine = await world.start([job], { use: [layer('a'), layer('b')] });
    await engine.create('job', 'j');
    await engine.tell('j', { type: 'GO' });
    await world.rest();
    expect((await engine.view('j')).value).toBe('over');
    expect(seen.slice(0, 4)).toEqual([
      'a sees xstate.init of j',
      'b sees xstate.init of j',
      'a commits j',
      'b commits j',
    ]);
    expect(seen).toContain('b had work 1: done');
    expect(seen.indexOf('b had work 1: done')).toBeLessThan(seen.indexOf('a had work 1: done'));
  },

  'a middleware that throws in a commit ends the engine, and nothing of it is on disk': async (
    world,
  ) => {
    let broken = false;
    const commit: Middleware['commit'] = async (next) => {
      if (broken) throw new RangeError('no');
      await next();
    };
    const engine = await world.start([job], { use: [{ commit }] });
    await engine.create('job', 'j');
    broken = true;
    const late = engine.tell('j', { type: 'GO' });
    await expect(late).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(world.fatal).toMatchObject([{ code: 'STORE_FAILED' }]);
    world.crash();
    const next = await world.start([job]);
    expect(await next.view('j')).toMatchObject({ value: 'idle', seq: 1 });
  },

  'a commit that a middleware leaves out, or whose failure it hides, is not acknowledged': async (
    world,
  ) => {
    const engine = await world.start([job], { use: [{ commit: async () => undefined }] });
    await expect(engine.create('job', 'j')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    world.crash();
    const hiding: Middleware = {
      commit: async (next) => {
        await next().catch(() => undefined);
      },
    };
    const second = await world.start([job], {
      use: [hiding],
      wrapStore: (store) =>
        Object.assign(store, { commit: () => Promise.reject(new RangeError('no disk')) }),
    });
    await expect(second.create('job', 'j')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    world.crash();
  },

  'what a middleware throws is the error of the attempt, with its rules of retry': async (
    world,
  ) => {
    let failures = 2;
    const effect: Middleware['effect'] = async (next) => {
      failures -= 1;
      if (failures >= 0) throw new RangeError('not yet');
      return await next();
    };
    const engine = await world.start([job], { use: [{ effect }] });
    await engine.create('job', 'j');
    await engine.tell('j', { type: 'GO' });
    await world.clock.advance(5_000);
    expect((await engine.view('j')).value).toBe('over');
    failures = 9;
    await engine.create('job', 'k');
    await engine.tell('k', { type: 'GO' });
    await world.clock.advance(5_000);
    expect((await engine.view('k')).value).toBe('lost');
  },

  'an event in which a middleware throws is one that the machine cannot process': async (world) => {
    const message: Middleware['message'] = (next, { actorId, event }) => {
      if (actorId === 'other' && event.type === 'GO') throw new RangeError('closed');
      next();
    };
    const engine = await world.start([job], { use: [{ message }] });
    await engine.create('job', 'j');
    await engine.create('job', 'other');
    const refused = engine.tell('other', { type: 'GO' });
    await expect(refused).rejects.toMatchObject({
      code: 'EVENT_POISON',
      message: 'GO: middleware failed: closed',
    });
    await engine.tell('j', { type: 'CALL' });
    await world.clock.advance(60_000);
    expect(await engine.view('other')).toMatchObject({ value: 'idle', status: 'stuck' });
    world.crash();
    const next = await world.start([job]);
    const { rows } = await next.deadLetters();
    await next.retry(rows.at(-1)?.deadLetterId ?? '');
    await world.rest();
    expect((await next.view('other')).value).toBe('over');
  },

  'a list with anything else is refused': async (world) => {
    const wrong = [{ commit: 'no' }] as unknown as readonly Middleware[];
    await expect(world.start([job], { use: wrong })).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
      message: 'use: commit of entry 0 must be a function',
    });
    world.crash();
  },
};
