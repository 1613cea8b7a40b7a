import { expect } from 'vitest';
import { hold } from '../../support/actors.ts';
import { START } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Timers: rows with a due time that outlive every process. */
export const timerClaims: Claims = {
  'a timer is a row with its due time': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: 72 * HOUR_MS });
    expect((await engine.view('h/1')).timers).toEqual([
      {
        timerId: 'xstate.after.wait.hold.held',
        due: START + 72 * HOUR_MS,
        token: 'h/1:1:xstate.after.wait.hold.held',
        event: { type: 'xstate.after.wait.hold.held' },
        order: 1,
      },
    ]);
    expect(engine.stats().nextDue).toBe(START + 72 * HOUR_MS);
  },

  'a timer of 72 hours over two crashes fires once, at its first due time': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: 72 * HOUR_MS });
    await world.clock.advance(30 * HOUR_MS);
    world.crash();
    await world.start([hold]);
    await world.clock.advance(41 * HOUR_MS);
    world.crash();
    const last = await world.start([hold]);
    await world.clock.advance(HOUR_MS - 1);
    expect(await last.view('h/1')).toMatchObject({ value: 'held' });
    await world.clock.advance(1);
    expect(await last.view('h/1')).toMatchObject({ value: 'released', at: START + 72 * HOUR_MS });
    await world.clock.advance(90 * DAY_MS);
    expect(await world.journal('h/1')).toHaveLength(2);
    expect((await world.journal('h/1'))[1]?.cause).toEqual({
      by: 'timer',
      token: 'h/1:1:xstate.after.wait.hold.held',
    });
  },

  'a timer that was due while nothing ran fires once, at the start': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: 72 * HOUR_MS });
    world.crash();
    await world.clock.advance(100 * HOUR_MS);
    const next = await world.start([hold]);
    await world.clock.advance(0);
    expect(await next.view('h/1')).toMatchObject({ value: 'released', seq: 2 });
    world.crash();
    await world.start([hold]);
    await world.clock.advance(DAY_MS);
    expect(await world.journal('h/1')).toHaveLength(2);
  },

  'a crash while a fired timer is on its way to the disk fires it again, once': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: HOUR_MS });
    world.crashBeforeNextCommit();
    await world.clock.advance(HOUR_MS);
    const next = await world.start([hold]);
    expect(await next.view('h/1')).toMatchObject({ value: 'held', seq: 1 });
    await world.clock.advance(0);
    expect(await next.view('h/1')).toMatchObject({ value: 'released', seq: 2 });
    await world.clock.advance(DAY_MS);
    expect(await world.journal('h/1')).toHaveLength(2);
  },

  'deadlines of 30 and 400 days do not fire early': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/30', { holdMs: 30 * DAY_MS });
    await engine.create('hold', 'h/400', { holdMs: 400 * DAY_MS });
    await world.clock.advance(30 * DAY_MS - 1);
    expect(await engine.view('h/30')).toMatchObject({ value: 'held' });
    await world.clock.advance(1);
    expect(await engine.view('h/30')).toMatchObject({ value: 'released' });
    await world.clock.advance(370 * DAY_MS - 1);
    expect(await engine.view('h/400')).toMatchObject({ value: 'held' });
    await world.clock.advance(1);
    expect(await engine.view('h/400')).toMatchObject({ value: 'released' });
  },

  'entering a state anew cancels its timer and sets another': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: HOUR_MS });
    await world.clock.advance(HOUR_MS - 1);
    await engine.tell('h/1', { type: 'AGAIN' });
    expect((await engine.view('h/1')).timers).toMatchObject([
      { due: START + 2 * HOUR_MS - 1, token: 'h/1:2:xstate.after.wait.hold.held' },
    ]);
    await world.clock.advance(HOUR_MS - 1);
    expect(await engine.view('h/1')).toMatchObject({ value: 'held', seq: 2 });
    await world.clock.advance(1);
    expect(await engine.view('h/1')).toMatchObject({ value: 'released', seq: 3 });
  },

  'leaving a state cancels its timer over a restart': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: HOUR_MS });
    world.crash();
    const next = await world.start([hold]);
    await next.tell('h/1', { type: 'PAUSE' });
    expect(world.store.nextDue()).toBeUndefined();
    await world.clock.advance(DAY_MS);
    expect(await next.view('h/1')).toMatchObject({ value: 'paused', seq: 2, timers: [] });
  },

  'a timer whose cancel is not on disk yet is journaled as stale': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: HOUR_MS });
    await world.clock.advance(HOUR_MS - 1);
    const release = world.holdCommits();
    const told = engine.tell('h/1', { type: 'AGAIN' });
    // The store still shows the old row as due.
    await world.clock.advance(1);
    release();
    await told;
    await world.rest();
    expect(await engine.view('h/1')).toMatchObject({ value: 'held', seq: 3 });
    expect((await world.journal('h/1')).map(({ entry }) => entry)).toEqual([
      'event',
      'event',
      'stale',
    ]);
    await world.clock.advance(HOUR_MS);
    expect(await engine.view('h/1')).toMatchObject({ value: 'released', seq: 4 });
  },

  'a timer is fired once though its commit takes long': async (world) => {
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: HOUR_MS });
    await world.clock.advance(HOUR_MS - 1);
    const release = world.holdCommits();
    await world.clock.advance(10 * HOUR_MS);
    release();
    await world.rest();
    expect(await world.journal('h/1')).toHaveLength(2);
  },

  'many timers of one moment all fire, each once': async (world) => {
    const engine = await world.start([hold]);
    const ids = Array.from({ length: 600 }, (_, n) => `h/${n}`);
    await Promise.all(ids.map((id) => engine.create('hold', id, { holdMs: HOUR_MS })));
    await world.clock.advance(HOUR_MS);
    await world.clock.advance(1);
    const { rows } = await engine.list({ state: 'released', limit: 1_000 });
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map(({ seq }) => seq))).toEqual(new Set([2]));
  },

  'an actor that left the memory is brought back by its timer': async (world) => {
    const engine = await world.start([hold], { passivateAfterMs: HOUR_MS });
    await engine.create('hold', 'h/1', { holdMs: 10 * HOUR_MS });
    await world.clock.advance(3 * HOUR_MS);
    expect(engine.stats().live).toBe(0);
    await world.clock.advance(7 * HOUR_MS);
    expect(await engine.view('h/1')).toMatchObject({ value: 'released' });
  },
};
