import { expect } from 'vitest';
import { assign, emit, fromPromise, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { JournalEntry } from '../../../src/runtime/engine/types.ts';
import type { Claims } from './claims.ts';

interface Context {
  readonly openedAt: Date;
  readonly prices: Map<string, number>;
  readonly tags: Set<string>;
  readonly gaps: readonly (number | undefined)[];
  readonly longest?: Date;
}

type ShopEvent =
  | { type: 'PRICE'; name: string; price: number; at: Date }
  | { type: 'MUTATE' }
  | { type: 'LOOK' }
  | { type: 'NOTE' };

const OPENED = new Date('2026-01-01T00:00:00Z');

/** A machine whose context, events, input, effects and functions use what JSON lacks. */
function shopKind(seen: unknown[]) {
  return define({
    kind: 'shop',
    version: 1,
    machine: setup({
      types: {} as {
        context: Context;
        events: ShopEvent;
        input: { openedAt: Date };
        emitted: { type: 'priced'; at: Date };
        output: Map<string, number>;
      },
      actions: { look: ({ context }) => void seen.push(context.prices) },
      actors: {
        findLongest: fromPromise<Date, { prices: Map<string, number>; at: Date }>(
          async ({ input }) => {
            seen.push(input);
            return new Date(input.at.getTime() + input.prices.size);
          },
        ),
      },
    }).createMachine({
      context: ({ input }) => ({
        openedAt: input.openedAt,
        prices: new Map(),
        tags: new Set(['new']),
        gaps: [1, undefined, 3],
      }),
      initial: 'open',
      states: {
        open: {
          on: {
            PRICE: {
              guard: ({ context, event }) => event.at.getTime() >= context.openedAt.getTime(),
              actions: [
                assign({
                  prices: ({ context, event }) =>
                    new Map(context.prices).set(event.name, event.price),
                }),
                emit(({ event }) => ({ type: 'priced', at: event.at })),
              ],
            },
            // Machines must not do this. It changes a copy, and nothing that is stored.
            MUTATE: { guard: ({ context }) => context.prices.delete('a') && false },
            NOTE: { actions: 'look' },
            LOOK: 'looking',
          },
        },
        looking: {
          invoke: {
            src: 'findLongest',
            input: ({ context: { prices, openedAt } }) => ({ prices, at: openedAt }),
            onDone: { target: 'closed', actions: assign({ longest: ({ event }) => event.output }) },
          },
        },
        closed: { type: 'final' },
      },
      output: ({ context }) => context.prices,
    }),
  });
}

/** Values that JSON lacks: machines, effects, functions and readers get them as they were. */
export const typedValueClaims: Claims = {
  'dates, maps, sets and undefined items stay what they are, also after a kill': async (world) => {
    const seen: unknown[] = [];
    let engine = await world.start([shopKind(seen)]);
    await engine.create('shop', 's', { openedAt: OPENED });
    await engine.tell('s', { type: 'PRICE', name: 'a', price: 1, at: OPENED });
    await engine.tell('s', { type: 'PRICE', name: 'early', price: 9, at: new Date(0) });
    const expected = {
      openedAt: OPENED,
      prices: new Map([['a', 1]]),
      tags: new Set(['new']),
      gaps: [1, undefined, 3],
    };
    expect((await engine.view('s')).context).toEqual(expected);
    world.crash();
    engine = await world.start([shopKind(seen)]);
    expect((await engine.view('s')).context).toEqual(expected);
    await engine.tell('s', { type: 'PRICE', name: 'b', price: 2, at: OPENED });
    await engine.tell('s', { type: 'NOTE' });
    await world.rest();
    const prices = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    expect(seen).toEqual([prices]);
    await engine.tell('s', { type: 'LOOK' });
    await world.rest();
    expect(seen[1]).toEqual({ prices, at: OPENED });
    expect(await engine.view('s')).toMatchObject({
      status: 'done',
      context: { longest: new Date(OPENED.getTime() + 2) },
      output: prices,
    });
    expect((await engine.view('s', 2)).context).toEqual(expected);
  },

  'what a reader or a guard changes in a map is not stored': async (world) => {
    const engine = await world.start([shopKind([])]);
    await engine.create('shop', 's', { openedAt: OPENED });
    await engine.tell('s', { type: 'PRICE', name: 'a', price: 1, at: OPENED });
    const view = await engine.view('s');
    (view.context as unknown as Context).prices.clear();
    (view.context as unknown as Context).openedAt.setTime(0);
    await engine.tell('s', { type: 'MUTATE' });
    const { context } = await engine.view('s');
    expect(context).toMatchObject({ prices: new Map([['a', 1]]), openedAt: OPENED });
  },

  'rows show events with their dates, live and read again': async (world) => {
    let engine = await world.start([shopKind([])]);
    await engine.create('shop', 's', { openedAt: OPENED });
    const live: JournalEntry[] = [];
    engine.watch('s', 1, (row) => live.push(row));
    await engine.tell('s', { type: 'PRICE', name: 'a', price: 1, at: OPENED });
    await world.rest();
    world.crash();
    engine = await world.start([shopKind([])]);
    const rows = await world.journal('s');
    for (const row of [live[1], rows[1]]) {
      expect(row?.event['at']).toEqual(OPENED);
      expect(row?.emits).toEqual([{ type: 'priced', at: OPENED }]);
    }
  },

  'an event that changes nothing of a map stores nothing of it': async (world) => {
    const engine = await world.start([shopKind([])]);
    await engine.create('shop', 's', { openedAt: OPENED });
    await engine.tell('s', { type: 'PRICE', name: 'a', price: 1, at: OPENED });
    const before = (await engine.view('s')).seq;
    await engine.tell('s', { type: 'PRICE', name: 'a', price: 1, at: OPENED });
    const tail = world.store.loadAt('s', before + 1)?.tail ?? [];
    expect(tail.at(-1)?.change).not.toHaveProperty('context');
  },
};
