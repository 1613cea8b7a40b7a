import { expect } from 'vitest';
import { counter, hold } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import { START } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** Creation, events, refusals and repeats. */
export const eventClaims: Claims = {
  'an event is answered with the row that holds it': async (world) => {
    const engine = await world.start([counter]);
    expect(await engine.create('counter', 'c/1', { total: 5 })).toEqual({
      seq: 1,
      value: 'open',
      status: 'active',
    });
    expect(await engine.tell('c/1', { type: 'ADD', n: 2 })).toEqual({
      seq: 2,
      value: 'open',
      status: 'active',
    });
    expect(await engine.view('c/1')).toEqual({
      id: 'c/1',
      kind: 'counter',
      version: 1,
      seq: 2,
      at: START,
      createdAt: START,
      status: 'active',
      value: 'open',
      context: { total: 7 },
      tags: ['taking'],
      timers: [],
      effects: [],
    });
  },

  'a journal row says what happened, why, and what the actor was then': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'ADD', n: 2 }, { idempotencyKey: 'k' });
    expect((await world.journal('c/1'))[1]).toEqual({
      id: 'c/1',
      kind: 'counter',
      seq: 2,
      globalSeq: 2,
      at: START,
      entry: 'event',
      event: { type: 'ADD', n: 2 },
      cause: { by: 'outside', idempotencyKey: 'k' },
      version: 1,
      value: 'open',
      status: 'active',
      hash: '81128e883e6123f3',
      emits: [{ type: 'TOTAL', total: 2 }],
    });
  },

  'creating the same actor again gives the first answer': async (world) => {
    const engine = await world.start([counter, hold]);
    const first = engine.create('counter', 'c/1');
    const twin = engine.create('counter', 'c/1');
    expect(await first).toEqual(await twin);
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    expect(await engine.create('counter', 'c/1')).toEqual(await first);
    await expect(engine.create('hold', 'c/1', { holdMs: 1 })).rejects.toMatchObject({
      code: 'ACTOR_KIND_CONFLICT',
    });
    await expect(engine.create('unheard', 'x')).rejects.toMatchObject({
      code: 'ACTOR_KIND_UNKNOWN',
    });
  },

  'an event that nothing takes is answered and journaled': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    expect(await engine.tell('c/1', { type: 'UNHEARD' })).toMatchObject({ seq: 2, value: 'open' });
    expect((await world.journal('c/1')).map((row) => row.event.type)).toEqual([
      'xstate.init',
      'UNHEARD',
    ]);
  },

  'a finished actor refuses events and keeps its output': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'ADD', n: 3 });
    expect(await engine.tell('c/1', { type: 'CLOSE' })).toMatchObject({ status: 'done' });
    await expect(engine.tell('c/1', { type: 'ADD', n: 1 })).rejects.toMatchObject({
      code: 'ACTOR_CLOSED',
    });
    world.crash();
    const again = await world.start([counter]);
    await expect(again.tell('c/1', { type: 'ADD', n: 1 })).rejects.toMatchObject({
      code: 'ACTOR_CLOSED',
    });
    expect(await again.view('c/1')).toMatchObject({ status: 'done', output: 3, value: 'closed' });
  },

  'a throwing guard is poison, and the state is kept': (world) =>
    keepsState(world, 'BREAK', 'the guard is broken'),

  'a throwing assign is poison, and the state is kept': (world) =>
    keepsState(world, 'BURST', 'the assign is broken'),

  'events that only an engine may give are refused': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const forged = [
      { type: 'xstate.done.actor.job', output: 1 },
      { type: 'engine.migrate' },
      { type: '' },
      { type: 'ADD', n: Number.NaN },
      { type: 'ADD', n: 1n },
      { type: 'ADD', when: /x/ },
      { type: 'ADD', when: { stoa$$type: 'Date', value: 0 } },
      { type: 'ADD', ref: { xstate$$type: 1, id: 'x' } },
    ];
    for (const event of forged) {
      await expect(engine.tell('c/1', event)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    }
    await expect(engine.tell('nobody', { type: 'ADD', n: 1 })).rejects.toMatchObject({
      code: 'ACTOR_UNKNOWN',
    });
    await expect(engine.create('counter', 'c\n2')).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    await expect(engine.create('counter', 'x'.repeat(257))).rejects.toMatchObject({
      code: 'EVENT_INVALID',
    });
  },

  'a repeat with the same idempotency key gets the first answer for a day': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const o = { idempotencyKey: 'once' };
    const both = await Promise.all([
      engine.tell('c/1', { type: 'ADD', n: 1 }, o),
      engine.tell('c/1', { type: 'ADD', n: 1 }, o),
    ]);
    expect(both.map(({ seq }) => seq)).toEqual([2, 2]);
    world.crash();
    const again = await world.start([counter]);
    expect(await again.tell('c/1', { type: 'ADD', n: 1 }, o)).toEqual(both[0]);
    expect(await again.view('c/1')).toMatchObject({ context: { total: 1 } });
    await world.clock.advance(24 * 3_600_000 + 1);
    expect(await again.tell('c/1', { type: 'ADD', n: 1 }, o)).toMatchObject({ seq: 3 });
  },

  'another event with the same idempotency key is refused': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const o = { idempotencyKey: 'once' };
    const refused = { code: 'IDEMPOTENCY_CONFLICT', data: { id: 'c/1', idempotencyKey: 'once' } };
    const first = engine.tell('c/1', { type: 'ADD', n: 1 }, o);
    await expect(engine.tell('c/1', { type: 'ADD', n: 2 }, o)).rejects.toMatchObject(refused);
    await first;
    world.crash();
    const again = await world.start([counter]);
    await expect(again.tell('c/1', { type: 'NOTE', n: 1 }, o)).rejects.toMatchObject(refused);
    expect(await again.tell('c/1', { n: 1, type: 'ADD' }, o)).toEqual(await first);
    expect(await again.view('c/1')).toMatchObject({ seq: 2, context: { total: 1 } });
  },

  'an expected row that is not the last one is a conflict': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'ADD', n: 1 }, { expectSeq: 1 });
    await expect(engine.tell('c/1', { type: 'ADD', n: 1 }, { expectSeq: 1 })).rejects.toMatchObject(
      { code: 'SEQ_CONFLICT', data: { expected: 1, seq: 2 } },
    );
  },

  'strings come back as they were, broken ones too': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const odd = { type: 'NOTE', text: 'a\ud800b\u0000\u2028', list: [null, '', {}, []] };
    await engine.tell('c/1', odd);
    world.crash();
    await world.start([counter]);
    expect((await world.journal('c/1'))[1]?.event).toEqual(odd);
  },

  'outside events are refused above the mailbox bound, and only then': async (world) => {
    const engine = await world.start([counter], { mailboxMax: 3 });
    await engine.create('counter', 'c/1');
    await engine.create('counter', 'c/2');
    const told = Array.from({ length: 5 }, () => engine.tell('c/1', { type: 'ADD', n: 1 }));
    const other = engine.tell('c/2', { type: 'ADD', n: 1 });
    const outcomes = await Promise.allSettled(told);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(outcomes[3]).toMatchObject({ reason: { code: 'OVERLOADED' } });
    await expect(other).resolves.toMatchObject({ seq: 2 });
    await expect(engine.tell('c/1', { type: 'ADD', n: 1 })).resolves.toMatchObject({ seq: 5 });
  },

  'a closed engine refuses everything by name': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const last = engine.tell('c/1', { type: 'ADD', n: 1 });
    await engine.close();
    await expect(last).resolves.toMatchObject({ seq: 2 });
    await expect(engine.tell('c/1', { type: 'ADD', n: 1 })).rejects.toMatchObject({
      code: 'ENGINE_CLOSED',
    });
  },
};

async function keepsState(world: EngineWorld, type: string, words: string): Promise<void> {
  const engine = await world.start([counter]);
  await engine.create('counter', 'c/1');
  await engine.tell('c/1', { type: 'ADD', n: 4 });
  await expect(engine.tell('c/1', { type })).rejects.toMatchObject({ code: 'EVENT_POISON' });
  expect(await engine.view('c/1')).toMatchObject({ value: 'open', context: { total: 4 } });
  expect((await world.journal('c/1'))[2]).toMatchObject({ entry: 'poison', event: { type } });
  const { rows } = await engine.deadLetters();
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ actorId: 'c/1', event: { type } });
  expect(rows[0]?.reason).toContain(words);
  expect(await engine.tell('c/1', { type: 'ADD', n: 1 })).toMatchObject({ seq: 4 });
}
