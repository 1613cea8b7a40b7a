import { expect } from 'vitest';
import type { EffectContext } from '../../../src/runtime/engine/types.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { looper, worker } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

const CRASHED = { name: 'EffectError', code: 'EFFECT_CRASHED' };
const NEVER = () => new Promise<unknown>(() => undefined);

/** An effect whose process dies while it runs is not run for ever. */
export const crashClaims: Claims = {
  'an effect whose process died three times is not run again': async (world) => {
    let runs = 0;
    const work = { attempts: 9, run: () => count(() => (runs += 1)) };
    await dieThrice(world, [worker(work)]);
    const engine = await world.start([worker(work)]);
    await world.rest();
    expect(runs).toBe(3);
    expect(await engine.view('w/1')).toMatchObject({ value: 'failed', context: { said: CRASHED } });
    const { rows } = await engine.deadLetters();
    expect(rows).toMatchObject([
      {
        actorId: 'w/1',
        event: { type: 'engine.effect.crashed', src: 'work', childId: 'job', deaths: 3 },
        cause: { by: 'effect', token: 'w/1:1:job', attempt: 3 },
        reason: 'work is not run again: the process crashed 3 times during it.',
      },
    ]);
    expect(world.notices).toMatchObject([
      { kind: 'effect_crashed', actorId: 'w/1', deadLetterId: rows[0]?.deadLetterId },
    ]);
    expect(await world.journal('w/1')).toHaveLength(2);
  },

  'an orderly close, a retry pause and a wait in a queue are no deaths': async (world) => {
    const runs: string[] = [];
    const work = {
      attempts: 20,
      backoff: () => 3_600_000,
      limit: { max: 1, key: () => 'vendor' },
      run: async (_input: unknown, { actorId, attempt }: EffectContext) => {
        runs.push(`${actorId}#${attempt}`);
        if (actorId === 'w/1') throw new Error('not now');
        return await NEVER();
      },
    };
    // w/1 is in its pause, w/2 is at work and cut short by a close, w/3 waits for its place.
    for (let life = 0; life < 5; life += 1) {
      const engine = await world.start([worker(work)]);
      for (const id of ['w/1', 'w/2', 'w/3']) await engine.create('worker', id);
      await world.rest();
      await engine.close();
      await world.rest();
    }
    expect(world.store.crashes()).toEqual([]);
    for (let life = 0; life < 2; life += 1) {
      await world.start([worker(work)]);
      await world.rest();
      world.crash();
    }
    await world.start([worker(work)]);
    expect(world.store.crashes().map(({ id, deaths }) => [id, deaths])).not.toContainEqual([
      'w/3',
      expect.anything(),
    ]);
    expect((await world.engine.deadLetters()).rows).toEqual([]);
  },

  'from the second death on suspects run one after another, and one alone is blamed': async (
    world,
  ) => {
    const working: string[] = [];
    const isGuilty = (id: string): boolean => id === 'w/3';
    const work = {
      attempts: 9,
      run: async (_input: unknown, { actorId }: EffectContext) => {
        working.push(actorId);
        if (isGuilty(actorId)) world.crash();
        return await new Promise<unknown>((resolve) =>
          world.clock.at(world.clock.now() + 10, () => resolve(actorId)),
        );
      },
    };
    const ids = ['w/1', 'w/2', 'w/3', 'w/4', 'w/5'];
    const engine = await world.start([worker(work)]);
    await Promise.race([Promise.all(ids.map((id) => engine.create('worker', id))), world.rest()]);
    for (let life = 0; life < 12; life += 1) {
      world.crash();
      await world.start([worker(work)]);
      await world.clock.advance(1_000);
    }
    const states = await Promise.all(
      ids.map(async (id) => (await world.engine.view(id)).value as string),
    );
    expect(states).toEqual(['finished', 'finished', 'failed', 'finished', 'finished']);
    expect((await world.engine.deadLetters()).rows).toHaveLength(1);
    expect(working.filter(isGuilty)).toHaveLength(3);
    expect(world.store.crashes()).toMatchObject([{ id: 'w/3', deaths: 3 }]);
  },

  'a suspect that takes long lets the next one begin': async (world) => {
    const begun: string[] = [];
    const work = {
      attempts: 9,
      run: (_input: unknown, { actorId }: EffectContext) => {
        begun.push(actorId);
        return NEVER();
      },
    };
    const ids = ['w/1', 'w/2', 'w/3'];
    const engine = await world.start([worker(work)]);
    for (const id of ids) await engine.create('worker', id);
    for (let life = 0; life < 2; life += 1) {
      await world.rest();
      world.crash();
      begun.length = 0;
      await world.start([worker(work)]);
    }
    await world.rest();
    expect(begun).toEqual(['w/1']);
    await world.clock.advance(60_000);
    expect(begun).toEqual(['w/1', 'w/2']);
    await world.clock.advance(60_000);
    expect(begun).toEqual(ids);
  },

  'a machine that begins the same child again does not begin its count anew': async (world) => {
    let runs = 0;
    const work = { attempts: 1, run: () => count(() => (runs += 1)) };
    for (let life = 0; life < 8; life += 1) {
      const engine = await world.start([looper(work)]);
      await engine.create('looper', 'l/1');
      await world.clock.advance(120_000);
      world.crash();
    }
    expect(runs).toBe(3);
    const engine = await world.start([looper({ attempts: 1, run: async () => 'well' })]);
    await world.clock.advance(120_000);
    const { rows } = await engine.deadLetters();
    expect(rows).toHaveLength(1);
    expect((await engine.view('l/1')).status).toBe('active');
    // A retry of the letter is the operator's word that it may run again.
    await engine.retry(rows[0]?.deadLetterId as string);
    await world.clock.advance(120_000);
    expect(await engine.view('l/1')).toMatchObject({ value: 'finished' });
    expect((await engine.deadLetters()).rows).toEqual([]);
    expect(world.store.crashes()).toEqual([]);
  },

  'a refused child fails with a pause, so that its machine cannot spin': async (world) => {
    const work = { attempts: 1, run: NEVER };
    for (let life = 0; life < 6; life += 1) {
      const engine = await world.start([looper(work, 0)]);
      await engine.create('looper', 'l/1');
      await world.clock.advance(60_000);
      world.crash();
    }
    const engine = await world.start([looper(work, 0)]);
    await world.rest();
    const before = (await engine.view('l/1')).seq;
    await world.clock.advance(600_000);
    expect((await engine.view('l/1')).seq - before).toBeLessThanOrEqual(60);
  },

  'whatever ends while its process lives has no deaths any more': async (world) => {
    for (const end of ['result', 'failure', 'later', 'leave'] as const) {
      const id = `w/${end}`;
      const dying = [worker({ attempts: 9, run: NEVER })];
      const first = await world.start(dying);
      await first.create('worker', id);
      await world.rest();
      world.crash();
      await world.start(dying);
      await world.rest();
      world.crash();
      const run = async () => {
        if (end === 'failure') throw new Error('of its own');
        return end === 'later' ? LATER : 'done';
      };
      const work = { attempts: 9, run: end === 'leave' ? NEVER : run, isRetryable: () => false };
      const engine = await world.start([worker(work)]);
      await world.rest();
      expect(world.store.crashes(), end).toHaveLength(end === 'leave' ? 1 : 0);
      if (end === 'leave') await engine.tell(id, { type: 'LEAVE' });
      if (end === 'leave') await engine.stop(id);
      await world.rest();
      expect(world.store.crashes(), end).toEqual([]);
      world.crash();
    }
  },

  'deaths of an actor go with its purge': async (world) => {
    await dieThrice(world, [looper({ attempts: 1, run: NEVER })], 'looper');
    const engine = await world.start([looper({ attempts: 1, run: NEVER })]);
    await world.rest();
    expect(world.store.crashes()).toHaveLength(1);
    await engine.stop('w/1');
    await engine.purge('w/1');
    await world.rest();
    expect(world.store.crashes()).toEqual([]);
  },
};

async function dieThrice(
  world: EngineWorld,
  definitions: Parameters<EngineWorld['start']>[0],
  kind = 'worker',
): Promise<void> {
  for (let life = 0; life < 3; life += 1) {
    const engine = await world.start(definitions);
    await engine.create(kind, 'w/1');
    await world.clock.advance(120_000);
    world.crash();
  }
}

function count(add: () => void): Promise<unknown> {
  add();
  return NEVER();
}
