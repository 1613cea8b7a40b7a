import { expect } from 'vitest';
import { assign, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { ActorEngine, ListQuery } from '../../../src/runtime/engine/types.ts';
import type { SearchAttributes } from '../../../src/runtime/search/search-types.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

interface Order {
  readonly customer: string;
  readonly total: number;
  readonly paid?: boolean;
}

const machine = setup({
  types: {} as {
    context: Order;
    input: Order;
    events: { type: 'SET'; total: number } | { type: 'PAY' } | { type: 'CLOSE' };
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'open',
  states: {
    open: {
      on: {
        SET: { actions: assign({ total: ({ event }) => event.total }) },
        PAY: { actions: assign({ paid: true }) },
        CLOSE: 'closed',
      },
    },
    closed: { type: 'final' },
  },
});
const attributes: SearchAttributes<Order> = {
  customer: { type: 'string', of: ({ customer }) => customer },
  total: { type: 'number', of: ({ total }) => total },
  paid: { type: 'boolean', of: ({ paid }) => paid },
};

function orders(search?: SearchAttributes<Order>) {
  return define({
    kind: 'order',
    version: 1,
    machine,
    ...(search === undefined ? {} : { search }),
  });
}

/** Actors found by values of their contexts. */
export const searchClaims: Claims = {
  'actors are found by a value, by a range and by both, in the order asked for': async (world) => {
    const engine = await fill(world);
    expect(await find(engine, { where: { customer: 'ada' } })).toEqual(['o/0', 'o/2', 'o/4']);
    expect(await find(engine, { where: { total: { from: 20, to: 40 } } })).toEqual([
      'o/2',
      'o/3',
      'o/4',
    ]);
    expect(await find(engine, { where: { customer: 'ada', total: { from: 20 } } })).toEqual([
      'o/2',
      'o/4',
    ]);
    expect(await find(engine, { orderBy: 'total', descending: true, limit: 2 })).toEqual([
      'o/5',
      'o/4',
      'o/3',
      'o/2',
      'o/1',
      'o/0',
    ]);
    expect(await find(engine, { where: { customer: 'bob' }, descending: true })).toEqual([
      'o/5',
      'o/3',
      'o/1',
    ]);
    expect((await engine.list({ kind: 'order', where: { total: 30 } })).rows).toMatchObject([
      { id: 'o/3', attributes: { customer: 'bob', total: 30 } },
    ]);
  },

  'attributes change with their row, also over a kill, and go with a purge': async (world) => {
    const engine = await fill(world);
    await engine.tell('o/0', { type: 'SET', total: 99 });
    await engine.tell('o/1', { type: 'PAY' });
    expect(await find(engine, { where: { total: { from: 60 } } })).toEqual(['o/0']);
    expect(await find(engine, { where: { total: 0 } })).toEqual([]);
    expect(await find(engine, { where: { paid: true } })).toEqual(['o/1']);
    world.crashBeforeNextCommit();
    engine.tell('o/0', { type: 'SET', total: 7 }).catch(() => undefined);
    await world.rest();
    const next = await world.start([orders(attributes)]);
    expect(await find(next, { where: { total: { from: 60 } } })).toEqual(['o/0']);
    await next.tell('o/0', { type: 'SET', total: 8 });
    await next.tell('o/0', { type: 'CLOSE' });
    expect(await find(next, { where: { total: { from: 60 } } })).toEqual([]);
    expect(await find(next, { where: { total: 8 }, status: 'done' })).toEqual(['o/0']);
    await next.purge('o/0');
    expect(await find(next, { where: { total: 8 } })).toEqual([]);
  },

  'attributes that are declared later are computed for all actors before a query answers': async (
    world,
  ) => {
    const engine = await world.start([orders()]);
    await fillMany(engine);
    world.crash();
    const next = await world.start([orders(attributes)]);
    expect(await find(next, { where: { total: { from: 440 } } })).toHaveLength(10);
    world.crash();
    const doubled = { ...attributes, total: { type: 'number', of: (c: Order) => 2 * c.total } };
    const last = await world.start([orders(doubled as SearchAttributes<Order>)]);
    await last.tell('o/449', { type: 'SET', total: 1 });
    expect(await find(last, { where: { total: { from: 890 } } })).toEqual([
      'o/445',
      'o/446',
      'o/447',
      'o/448',
    ]);
    expect(await find(last, { where: { total: 2 } })).toEqual(['o/1', 'o/449']);
  },

  'a kill while they are computed is made good by the next start': async (world) => {
    const engine = await world.start([orders()]);
    await fillMany(engine);
    world.crash();
    for (const after of [0, 1, 0]) {
      await world.start([orders(attributes)]);
      world.crashAfterNextCommit(after);
      await world.rest();
    }
    const next = await world.start([orders(attributes)]);
    expect(await find(next, { where: { total: { to: 449 } } })).toHaveLength(450);
  },

  'a function that throws, or returns another type, leaves its attribute out and is reported':
    async (world) => {
      const engine = await world.start([
        orders({
          ...attributes,
          customer: {
            type: 'string',
            of: () => {
              throw new RangeError('no customer');
            },
          },
          total: { type: 'number', of: () => Number.NaN },
        }),
      ]);
      await engine.create('order', 'o/0', { customer: 'ada', total: 1, paid: true });
      expect(await find(engine, { where: { paid: true } })).toEqual(['o/0']);
      expect(await find(engine, { where: { customer: 'ada' } })).toEqual([]);
      expect((await engine.view('o/0')).status).toBe('active');
      const failures = world.notices.filter(({ kind }) => kind === 'search_failed');
      expect(failures.map(({ message }) => message)).toEqual([
        'The search attribute of o/0 is left out: customer failed: no customer',
        'The search attribute of o/0 is left out: total is NaN; it must be a finite number',
      ]);
    },

  'a query for what no kind declares is refused by name': async (world) => {
    const engine = await fill(world);
    const refused = (query: ListQuery) => expect(engine.list(query)).rejects;
    await refused({ where: { total: 1 } }).toMatchObject({ code: 'QUERY_INVALID' });
    await refused({ kind: 'order', where: { size: 1 } }).toMatchObject({
      message: 'order has no search attribute size; it has customer, total, paid.',
    });
    await refused({ kind: 'order', orderBy: 'size' }).toMatchObject({ code: 'QUERY_INVALID' });
    await refused({ kind: 'order', where: { total: '1' } }).toMatchObject({
      message: 'where.total is "1"; it must be a number, or { from, to } with one of both.',
    });
    await refused({ kind: 'order', orderBy: 'total', cursor: '{' }).toMatchObject({
      code: 'QUERY_INVALID',
    });
    await refused({ kind: 'order', where: { total: {} } }).toMatchObject({ code: 'QUERY_INVALID' });
  },

  'long texts are compared whole': async (world) => {
    const engine = await world.start([orders(attributes)]);
    const long = 'x'.repeat(100);
    for (const [n, end] of ['a', 'b', '😀', '\ue000'].entries()) {
      await engine.create('order', `o/${n}`, { customer: long + end, total: n });
    }
    expect(await find(engine, { where: { customer: `${long}b` } })).toEqual(['o/1']);
    expect(await find(engine, { where: { customer: { from: `${long}b` } } })).toEqual([
      'o/1',
      'o/2',
      'o/3',
    ]);
    expect(await find(engine, { where: { customer: { from: `${long}😀` } } })).toEqual(['o/2']);
  },
};

async function fill(world: EngineWorld) {
  const engine = await world.start([orders(attributes)]);
  for (let n = 0; n < 6; n += 1) {
    const customer = n % 2 === 0 ? 'ada' : 'bob';
    await engine.create('order', `o/${n}`, { customer, total: n * 10 });
  }
  return engine;
}

async function fillMany(engine: ActorEngine): Promise<void> {
  const totals = Array.from({ length: 450 }, (_, n) => n);
  await Promise.all(
    totals.map((total) => engine.create('order', `o/${total}`, { customer: 'ada', total })),
  );
}

/** Returns the ids of all pages. */
async function find(engine: ActorEngine, query: ListQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({
      ...query,
      kind: 'order',
      limit: query.limit ?? 1_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}
