import { expect } from 'vitest';
import type { ActorEngine, JournalEntry } from '../../../src/runtime/engine/types.ts';
import { counter } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** Snapshots at rows 1, 17, 33 and so on. */
const EVERY_16 = { snapshotEvery: 16 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How the journal of a living actor is bounded by its definition. */
export const trimmingClaims: Claims = {
  'a bounded journal keeps its newest rows, and every kept row can be replayed': async (world) => {
    const engine = await world.start([{ ...counter, keep: { rows: 40 } }], EVERY_16);
    await engine.create('counter', 'c/1');
    await add(engine, 160);
    for (let n = 0; n < 40; n += 1) {
      await add(engine, 1);
      await world.rest();
      const { length } = await world.journal('c/1');
      expect(length).toBeGreaterThanOrEqual(40);
      expect(length).toBeLessThanOrEqual(40 + 2 * 16);
    }
    const rows = await world.journal('c/1');
    const first = rows[0]?.seq ?? 0;
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => first + at));
    expect(rows.at(-1)?.seq).toBe(201);
    for (const { seq } of rows) {
      expect(await engine.view('c/1', seq)).toMatchObject({ seq, context: { total: seq - 1 } });
    }
    expect(await engine.view('c/1')).toMatchObject({ seq: 201, context: { total: 200 } });
  },

  'time travel to a row that is not kept is refused by name': async (world) => {
    const engine = await world.start([{ ...counter, keep: { rows: 16 } }], EVERY_16);
    await engine.create('counter', 'c/1');
    await add(engine, 100);
    await world.rest();
    const first = (await world.journal('c/1'))[0]?.seq ?? 0;
    // A snapshot stands for the row before the first one.
    expect(await engine.view('c/1', first - 1)).toMatchObject({ seq: first - 1 });
    for (const seq of [1, first - 2]) {
      await expect(engine.view('c/1', seq)).rejects.toMatchObject({
        code: 'JOURNAL_TRIMMED',
        data: { id: 'c/1', seq, first },
      });
      await expect(engine.fork('c/1', seq)).rejects.toMatchObject({ code: 'JOURNAL_TRIMMED' });
    }
    expect(await engine.fork('c/1', first)).toMatchObject({ seq: 1 });
  },

  'journal, watch and feed go on at the first row that is kept': async (world) => {
    const engine = await world.start([{ ...counter, keep: { rows: 16 } }, other()], EVERY_16);
    await engine.create('other', 'o/1');
    await engine.create('counter', 'c/1');
    await add(engine, 100);
    await world.rest();
    const kept = await world.journal('c/1');
    const watched: number[] = [];
    const fed: JournalEntry[] = [];
    engine.watch('c/1', 1, ({ seq }) => watched.push(seq));
    engine.feed(1, (row) => fed.push(row));
    await world.rest();
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    await world.rest();
    expect(watched).toEqual([...kept.map(({ seq }) => seq), 102]);
    expect(fed.map(({ id, seq }) => `${id} ${seq}`)).toEqual([
      'o/1 1',
      ...kept.map(({ seq }) => `c/1 ${seq}`),
      'c/1 102',
    ]);
  },

  'rows past their age go with a later snapshot': async (world) => {
    const engine = await world.start([{ ...counter, keep: { ageMs: 10 * DAY_MS } }], EVERY_16);
    await engine.create('counter', 'c/1');
    await add(engine, 40);
    await world.clock.advance(6 * DAY_MS);
    await add(engine, 40);
    expect((await world.journal('c/1'))[0]?.seq).toBe(1);
    await world.clock.advance(5 * DAY_MS);
    await add(engine, 16);
    await world.rest();
    const first = (await world.journal('c/1'))[0]?.seq ?? 0;
    expect(first).toBeGreaterThan(41 - 16);
    expect(first).toBeLessThanOrEqual(42);
  },

  'an actor with a trimmed journal comes back after a restart, and is created once': async (
    world,
  ) => {
    const kept = { ...counter, keep: { rows: 16 } };
    const before = await world.start([kept], EVERY_16);
    await before.create('counter', 'c/1');
    await add(before, 77);
    await world.rest();
    world.crash();
    const engine = await world.start([kept], EVERY_16);
    expect(await engine.create('counter', 'c/1')).toMatchObject({ seq: 78 });
    expect(await engine.view('c/1')).toMatchObject({ seq: 78, context: { total: 77 } });
    expect(await engine.tell('c/1', { type: 'ADD', n: 1 })).toMatchObject({ seq: 79 });
    await expectClosed(world, engine);
  },

  'a store gives space back once a day, in a quiet hour': async (world) => {
    let compactions = 0;
    const compact = async () => {
      compactions += 1;
      return undefined;
    };
    await world.start([counter], {
      wrapStore: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            const member = name === 'compact' ? compact : (Reflect.get(target, name) as unknown);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        }),
    });
    await world.clock.advance(HOUR_MS);
    expect(compactions).toBe(1);
    await world.clock.advance(23 * HOUR_MS);
    expect(compactions).toBe(1);
    await world.clock.advance(HOUR_MS);
    expect(compactions).toBe(2);
    await world.engine.create('counter', 'c/1');
    await world.clock.advance(23 * HOUR_MS);
    const goOn = world.holdCommits();
    const held = world.engine.tell('c/1', { type: 'ADD', n: 1 });
    await world.clock.advance(20 * HOUR_MS);
    expect(compactions).toBe(2);
    goOn();
    await held;
    await world.clock.advance(HOUR_MS);
    expect(compactions).toBe(3);
  },
};

async function add(engine: ActorEngine, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await engine.tell('c/1', { type: 'ADD', n: 1 });
}

function other() {
  return { ...counter, kind: 'other' };
}

async function expectClosed(world: EngineWorld, engine: ActorEngine): Promise<void> {
  await engine.tell('c/1', { type: 'CLOSE' });
  await engine.purge('c/1');
  await world.rest();
  const fed: JournalEntry[] = [];
  engine.feed(1, (row) => fed.push(row));
  await world.rest();
  expect(fed).toEqual([]);
}
