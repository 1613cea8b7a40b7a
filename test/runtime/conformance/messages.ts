import { expect } from 'vitest';
import { counter, post } from '../../support/actors.ts';
import type { Claims } from './claims.ts';

/** Messages between actors: committed with what sent them, delivered exactly once. */
export const messageClaims: Claims = {
  'a message is delivered with its sender as cause, and its row is gone': async (world) => {
    const engine = await world.start([post]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    await engine.tell('p/1', { type: 'SEND', to: 'p/2', n: 7 });
    await world.rest();
    expect(await engine.view('p/2')).toMatchObject({ seq: 2, context: { got: [7] } });
    expect((await world.journal('p/2'))[1]).toMatchObject({
      event: { type: 'LETTER', n: 7 },
      cause: { by: 'actor', from: 'p/1', fromSeq: 2 },
    });
    expect((await world.journal('p/1'))[1]?.emits).toEqual([]);
    expect(world.store.outbox(10)).toEqual([]);
  },

  'a crash between commit and delivery delivers once, later': async (world) => {
    const engine = await world.start([post]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    world.crashAfterNextCommit();
    engine.tell('p/1', { type: 'SEND', to: 'p/2', n: 7 }).catch(() => undefined);
    await world.rest();
    expect(world.store.outbox(10)).toHaveLength(1);
    for (let life = 0; life < 3; life += 1) {
      const next = await world.start([post]);
      await world.rest();
      expect(await next.view('p/2')).toMatchObject({ seq: 2, context: { got: [7] } });
      world.crash();
    }
  },

  'a crash while a delivery is on its way delivers once': async (world) => {
    const engine = await world.start([post]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    world.crashBeforeNextCommit(1);
    engine.tell('p/1', { type: 'SEND', to: 'p/2', n: 7 }).catch(() => undefined);
    await world.rest();
    const next = await world.start([post]);
    await world.rest();
    expect(await next.view('p/2')).toMatchObject({ seq: 2, context: { got: [7] } });
    expect(world.store.outbox(10)).toEqual([]);
  },

  'messages of one sender arrive in order, one to itself too': async (world) => {
    const engine = await world.start([post]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    const sends = Array.from({ length: 50 }, (_, n) =>
      engine.tell('p/1', { type: 'SEND', to: n % 5 === 0 ? 'p/1' : 'p/2', n }),
    );
    await Promise.all(sends);
    await world.rest();
    const all = Array.from({ length: 50 }, (_, n) => n);
    expect((await engine.view('p/1')).context['got']).toEqual(all.filter((n) => n % 5 === 0));
    expect((await engine.view('p/2')).context['got']).toEqual(all.filter((n) => n % 5 !== 0));
  },

  'an actor can create another, and a repeat changes nothing': async (world) => {
    const engine = await world.start([post, counter]);
    await engine.create('post', 'p/1');
    const make = { type: 'MAKE', to: 'c/1', kind: 'counter', input: { total: 3 } };
    await engine.tell('p/1', make);
    await engine.tell('p/1', make);
    await world.rest();
    expect(await engine.view('c/1')).toMatchObject({ seq: 1, context: { total: 3 } });
    expect((await world.journal('c/1'))[0]).toMatchObject({
      event: { type: 'xstate.init', input: { total: 3 } },
      cause: { by: 'actor', from: 'p/1', fromSeq: 2 },
    });
    expect(world.store.outbox(10)).toEqual([]);
  },

  'a message that finds nobody is a dead letter with a notice': async (world) => {
    const engine = await world.start([post, counter]);
    await engine.create('post', 'p/1');
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'CLOSE' });
    await engine.tell('p/1', { type: 'SEND', to: 'nobody', n: 1 });
    await engine.tell('p/1', { type: 'SEND', to: 'c/1', n: 2 });
    await engine.tell('p/1', { type: 'MAKE', to: 'x', kind: 'unheard', input: null });
    await engine.tell('p/1', { type: 'MAKE', to: 'c/1', kind: 'post', input: null });
    await world.rest();
    const { rows } = await engine.deadLetters();
    expect(rows.map(({ actorId, reason }) => `${actorId}: ${reason}`).sort()).toEqual([
      'c/1: The actor c/1 has ended.',
      'c/1: c/1 has the kind counter.',
      'nobody: No actor has the id nobody.',
      'x: The kind unheard is not defined.',
    ]);
    expect(world.notices.map(({ kind }) => kind)).toEqual(Array(4).fill('dead_letter'));
    expect(world.store.outbox(10)).toEqual([]);
    const letter = rows.find(({ actorId }) => actorId === 'nobody')?.deadLetterId ?? '';
    await engine.create('post', 'nobody');
    await engine.retry(letter);
    expect(await engine.view('nobody')).toMatchObject({ context: { got: [1] } });
    expect((await engine.deadLetters()).rows).toHaveLength(3);
  },

  'the reserved lane is not refused while outside events are': async (world) => {
    const engine = await world.start([post], { mailboxMax: 1 });
    await engine.create('post', 'p/1');
    for (let n = 2; n < 40; n += 1) await engine.create('post', `p/${n}`);
    const sends = Array.from({ length: 38 }, (_, n) =>
      engine.tell(`p/${n + 2}`, { type: 'SEND', to: 'p/1', n }),
    );
    await Promise.all(sends);
    await world.rest();
    expect((await engine.view('p/1')).context['got']).toHaveLength(38);
  },
};
