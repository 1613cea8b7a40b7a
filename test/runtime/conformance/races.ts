import { expect } from 'vitest';
import { fromPromise, setup, spawnChild } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { Definition, EffectContext, JournalEntry } from '../../../src/runtime/engine/types.ts';
import { counter, post, worker } from '../../support/actors.ts';
import type { Claims } from './claims.ts';

/** What meets in one moment, before the disk knows of it; each was found by the simulation. */
export const raceClaims: Claims = {
  'an event that is refused leaves no gap in the global order': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    await expect(engine.tell('c/1', { type: 'BREAK' })).rejects.toMatchObject({
      code: 'EVENT_POISON',
    });
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    const seen: JournalEntry[] = [];
    engine.feed(1, (entry) => seen.push(entry));
    await world.rest();
    expect(seen.map(({ globalSeq }) => globalSeq)).toEqual([1, 2, 3]);
  },

  'a dead letter that is retried twice at once is delivered once': async (world) => {
    let isBroken = true;
    const engine = await world.start([{ ...post, machine: mended(() => isBroken) }]);
    await engine.create('post', 'p/1');
    await expect(engine.tell('p/1', { type: 'REFUSED' })).rejects.toThrow();
    isBroken = false;
    const letter = (await engine.deadLetters()).rows[0]?.deadLetterId ?? '';
    const [first, second] = await Promise.all([engine.retry(letter), engine.retry(letter)]);
    expect(second).toEqual(first);
    expect(await engine.view('p/1')).toMatchObject({ seq: 3 });
  },

  'an id whose purge is on its way to the disk is free already': async (world) => {
    const engine = await world.start([counter, post]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'CLOSE' });
    await engine.create('post', 'p/1');
    const release = world.holdCommits();
    const purge = engine.purge('c/1');
    await expect(engine.view('c/1')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    const created = engine.create('counter', 'c/1', { total: 7 });
    release();
    await purge;
    expect(await created).toMatchObject({ seq: 1, status: 'active' });
    expect(await engine.view('c/1')).toMatchObject({ seq: 1, context: { total: 7 } });
  },

  'a close leaves nothing of a creation that met a purge': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'CLOSE' });
    const release = world.holdCommits();
    const purge = engine.purge('c/1');
    const created = engine.create('counter', 'c/1', { total: 7 });
    const closed = engine.close();
    release();
    await closed;
    expect(engine.stats().pendingCommits).toBe(0);
    expect(world.store.readJournal('c/1', 1, 9)).toHaveLength(1);
    await purge;
    expect(await created).toMatchObject({ seq: 1, status: 'active' });
  },

  'an actor whose messages are on their way is not purged': async (world) => {
    let isBroken = true;
    const engine = await world.start([{ ...post, machine: mended(() => isBroken) }]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    await engine.tell('p/1', { type: 'FORWARD', to: 'p/2' });
    await engine.tell('p/1', { type: 'SEND', to: 'p/2', n: 1 });
    await world.clock.advance(60_000);
    expect(await engine.view('p/2')).toMatchObject({ status: 'stuck' });
    await engine.stop('p/1');
    await expect(engine.purge('p/1')).rejects.toMatchObject({ code: 'ACTOR_ACTIVE' });
    isBroken = false;
    await engine.retry((await engine.deadLetters()).rows[0]?.deadLetterId ?? '');
    await world.rest();
    await engine.purge('p/1');
    await expect(engine.view('p/1')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  },

  'the copy of a stuck actor takes events': async (world) => {
    const engine = await world.start([post]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    await engine.tell('p/1', { type: 'FORWARD', to: 'p/2' });
    await world.clock.advance(60_000);
    expect(await engine.view('p/2')).toMatchObject({ status: 'stuck', seq: 2 });
    const { id } = await engine.fork('p/2', 2);
    expect(await engine.tell(id, { type: 'LETTER', n: 1 })).toMatchObject({ status: 'active' });
  },

  'a close spares the attempt of an actor that left the memory': async (world) => {
    const seen: number[] = [];
    const definitions = [worker({ run: hanging(seen), attempts: 1 })];
    let engine = await world.start(definitions, { passivateAfterMs: 1_000 });
    await engine.create('worker', 'w/1');
    await world.clock.advance(10_000);
    expect(engine.stats().live).toBe(0);
    await engine.close();
    engine = await world.start(definitions);
    await world.rest();
    expect(seen).toEqual([1, 2]);
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy', seq: 1 });
  },

  'a close spares an attempt that had no time to begin': async (world) => {
    const seen: number[] = [];
    const definitions = [worker({ run: hanging(seen), attempts: 1 })];
    let engine = await world.start(definitions);
    const release = world.holdCommits();
    const created = engine.create('worker', 'w/1');
    const closed = engine.close();
    release();
    await created;
    await closed;
    expect(seen).toEqual([]);
    engine = await world.start(definitions);
    await world.rest();
    expect(seen).toEqual([2]);
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy', seq: 1 });
  },

  'what follows a repair at once begins its effects by itself': async (world) => {
    let isBroken = true;
    const seen: number[] = [];
    const engine = await world.start([post, beginner(hanging(seen), () => isBroken)]);
    await engine.create('post', 'p/1');
    await engine.create('beginner', 'b/1');
    await engine.tell('p/1', { type: 'FORWARD', to: 'b/1' });
    await world.clock.advance(60_000);
    expect(await engine.view('b/1')).toMatchObject({ status: 'stuck' });
    await engine.tell('p/1', { type: 'SEND', to: 'b/1', n: 1 });
    await world.rest();
    isBroken = false;
    await engine.retry((await engine.deadLetters()).rows[0]?.deadLetterId ?? '');
    await world.rest();
    expect(seen).toEqual([1]);
    expect(await engine.view('b/1')).toMatchObject({ status: 'active', effects: [{ attempt: 1 }] });
  },
};

/** An effect that runs until it is aborted; its attempts are noted. */
function hanging(seen: number[]) {
  return (_input: unknown, { attempt, signal }: EffectContext) => {
    seen.push(attempt);
    return new Promise<unknown>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
}

/** Takes `REFUSED` once it is mended; `LETTER` begins an effect that is tried once. */
function beginner(run: ReturnType<typeof hanging>, isBroken: () => boolean): Definition {
  const machine = setup({
    actors: { work: fromPromise<unknown, unknown>(() => Promise.reject(new Error('run'))) },
    guards: { broken: () => !throwsWhile(isBroken) },
  }).createMachine({
    id: 'beginner',
    initial: 'open',
    states: {
      open: {
        on: {
          REFUSED: { guard: 'broken' },
          LETTER: { actions: spawnChild('work', { id: 'job' }) },
        },
      },
    },
  });
  return define({ kind: 'beginner', version: 1, machine, effects: { work: { run, attempts: 1 } } });
}

function throwsWhile(isBroken: () => boolean): boolean {
  if (isBroken()) throw new Error('still broken');
  return false;
}

/** The post machine with a guard that throws only as long as it is broken. */
function mended(isBroken: () => boolean): Definition['machine'] {
  return post.machine.provide({
    guards: {
      broken: () => !throwsWhile(isBroken),
    },
  } as never);
}
