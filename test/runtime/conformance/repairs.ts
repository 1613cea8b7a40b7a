import { expect } from 'vitest';
import type { Definition, EffectContext } from '../../../src/runtime/engine/types.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { counter, fragile, hold, post, worker } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** What people repair: stuck actors, dead letters, ends, copies. */
export const repairClaims: Claims = {
  'an internal event that keeps poisoning makes its actor stuck, by name': async (world) => {
    const letter = await getStuck(world);
    const { engine } = world;
    expect(await engine.view('p/2')).toMatchObject({ status: 'stuck', value: 'open', seq: 2 });
    expect(letter).toMatchObject({ actorId: 'p/2', event: { type: 'REFUSED' } });
    expect(letter?.cause).toEqual({ by: 'actor', from: 'p/1', fromSeq: 2 });
    expect(world.notices).toMatchObject([{ kind: 'actor_stuck', actorId: 'p/2' }]);
    await expect(engine.tell('p/2', { type: 'LETTER', n: 1 })).rejects.toMatchObject({
      code: 'ACTOR_STUCK',
    });
    await expect(engine.retry(letter?.deadLetterId ?? '')).rejects.toMatchObject({
      code: 'EVENT_POISON',
    });
    expect((await engine.list({ kind: 'post' })).rows.map(({ status }) => status)).toEqual([
      'active',
      'stuck',
    ]);
  },

  'what comes to a stuck actor waits, and is taken after the repair': async (world) => {
    await getStuck(world);
    await world.engine.tell('p/1', { type: 'SEND', to: 'p/2', n: 1 });
    await world.rest();
    expect(world.store.outbox(10)).toHaveLength(1);
    world.crash();
    const repaired = { ...post, machine: mended() };
    const next = await world.start([repaired]);
    await world.rest();
    expect(await next.view('p/2')).toMatchObject({ status: 'stuck', seq: 2 });
    const letter = (await next.deadLetters()).rows[0];
    expect(await next.retry(letter?.deadLetterId ?? '')).toMatchObject({
      seq: 3,
      status: 'active',
    });
    await world.rest();
    expect(await next.view('p/2')).toMatchObject({ status: 'active', context: { got: [1] } });
    expect((await next.deadLetters()).rows).toEqual([]);
    expect(world.store.outbox(10)).toEqual([]);
    await expect(next.retry(letter?.deadLetterId ?? '')).rejects.toMatchObject({
      code: 'DEAD_LETTER_UNKNOWN',
    });
    world.crash();
    const last = await world.start([repaired]);
    expect(await last.view('p/2')).toMatchObject({ status: 'active', seq: 4 });
  },

  'a poisoned internal event is tried again before its actor is given up': async (world) => {
    let isBroken = true;
    const engine = await world.start([{ ...post, machine: mended(() => isBroken) }]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    await engine.tell('p/1', { type: 'FORWARD', to: 'p/2' });
    await world.clock.advance(450);
    expect(await engine.view('p/2')).toMatchObject({ seq: 1 });
    isBroken = false;
    await world.clock.advance(10_000);
    expect(await engine.view('p/2')).toMatchObject({ status: 'active', seq: 2 });
    expect((await engine.deadLetters()).rows).toEqual([]);
  },

  'the effects of a stuck actor go on with its repair, also after a restart': async (world) => {
    const tokens: string[] = [];
    let isBroken = true;
    let answer: (value: unknown) => void = () => undefined;
    const work = {
      run: (_input: unknown, { token, attempt }: EffectContext) => {
        tokens.push(`${token}#${attempt}`);
        return new Promise<unknown>((resolve) => {
          answer = resolve;
        });
      },
    };
    const definitions = [post, fragile(work, () => isBroken)];
    const engine = await world.start(definitions);
    await engine.create('post', 'p/1');
    await engine.create('fragile', 'f/1');
    await engine.tell('p/1', { type: 'FORWARD', to: 'f/1' });
    await world.clock.advance(60_000);
    expect(await engine.view('f/1')).toMatchObject({ status: 'stuck' });
    world.crash();
    const next = await world.start(definitions);
    await world.rest();
    expect(tokens).toEqual(['f/1:1:job#1']);
    isBroken = false;
    await next.retry((await next.deadLetters()).rows[0]?.deadLetterId ?? '');
    await world.rest();
    expect(tokens).toEqual(['f/1:1:job#1', 'f/1:1:job#2']);
    answer('whole again');
    await world.rest();
    expect(await next.view('f/1')).toMatchObject({ context: { said: 'whole again' } });
  },

  'a result that comes to a stuck actor waits for its repair': async (world) => {
    let isBroken = true;
    let answer: (value: unknown) => void = () => undefined;
    const work = {
      run: () =>
        new Promise<unknown>((resolve) => {
          answer = resolve;
        }),
    };
    const engine = await world.start([post, fragile(work, () => isBroken)]);
    await engine.create('post', 'p/1');
    await engine.create('fragile', 'f/1');
    await engine.tell('p/1', { type: 'FORWARD', to: 'f/1' });
    await world.clock.advance(60_000);
    answer('early');
    await world.rest();
    expect(await engine.view('f/1')).toMatchObject({ status: 'stuck', context: { said: null } });
    isBroken = false;
    await engine.retry((await engine.deadLetters()).rows[0]?.deadLetterId ?? '');
    await world.rest();
    expect(await engine.view('f/1')).toMatchObject({
      status: 'active',
      context: { said: 'early' },
    });
  },

  'a dead letter from outside can be delivered again': async (world) => {
    let isBroken = true;
    const engine = await world.start([{ ...post, machine: mended(() => isBroken) }]);
    await engine.create('post', 'p/1');
    const poisoned = engine.tell('p/1', { type: 'REFUSED' });
    await expect(poisoned).rejects.toMatchObject({ code: 'EVENT_POISON' });
    isBroken = false;
    const letter = (await engine.deadLetters()).rows[0]?.deadLetterId ?? '';
    expect(await engine.retry(letter)).toMatchObject({ seq: 3 });
    expect((await world.journal('p/1'))[2]?.cause).toEqual({ by: 'retry', deadLetterId: letter });
    expect((await engine.deadLetters()).rows).toEqual([]);
  },

  'stopping ends an actor with its timers and effects': async (world) => {
    const aborted: string[] = [];
    const work = worker({
      run: (_input, { actorId, signal }) => {
        signal.addEventListener('abort', () => aborted.push(actorId));
        return new Promise(() => undefined);
      },
    });
    const engine = await world.start([hold, work]);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    await engine.create('worker', 'w/1');
    await world.rest();
    expect(await engine.stop('h/1')).toMatchObject({ status: 'stopped', seq: 2 });
    expect(await engine.stop('w/1')).toMatchObject({ status: 'stopped' });
    expect(aborted).toEqual(['w/1']);
    expect(world.store.nextDue()).toBeUndefined();
    expect(world.store.actorsWithEffects()).toEqual([]);
    await expect(engine.stop('h/1')).rejects.toMatchObject({ code: 'ACTOR_CLOSED' });
    world.crash();
    const next = await world.start([hold, work]);
    expect(await next.view('h/1')).toMatchObject({ status: 'stopped', seq: 2 });
  },

  'a stuck actor can be stopped': async (world) => {
    await getStuck(world);
    await world.engine.tell('p/1', { type: 'SEND', to: 'p/2', n: 1 });
    await world.rest();
    expect(await world.engine.stop('p/2')).toMatchObject({ status: 'stopped' });
    await world.rest();
    expect(world.store.outbox(10)).toEqual([]);
    expect((await world.engine.deadLetters()).rows).toHaveLength(2);
  },

  'only what has ended can be purged, and then nothing is left': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'ADD', n: 1 }, { idempotencyKey: 'k' });
    await expect(engine.purge('c/1')).rejects.toMatchObject({ code: 'ACTOR_ACTIVE' });
    await engine.tell('c/1', { type: 'CLOSE' });
    const last = engine.stats().globalSeq;
    const purge = engine.purge('c/1');
    const made = engine.create('counter', 'c/1', { total: 8 });
    await purge;
    await made;
    expect(await engine.view('c/1')).toMatchObject({ seq: 1, context: { total: 8 } });
    expect(await world.journal('c/1')).toHaveLength(1);
    expect(world.store.idempotency('c/1', 'k')).toBeUndefined();
    await engine.stop('c/1');
    await engine.purge('c/1');
    await expect(engine.view('c/1')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    expect((await engine.list({})).rows).toEqual([]);
    expect(world.store.feed(0, 10)).toEqual([]);
    world.crash();
    const next = await world.start([counter]);
    await next.create('counter', 'c/2');
    expect(next.stats().globalSeq).toBeGreaterThan(last + 1);
  },

  'a fork goes on from an earlier row, with its timers and without effects': async (world) => {
    const engine = await world.start([hold, worker({ run: async () => LATER })]);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    await engine.tell('h/1', { type: 'AGAIN' });
    await engine.tell('h/1', { type: 'PAUSE' });
    const copy = await engine.fork('h/1', 2);
    expect(copy).toMatchObject({ id: 'h/1/fork-4', seq: 1, value: 'held' });
    expect(await engine.view(copy.id)).toMatchObject({
      context: { holdMs: 1_000, rounds: 2 },
      timers: [{ token: 'h/1/fork-4:1:xstate.after.wait.hold.held' }],
    });
    expect((await world.journal(copy.id))[0]).toMatchObject({
      event: { type: 'engine.fork', from: 'h/1', atSeq: 2 },
      cause: { by: 'engine', why: 'fork' },
    });
    await world.clock.advance(1_000);
    expect(await engine.view(copy.id)).toMatchObject({ value: 'released' });
    expect(await engine.view('h/1')).toMatchObject({ value: 'paused' });
    await engine.create('worker', 'w/1');
    await world.rest();
    const idle = await engine.fork('w/1', 1);
    expect(await engine.view(idle.id)).toMatchObject({ value: 'busy', effects: [] });
  },
};

async function getStuck(world: EngineWorld) {
  const engine = await world.start([post]);
  await engine.create('post', 'p/1');
  await engine.create('post', 'p/2');
  await engine.tell('p/1', { type: 'FORWARD', to: 'p/2' });
  await world.clock.advance(60_000);
  return (await engine.deadLetters()).rows[0];
}

/** The post machine with a guard that no longer throws, or only as long as it is broken. */
function mended(isBroken: () => boolean = () => false): Definition['machine'] {
  return post.machine.provide({
    guards: {
      broken: () => {
        if (isBroken()) throw new Error('still broken');
        return true;
      },
    },
  } as never);
}
