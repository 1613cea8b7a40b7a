import { expect } from 'vitest';
import type { ActorCount } from '../../../../src/domain/inspect/wire.ts';
import type { Claims } from '../../../runtime/conformance/claims.ts';
import { counter, hold } from '../../../support/actors.ts';
import { add, inspectorOf, rowsOf, until, Watcher } from '../../../support/inspected.ts';

/** How the directory of all actors behaves. */
export const directoryClaims: Claims = {
  'holds what there was, and follows what comes, moves and goes': async (world) => {
    const engine = await world.start([counter, hold]);
    for (const id of ['c/1', 'c/2', 'c/3']) await engine.create('counter', id);
    const watcher = await Watcher.on(inspectorOf({ engine }), { name: 'actors' });
    await until(() => watcher.directory().last?.isWhole === true, 'whole');
    expect([...watcher.directory().rows.keys()].sort()).toEqual(['c/1', 'c/2', 'c/3']);
    expect(watcher.frames('actors').filter(({ isFirst }) => isFirst)).toHaveLength(1);
    await engine.create('counter', 'c/4');
    await add(engine, 'c/1');
    await engine.tell('c/2', { type: 'CLOSE' });
    await engine.tell('c/3', { type: 'CLOSE' });
    await engine.purge('c/3');
    await until(() => watcher.directory().rows.get('c/3') === undefined, 'c/3 is gone');
    const { rows, last } = watcher.directory();
    expect(rows.get('c/1')).toMatchObject({ seq: 2, lastEvent: 'ADD', state: 'open' });
    expect(rows.get('c/2')).toMatchObject({ status: 'done', state: 'closed' });
    expect(rows.get('c/4')).toMatchObject({ seq: 1, kind: 'counter' });
    expect(sorted(last?.counts)).toEqual(['counter closed 1', 'counter open 2']);
    watcher.end();
  },

  'tells the last event of actors that do not move any more': async (world) => {
    const engine = await world.start([counter, hold]);
    for (let at = 0; at < 120; at += 1) await engine.create('counter', `c/${at}`);
    await add(engine, 'c/7');
    const watcher = await Watcher.on(inspectorOf({ engine }), { name: 'actors' });
    const named = () => [...watcher.directory().rows.values()].filter((row) => row.lastEvent);
    await until(() => named().length === 120, 'every row has its event');
    expect(watcher.directory().rows.get('c/7')?.lastEvent).toBe('ADD');
    expect(watcher.directory().rows.get('c/8')?.lastEvent).toBe('xstate.init');
    watcher.end();
  },

  'counts right while it is built beside a busy engine': async (world) => {
    const engine = await world.start([counter, hold]);
    const ids = Array.from({ length: 700 }, (_, at) => `c/${at}`);
    await Promise.all(ids.map((id) => engine.create('counter', id)));
    const closing = Promise.all(
      ids.map(async (id, at) => {
        await new Promise((resolve) => setTimeout(resolve, at / 20));
        await add(engine, id);
        if (at % 2 === 0) await engine.tell(id, { type: 'CLOSE' });
        if (at % 4 === 0) await engine.purge(id);
      }),
    );
    const watcher = await Watcher.on(inspectorOf({ engine }), { name: 'actors' });
    await closing;
    await until(() => watcher.directory().last?.isWhole === true, 'whole');
    await until(() => watcher.directory().rows.size === 525, '525 actors are left');
    expect(sorted(watcher.directory().last?.counts)).toEqual([
      'counter closed 175',
      'counter open 350',
    ]);
    watcher.end();
  },

  'leaves finished actors out first above its bound, and counts them all the same': async (
    world,
  ) => {
    const engine = await world.start([counter, hold]);
    for (let at = 0; at < 12; at += 1) {
      await engine.create('counter', `c/${at}`);
      if (at < 6) await engine.tell(`c/${at}`, { type: 'CLOSE' });
    }
    const watcher = await Watcher.on(inspectorOf({ engine, rowsMax: 8 }), { name: 'actors' });
    await until(() => watcher.directory().last?.isWhole === true, 'whole');
    const { rows, last } = watcher.directory();
    expect(rows.size).toBe(8);
    expect([...rows.values()].filter(({ status }) => status === 'active')).toHaveLength(6);
    expect(sorted(last?.counts)).toEqual(['counter closed 6', 'counter open 6']);
    for (let at = 12; at < 20; at += 1) await engine.create('counter', `c/${at}`);
    await until(() => sorted(watcher.directory().last?.counts)[1] === 'counter open 14', 'all');
    expect(watcher.directory().rows.size).toBe(8);
    // One that has no row any more is counted on.
    await engine.tell('c/6', { type: 'CLOSE' });
    await until(() => sorted(watcher.directory().last?.counts)[0] === 'counter closed 7', 'c/6');
    watcher.end();
  },

  'gives a slow console the newest state of each actor that moved, once': async (world) => {
    const engine = await world.start([counter, hold]);
    for (const id of ['c/1', 'c/2']) await engine.create('counter', id);
    let isFast = true;
    const watcher = await Watcher.on(
      inspectorOf({ engine }),
      { name: 'actors' },
      { keepsUp: () => isFast },
    );
    await until(() => watcher.directory().last?.isWhole === true, 'whole');
    isFast = false;
    await add(engine, 'c/1');
    await until(() => watcher.isShut, 'it is behind');
    const before = watcher.pushes.length;
    for (let at = 0; at < 50; at += 1) await add(engine, 'c/1');
    await add(engine, 'c/2');
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(watcher.pushes).toHaveLength(before);
    isFast = true;
    watcher.resume();
    await until(() => watcher.directory().rows.get('c/2')?.seq === 2, 'c/2 moved');
    const told = watcher
      .frames('actors')
      .slice(-1)[0]
      ?.rows.map(({ id, seq }) => `${id} ${seq}`);
    expect(told?.sort()).toEqual(['c/1 52', 'c/2 2']);
    expect(watcher.early).toBe(0);
    watcher.end();
  },

  'finds actors by the beginning of their ids': async (world) => {
    const engine = await world.start([counter, hold]);
    for (const id of ['c/1', 'c/12', 'c/2', 'd/1', 'ć/1']) await engine.create('counter', id);
    await engine.create('hold', 'c/13', { holdMs: 1 });
    const find = async (text: string) =>
      rowsOf(await inspectorOf({ engine }).read({ name: 'find', text })).map(({ id }) => id);
    expect((await find('c/1')).sort()).toEqual(['c/1', 'c/12', 'c/13']);
    expect(await find('ć')).toEqual(['ć/1']);
    expect(await find('x')).toEqual([]);
  },
};

function sorted(counts: readonly ActorCount[] = []): string[] {
  return counts.map(({ kind, state, count }) => `${kind} ${state} ${count}`).sort();
}
