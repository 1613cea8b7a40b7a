import { expect } from 'vitest';
import { assign } from 'xstate';
import type { Claims } from '../../../runtime/conformance/claims.ts';
import { counter, hold } from '../../../support/actors.ts';
import { inspectorOf } from '../../../support/inspected.ts';

const on = { actions: ['send', 'retry', 'fork'], developmentKinds: ['counter'] } as const;
const start = { name: 'start', kind: 'counter', actorId: 'c/1' } as const;

const mended = {
  ...counter,
  machine: counter.machine.provide({ actions: { burst: assign({}) } } as never),
};

/** What an operator may do from a console. */
export const actionClaims: Claims = {
  'are refused by name while they are off': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    const off = inspectorOf({ engine, developmentKinds: ['counter'] });
    const send = { name: 'send', actorId: 'c/1', event: { type: 'ADD', n: 1 } } as const;
    const tries = [
      start,
      send,
      { name: 'retry', deadLetterId: 'x' } as const,
      { name: 'fork', actorId: 'c/1', atSeq: 1 } as const,
    ];
    for (const action of tries) {
      await expect(off.act(action, 'me')).rejects.toMatchObject({
        code: 'ACTION_OFF',
        data: { flag: '--console-actions' },
      });
    }
    expect((await engine.view('c/1')).seq).toBe(1);
  },

  'start and send reach development actors only, and their rows name who did it': async (world) => {
    const engine = await world.start([counter, hold]);
    const one = inspectorOf({ engine, ...on });
    await one.act({ ...start, input: { total: 5 } }, 'console:anna');
    await one.act({ name: 'send', actorId: 'c/1', event: { type: 'ADD', n: 1 } }, 'anna');
    const rows = await world.journal('c/1');
    expect(rows.map(({ cause }) => cause)).toEqual([
      { by: 'create', who: 'console:anna' },
      { by: 'outside', who: 'console:anna' },
    ]);
    const input = { holdMs: 1 };
    const other = { name: 'start', kind: 'hold', actorId: 'h/1', input } as const;
    await expect(one.act(other, 'anna')).rejects.toMatchObject({ code: 'ACTION_OFF' });
    await engine.create('hold', 'h/1', input);
    const send = { name: 'send', actorId: 'h/1', event: { type: 'AGAIN' } } as const;
    await expect(one.act(send, 'anna')).rejects.toMatchObject({ code: 'ACTION_OFF' });
  },

  'a send that is repeated with its key is taken once': async (world) => {
    const engine = await world.start([counter, hold]);
    const one = inspectorOf({ engine, ...on });
    await one.act(start, 'anna');
    const event = { type: 'ADD', n: 1 };
    const send = { name: 'send', actorId: 'c/1', event, idempotencyKey: 'k' } as const;
    await one.act(send, 'anna');
    await one.act(send, 'anna');
    expect((await engine.view('c/1')).context).toEqual({ total: 1 });
  },

  'a retry of a dead letter is a row of who did it': async (world) => {
    let engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'BURST' }).catch(() => undefined);
    const [letter] = (await engine.deadLetters()).rows;
    await world.engine.close();
    engine = await world.start([mended]);
    const action = { name: 'retry', deadLetterId: letter?.deadLetterId ?? '' } as const;
    await inspectorOf({ engine, ...on }).act(action, 'anna');
    expect((await world.journal('c/1')).at(-1)?.cause).toMatchObject({
      by: 'retry',
      who: 'console:anna',
    });
    await expect(inspectorOf({ engine, ...on }).act(action, 'anna')).rejects.toMatchObject({
      code: 'DEAD_LETTER_UNKNOWN',
    });
  },

  'a fork of a development actor lives on, any other has no timer that moves it': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    const fork = { name: 'fork', actorId: 'h/1', atSeq: 1 } as const;
    const { id: still } = (await inspectorOf({ engine, ...on }).act(fork, 'anna')) as {
      id: string;
    };
    const living = inspectorOf({ engine, ...on, developmentKinds: ['hold'] });
    const { id: moving } = (await living.act(fork, 'anna')) as { id: string };
    expect((await engine.view(still)).timers).toHaveLength(0);
    expect((await engine.view(moving)).timers).toHaveLength(1);
    await world.clock.advance(2_000);
    expect((await engine.view(still)).seq).toBe(1);
    expect((await engine.view(moving)).seq).toBe(2);
    expect((await world.journal(still))[0]?.cause).toMatchObject({ who: 'console:anna' });
  },
};
