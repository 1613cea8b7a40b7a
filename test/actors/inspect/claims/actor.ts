import { expect } from 'vitest';
import type { ActorPoint, JournalRow } from '../../../../src/domain/inspect/wire.ts';
import type { Claims } from '../../../runtime/conformance/claims.ts';
import { counter, hold } from '../../../support/actors.ts';
import { add, inspectorOf, rowsOf, until, Watcher } from '../../../support/inspected.ts';

/** How one actor is watched and read. */
export const actorClaims: Claims = {
  'is seen at once by whoever comes late': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    for (let at = 0; at < 5; at += 1) await add(engine, 'c/1', 2);
    const watcher = await Watcher.on(inspectorOf({ engine }), { name: 'actor', actorId: 'c/1' });
    await until(() => watcher.frames('actor').length > 0, 'a frame');
    expect(watcher.frames('actor')[0]).toMatchObject({
      seq: 6,
      context: { total: 10 },
      mailbox: 0,
      last: { event: { type: 'ADD', n: 2 }, transitionIds: ['open|ADD|0'] },
    });
    expect(watcher.rows).toEqual([]);
    await add(engine, 'c/1');
    await until(() => watcher.rows.length === 1, 'the new row');
    expect(watcher.rows[0]).toMatchObject({ seq: 7, activeIds: ['open'], emits: ['TOTAL'] });
    watcher.end();
  },

  'loses no row of 10,000 for a console that is slow at random': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    let draws = 7;
    const keepsUp = (): boolean => {
      draws = (draws * 48_271) % 2_147_483_647;
      return draws % 3 !== 0;
    };
    const topic = { name: 'actor', actorId: 'c/1', fromSeq: 0 } as const;
    const slow = await Watcher.on(inspectorOf({ engine }), topic, { keepsUp });
    const resume = setInterval(() => slow.isShut && slow.resume(), 20);
    const fast = await Watcher.on(inspectorOf({ engine }), { name: 'feed', fromSeq: 1 });
    for (let at = 0; at < 10_000; at += 500) {
      await Promise.all(Array.from({ length: 500 }, () => add(engine, 'c/1')));
    }
    await until(() => slow.rows.length >= 10_001 && fast.rows.length >= 10_001, 'all rows', 20_000);
    clearInterval(resume);
    expect(gapsIn(slow.rows, 'seq')).toEqual([]);
    expect(gapsIn(fast.rows, 'globalSeq')).toEqual([]);
    expect([slow.rows.length, fast.rows.length]).toEqual([10_001, 10_001]);
    expect(slow.early).toBe(0);
    expect(slow.frames('actor').length).toBeLessThan(500);
    slow.end();
    fast.end();
  },

  'goes on from any row for whoever was away': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    for (let at = 0; at < 9; at += 1) await add(engine, 'c/1');
    const topic = { name: 'actor', actorId: 'c/1', fromSeq: 4 } as const;
    const one = inspectorOf({ engine });
    const watcher = await Watcher.on(one, topic);
    await until(() => watcher.rows.length === 7, 'rows 4 to 10');
    expect(watcher.rows[0]?.seq).toBe(4);
    const rows = watcher.pushes.findLast((push) => push.kind === 'rows');
    expect(rows).toMatchObject({ nextSeq: 11 });
    watcher.end();
  },

  'is read at a row, with the step that led there and those that can follow': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('hold', 'h/1', { holdMs: 60_000 });
    await engine.tell('h/1', { type: 'AGAIN' });
    await engine.tell('h/1', { type: 'AGAIN' });
    const at = async (atSeq: number) =>
      (await inspectorOf({ engine }).read({
        name: 'point',
        actorId: 'h/1',
        atSeq,
      })) as unknown as ActorPoint;
    const second = await at(2);
    expect(second).toMatchObject({ seq: 2, context: { rounds: 2 }, timers: [{}] });
    expect(second.last).toMatchObject({ entry: 'event', cause: { by: 'outside' } });
    expect(second.last?.transitionIds).toHaveLength(1);
    expect(second.possible.map(({ trigger }) => trigger)).toContain('after');
    expect((await at(1)).last).toBeNull();
    await expect(at(9)).rejects.toMatchObject({ code: 'SEQ_UNKNOWN' });
    const nobody = inspectorOf({ engine }).read({ name: 'point', actorId: 'nobody', atSeq: 1 });
    await expect(nobody).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  },

  'is looked at without a trace: no row, no timer and no effect of it moves': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('hold', 'h/1', { holdMs: 60_000 });
    await engine.tell('h/1', { type: 'AGAIN' });
    const before = JSON.stringify([await engine.view('h/1'), engine.stats().globalSeq]);
    for (let atSeq = 1; atSeq <= 2; atSeq += 1) {
      await inspectorOf({ engine }).read({ name: 'point', actorId: 'h/1', atSeq });
    }
    expect(JSON.stringify([await engine.view('h/1'), engine.stats().globalSeq])).toBe(before);
  },

  'ends the subscription with its reason when it is purged': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    const watcher = await Watcher.on(inspectorOf({ engine }), { name: 'actor', actorId: 'c/1' });
    await until(() => watcher.frames('actor').length > 0, 'a frame');
    await engine.tell('c/1', { type: 'CLOSE' });
    await until(() => watcher.frames('actor').at(-1)?.status === 'done', 'its end');
    await new Promise((resolve) => setTimeout(resolve, 150));
    await engine.purge('c/1');
    await until(() => watcher.pushes.at(-1)?.kind === 'ended', 'the end');
    expect(watcher.pushes.at(-1)).toMatchObject({ error: { code: 'ACTOR_UNKNOWN' } });
  },

  'gets no frame twice when it takes pushes again': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    const slow = { keepsUp: () => false };
    const watcher = await Watcher.on(
      inspectorOf({ engine }),
      { name: 'actor', actorId: 'c/1' },
      slow,
    );
    await until(() => watcher.frames('actor').length === 1, 'a frame');
    watcher.resume();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(watcher.frames('actor')).toHaveLength(1);
    watcher.end();
  },

  'has a journal that is read in pages': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    for (let at = 0; at < 9; at += 1) await add(engine, 'c/1');
    const page = (await inspectorOf({ engine }).read({
      name: 'journal',
      actorId: 'c/1',
      from: 3,
      limit: 4,
    })) as unknown as { rows: JournalRow[]; firstSeq: number; lastSeq: number };
    expect(page.rows.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
    expect([page.firstSeq, page.lastSeq]).toEqual([1, 10]);
  },

  'shows its dead letters without long words of the error': async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    await engine.tell('c/1', { type: 'BURST' }).catch(() => undefined);
    const one = inspectorOf({ engine });
    const watcher = await Watcher.on(one, { name: 'actor', actorId: 'c/1' });
    await until(() => watcher.frames('actor').length > 0, 'a frame');
    const { deadLetters, last } = watcher.frames('actor')[0] ?? {};
    expect(deadLetters).toMatchObject([
      { actorId: 'c/1', event: { type: 'BURST' }, reason: 'the assign is broken' },
    ]);
    expect(last).toMatchObject({ entry: 'poison', transitionIds: [] });
    expect(rowsOf(await one.read({ name: 'dead_letters' }))).toMatchObject([{ actorId: 'c/1' }]);
    watcher.end();
  },
};

function gapsIn(rows: readonly JournalRow[], key: 'seq' | 'globalSeq'): string[] {
  return rows.flatMap((row, at) => {
    const before = rows[at - 1];
    return before === undefined || row[key] === before[key] + 1
      ? []
      : [`${before[key]} ${row[key]}`];
  });
}
