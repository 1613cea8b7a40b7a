import { expect } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import type { Claims } from './claims.ts';

const LIMITS = { eventCharsMax: 1_000, contextCharsMax: 2_500 };
const LONG = 'x'.repeat(1_001);

/** Collects texts; `LOAD` gets one from an effect. */
const notes = define({
  kind: 'notes',
  version: 1,
  machine: setup({
    types: {} as {
      context: { texts: string[]; error?: unknown };
      events: { type: 'ADD'; text: string } | { type: 'LOAD' };
    },
    actors: { load: fromPromise(async () => LONG) },
  }).createMachine({
    context: { texts: [] },
    initial: 'on',
    states: {
      on: {
        on: {
          ADD: {
            actions: assign({ texts: ({ context, event }) => [...context.texts, event.text] }),
          },
          LOAD: 'loading',
        },
      },
      loading: {
        invoke: {
          src: 'load',
          onDone: 'on',
          onError: { target: 'on', actions: assign({ error: ({ event }) => event.error }) },
        },
      },
    },
  }),
});

/** An actor that ends at once, with a child that ends before it. */
const short = define({
  kind: 'short',
  version: 1,
  keep: { endedMs: 60_000 },
  machine: setup({ actors: { child: setup({}).createMachine(endsAtOnce()) } }).createMachine({
    initial: 'on',
    states: {
      on: { invoke: { id: 'child', src: 'child', onDone: 'off' } },
      off: { type: 'final' },
    },
  }),
});

function endsAtOnce() {
  return { initial: 'off', states: { off: { type: 'final' } } } as const;
}

const HOUR_MS = 3_600_000;

/** How large values may become, and how long ended actors are kept. */
export const boundClaims: Claims = {
  'an event, an input or a result that is too large is refused': async (world) => {
    const engine = await world.start([notes], {
      ...LIMITS,
      queues: [{ name: 'q', concurrency: 1 }],
    });
    await engine.create('notes', 'n');
    const refused = { code: 'EVENT_INVALID', message: expect.stringContaining('1000 characters') };
    await expect(engine.tell('n', { type: 'ADD', text: LONG })).rejects.toMatchObject(refused);
    await expect(engine.create('notes', 'm', { LONG })).rejects.toMatchObject(refused);
    await expect(engine.enqueue('q', 'notes', 'm', { LONG })).rejects.toMatchObject(refused);
    await engine.tell('n', { type: 'LOAD' });
    await world.rest();
    expect((await engine.view('n')).context['error']).toMatchObject({
      code: 'EFFECT_OUTPUT_INVALID',
    });
  },

  'an event that makes a context too large is refused, also after a restart': async (world) => {
    let engine = await world.start([notes], LIMITS);
    await engine.create('notes', 'n');
    const text = 'x'.repeat(900);
    for (let n = 0; n < 2; n += 1) await engine.tell('n', { type: 'ADD', text });
    world.crash();
    engine = await world.start([notes], LIMITS);
    await expect(engine.tell('n', { type: 'ADD', text })).rejects.toMatchObject({
      code: 'EVENT_POISON',
      message: expect.stringContaining('at most 2500'),
    });
    await engine.tell('n', { type: 'ADD', text: 'short' });
    expect((await engine.view('n')).context['texts']).toHaveLength(3);
  },

  'an ended actor is purged with its children when its time is over, and no other is': async (
    world,
  ) => {
    const engine = await world.start([short, notes]);
    await engine.create('notes', 'n');
    for (let n = 0; n < 5; n += 1) await engine.create('short', `s/${n}`);
    await world.rest();
    expect((await engine.list({ status: 'done' })).rows).toHaveLength(10);
    await world.clock.advance(HOUR_MS);
    await engine.create('short', 'late');
    await world.clock.advance(2_000);
    expect(await idsOf(engine)).toEqual(['late', 'late/child', 'n']);
    await world.clock.advance(HOUR_MS);
    expect(await idsOf(engine)).toEqual(['n']);
  },
};

async function idsOf(engine: ActorEngine): Promise<readonly string[]> {
  return (await engine.list({})).rows.map(({ id }) => id).sort();
}
