import { expect } from 'vitest';
import type { Schedule } from '../../../src/runtime/timer/schedule-types.ts';
import { counter, post } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import { START } from '../../support/engine-world.ts';
import { faultyStore } from '../../support/faulty-store.ts';
import { broken, endOf } from '../../support/queue-bench.ts';
import type { Claims } from './claims.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KINDS = [counter, post];
const hourly: Schedule = { cron: '0 * * * *', kind: 'counter' };

/** Schedules: actors by the calendar. */
export const scheduleClaims: Claims = {
  'every date makes one actor that bears it': async (world) => {
    const engine = await world.start(KINDS);
    const set = await engine.schedule('report', { ...hourly, input: { total: 5 } });
    expect(set).toEqual({
      ...hourly,
      name: 'report',
      input: { total: 5 },
      next: START + HOUR_MS,
      skipped: 0,
    });
    expect(engine.stats().nextDue).toBe(START + HOUR_MS);
    await world.clock.advance(3 * HOUR_MS + 1);
    expect(await idsOf(world)).toEqual([
      'report@2026-01-01T01:00:00Z',
      'report@2026-01-01T02:00:00Z',
      'report@2026-01-01T03:00:00Z',
    ]);
    expect(await engine.view('report@2026-01-01T02:00:00Z')).toMatchObject({
      createdAt: START + 2 * HOUR_MS,
      context: { total: 5 },
    });
    expect(await engine.schedules()).toMatchObject([
      { name: 'report', next: START + 4 * HOUR_MS, lastId: 'report@2026-01-01T03:00:00Z' },
    ]);
    expect(await engine.unschedule('report')).toBe(true);
    expect(await engine.unschedule('report')).toBe(false);
    await world.clock.advance(DAY_MS);
    expect(await idsOf(world)).toHaveLength(3);
    expect(world.store.schedules()).toEqual([]);
  },

  'a paused schedule creates nothing, also after a restart, until it is resumed': async (world) => {
    let engine = await world.start(KINDS);
    await engine.schedule('s', hourly);
    expect(await engine.pauseSchedule('s')).toMatchObject({ isPaused: true });
    expect(engine.stats().nextDue).toBeUndefined();
    await world.clock.advance(2 * HOUR_MS);
    world.crash();
    engine = await world.start(KINDS);
    // Programs set their schedules at every start.
    await engine.schedule('s', hourly);
    await world.clock.advance(HOUR_MS);
    expect(await idsOf(world)).toEqual([]);
    const resumed = await engine.resumeSchedule('s');
    expect(resumed).toMatchObject({ next: START + 4 * HOUR_MS, skipped: 0 });
    expect(resumed).not.toHaveProperty('isPaused');
    await world.clock.advance(HOUR_MS);
    expect(await idsOf(world)).toEqual(['s@2026-01-01T04:00:00Z']);
    await expect(engine.pauseSchedule('nobody')).rejects.toMatchObject({
      code: 'SCHEDULE_INVALID',
    });
  },

  'past dates are made up once each, and only those without an actor': async (world) => {
    const engine = await world.start(KINDS);
    await engine.schedule('s', hourly);
    await world.clock.advance(HOUR_MS);
    await engine.pauseSchedule('s');
    await world.clock.advance(3 * HOUR_MS);
    const range = { from: START + HOUR_MS, to: START + 3 * HOUR_MS };
    const ids = await engine.backfillSchedule('s', range);
    expect(ids).toEqual([
      's@2026-01-01T01:00:00Z',
      's@2026-01-01T02:00:00Z',
      's@2026-01-01T03:00:00Z',
    ]);
    expect(await engine.backfillSchedule('s', range)).toEqual(ids);
    expect(await idsOf(world)).toEqual(ids);
    const refused = { code: 'SCHEDULE_INVALID' };
    for (const to of [START - 1, START + 5 * HOUR_MS, Number.NaN]) {
      await expect(engine.backfillSchedule('s', { from: START, to })).rejects.toMatchObject(
        refused,
      );
    }
    await engine.schedule('often', { cron: '* * * * * *', kind: 'counter' });
    await expect(engine.backfillSchedule('often', range)).rejects.toMatchObject(refused);
  },

  'jitter spreads the dates of schedules, the same way at each start': async (world) => {
    const jitterMs = 10 * 60_000;
    let engine = await world.start(KINDS);
    const names = Array.from({ length: 20 }, (_, n) => `s${n}`);
    for (const name of names) await engine.schedule(name, { ...hourly, jitterMs });
    const due = engine.stats().nextDue;
    world.crash();
    engine = await world.start(KINDS);
    expect(engine.stats().nextDue).toBe(due);
    await world.clock.advance(HOUR_MS + jitterMs / 2);
    const early = (await idsOf(world)).length;
    expect(early).toBeGreaterThan(2);
    expect(early).toBeLessThan(18);
    await world.clock.advance(jitterMs / 2);
    expect(await idsOf(world)).toHaveLength(20);
    await expect(engine.schedule('s', { ...hourly, jitterMs: -1 })).rejects.toMatchObject({
      code: 'SCHEDULE_INVALID',
    });
  },

  'seconds, several schedules, and a change of one': async (world) => {
    const engine = await world.start(KINDS);
    await engine.schedule('b', { cron: '*/10 * * * * *', kind: 'counter' });
    await engine.schedule('a', { cron: '@daily', kind: 'post' });
    await world.clock.advance(35_000);
    expect(await idsOf(world)).toHaveLength(3);
    await engine.schedule('b', { cron: '0 0 12 1 1 * 2026', kind: 'counter' });
    await world.clock.advance(DAY_MS);
    expect(await idsOf(world)).toEqual([
      'b@2026-01-01T00:00:10Z',
      'b@2026-01-01T00:00:20Z',
      'b@2026-01-01T00:00:30Z',
      'b@2026-01-01T12:00:00Z',
    ]);
    expect(await idsOf(world, 'post')).toEqual(['a@2026-01-02T00:00:00Z']);
    const [, over] = await engine.schedules();
    expect(over).toMatchObject({ name: 'b', lastId: 'b@2026-01-01T12:00:00Z' });
    expect(over?.next).toBeUndefined();
  },

  'clock changes of a zone neither lose a day nor double an hour': async (world) => {
    const engine = await world.start(KINDS);
    await world.clock.set(Date.parse('2026-03-28T12:00:00Z'));
    const zone = { timezone: 'Europe/Vienna', kind: 'counter' };
    await engine.schedule('daily', { ...zone, cron: '30 2 * * *' });
    await world.clock.advance(2 * DAY_MS);
    await engine.unschedule('daily');
    await world.clock.set(Date.parse('2026-10-24T12:00:00Z'));
    await engine.schedule('daily', { ...zone, cron: '30 2 * * *' });
    await engine.schedule('hourly', { ...zone, kind: 'post', cron: '0 * * * *' });
    await world.clock.advance(DAY_MS);
    expect(await idsOf(world)).toEqual([
      'daily@2026-03-29T01:30:00Z',
      'daily@2026-03-30T00:30:00Z',
      'daily@2026-10-25T00:30:00Z',
    ]);
    const hours = Array.from({ length: 24 }, (_, n) => Date.UTC(2026, 9, 24, 13 + n));
    expect(await idsOf(world, 'post')).toEqual(
      hours.map((at) => `hourly@${new Date(at).toISOString().replace('.000Z', 'Z')}`),
    );
  },

  'a process that dies at any commit makes each actor once': async (world) => {
    for (let n = 0; n < 8; n += 1) {
      const name = `s${n}`;
      await (await world.start(KINDS)).schedule(name, { ...hourly, missed: 'skip' });
      if (n % 2 === 0) world.crashBeforeNextCommit(n / 2);
      else world.crashAfterNextCommit((n - 1) / 2);
      await world.clock.advance(2 * HOUR_MS);
      world.crash();
      // Set back to just after the date that the process died at.
      await world.start(KINDS);
      await world.clock.advance(0);
      world.crash();
      await world.start(KINDS);
      await world.clock.advance(2 * HOUR_MS);
      const ids = (await idsOf(world)).filter((id) => id.startsWith(`${name}@`));
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(await world.journal(id)).toHaveLength(1);
      expect(ids.length).toBeGreaterThanOrEqual(2);
      await world.engine.unschedule(name);
      world.crash();
    }
  },

  'a death right at a date loses nothing and doubles nothing': async (world) => {
    const always = { ...hourly, missed: 'skip' } as const;
    for (const when of ['before', 'after'] as const) {
      await (await world.start(KINDS)).schedule(when, always);
      await world.clock.advance(HOUR_MS - 1_000);
      if (when === 'before') world.crashBeforeNextCommit();
      else world.crashAfterNextCommit();
      await world.clock.advance(1_500);
      await world.start(KINDS);
      await world.clock.advance(500);
      const ids = (await idsOf(world)).filter((id) => id.startsWith(when));
      expect(ids).toHaveLength(1);
      expect(await world.journal(ids[0] ?? '')).toHaveLength(1);
      await world.engine.unschedule(when);
      world.crash();
      await world.clock.advance(HOUR_MS - 1_000);
    }
  },

  'dates that passed while nothing ran make one actor, or none': async (world) => {
    const engine = await world.start(KINDS);
    await engine.schedule('once', hourly);
    await engine.schedule('skip', { ...hourly, missed: 'skip' });
    await world.clock.advance(HOUR_MS);
    world.crash();
    await world.clock.advance(10 * HOUR_MS + HOUR_MS / 2);
    const next = await world.start(KINDS);
    // Programs set up their schedules at every start: the date that is due stays due.
    await next.schedule('once', { ...hourly, input: { total: 1 } });
    await world.clock.advance(0);
    expect(await idsOf(world)).toEqual([
      'once@2026-01-01T01:00:00Z',
      'once@2026-01-01T02:00:00Z',
      'skip@2026-01-01T01:00:00Z',
    ]);
    await world.clock.advance(HOUR_MS);
    expect(await idsOf(world)).toHaveLength(5);
    expect(await next.schedules()).toMatchObject([
      { name: 'once', skipped: 0, next: START + 13 * HOUR_MS },
      { name: 'skip', skipped: 1, next: START + 13 * HOUR_MS },
    ]);
  },

  'a date is passed over while the actor before runs, if asked to': async (world) => {
    const engine = await world.start(KINDS, { queues: [{ name: 'q', concurrency: 1 }] });
    await engine.schedule('one', { ...hourly, overlap: 'skip' });
    await engine.schedule('all', { ...hourly, kind: 'post' });
    await world.clock.advance(3 * HOUR_MS);
    expect(await idsOf(world)).toEqual(['one@2026-01-01T01:00:00Z']);
    expect(await idsOf(world, 'post')).toHaveLength(3);
    await endOf(world, 'one@2026-01-01T01:00:00Z');
    await world.clock.advance(HOUR_MS);
    expect((await idsOf(world)).at(-1)).toBe('one@2026-01-01T04:00:00Z');
    expect((await engine.schedules())[1]).toMatchObject({ name: 'one', skipped: 2 });
    await engine.enqueue('q', 'post', 'long');
    await engine.schedule('queued', { ...hourly, overlap: 'skip', queue: 'q' });
    await world.clock.advance(2 * HOUR_MS);
    expect((await engine.queued('q')).rows.map(({ id }) => id)).toEqual([
      'queued@2026-01-01T05:00:00Z',
    ]);
  },

  'a schedule through a queue takes its place there, exactly once': async (world) => {
    const options = { queues: [{ name: 'q', concurrency: 1 }] };
    for (const death of ['before', 'after'] as const) {
      const engine = await world.start(KINDS, options);
      await engine.schedule(death, { ...hourly, queue: 'q' });
      await engine.enqueue('q', 'counter', `${death}/busy`);
      if (death === 'before') world.crashBeforeNextCommit();
      else world.crashAfterNextCommit();
      await world.clock.advance(HOUR_MS);
      await world.start(KINDS, options);
      await world.clock.advance(0);
      const waiting = (await world.engine.queued('q')).rows;
      expect(waiting.map(({ id }) => id.split('@')[0])).toEqual([death]);
      await world.engine.stop(`${death}/busy`);
      await world.rest();
      await world.engine.stop(waiting[0]?.id ?? '');
      await world.engine.unschedule(death);
      expect(await world.journal(waiting[0]?.id ?? '')).toHaveLength(2);
      world.crash();
    }
  },

  'without room a date waits, and is noted': async (world) => {
    let isFull = false;
    const engine = await world.start(KINDS, {
      queues: [{ name: 'q', concurrency: 1, waitingMax: 1 }],
      wrapStore: (store) => faultyStore(store, { hasRoom: () => !isFull }),
    });
    await engine.schedule('s', hourly);
    isFull = true;
    await world.clock.advance(HOUR_MS);
    expect(await idsOf(world)).toEqual([]);
    expect(world.notices).toMatchObject([{ kind: 'schedule_delayed' }]);
    await expect(engine.schedule('t', hourly)).rejects.toMatchObject({ code: 'STORE_FULL' });
    isFull = false;
    await world.clock.advance(10_000);
    expect(await idsOf(world)).toEqual(['s@2026-01-01T01:00:00Z']);
    await engine.unschedule('s');
    await engine.enqueue('q', 'post', 'busy');
    await engine.enqueue('q', 'post', 'waits');
    await engine.schedule('u', { ...hourly, queue: 'q' });
    await world.clock.advance(HOUR_MS);
    expect((await engine.queued('q')).rows).toHaveLength(1);
    await engine.dequeue('q', 'waits');
    await world.clock.advance(10_000);
    expect((await engine.queued('q')).rows).toMatchObject([{ id: 'u@2026-01-01T02:00:00Z' }]);
  },

  'an actor that cannot be made becomes a dead letter, and the schedule goes on': async (world) => {
    const engine = await world.start([...KINDS, broken]);
    await engine.schedule('bad', { ...hourly, kind: 'broken' });
    await engine.create('counter', 'good@2026-01-01T01:00:00Z', { total: 3 });
    await engine.schedule('good', hourly);
    await world.clock.advance(2 * HOUR_MS);
    expect((await engine.deadLetters()).rows.map(({ actorId }) => actorId)).toEqual([
      'bad@2026-01-01T01:00:00Z',
      'bad@2026-01-01T02:00:00Z',
    ]);
    expect(await idsOf(world)).toEqual(['good@2026-01-01T01:00:00Z', 'good@2026-01-01T02:00:00Z']);
    world.crash();
  },

  'a schedule of a kind that is not there waits for a program that has it': async (world) => {
    const engine = await world.start(KINDS, { queues: [{ name: 'q' }] });
    await engine.schedule('direct', hourly);
    await engine.schedule('queued', { ...hourly, kind: 'post', queue: 'q' });
    world.crash();
    await world.start([post]);
    await world.clock.advance(5 * HOUR_MS);
    expect((await world.engine.deadLetters()).rows).toEqual([]);
    expect(world.notices.map(({ kind }) => kind)).toEqual(['schedule_delayed', 'schedule_delayed']);
    world.crash();
    await world.start(KINDS, { queues: [{ name: 'q' }] });
    await world.clock.advance(0);
    expect(await idsOf(world)).toEqual(['direct@2026-01-01T01:00:00Z']);
    expect(await idsOf(world, 'post')).toEqual(['queued@2026-01-01T01:00:00Z']);
  },

  'what cannot be a schedule is refused with what it may be': async (world) => {
    const engine = await world.start(KINDS);
    const refused = (over: object, name = 's') =>
      expect(engine.schedule(name, { ...hourly, ...over } as Schedule)).rejects;
    const invalid = (what: string, received: unknown) => ({
      code: 'SCHEDULE_INVALID',
      data: { what, received, allowed: expect.any(String) as string },
    });
    for (const cron of ['', 'x', '* * * *', '60 * * * *', '2030-01-01T00:00:00', '@never', 5]) {
      await refused({ cron }).toMatchObject(invalid('cron', cron));
    }
    await refused({ cron: '0 0 30 2 *' }).toMatchObject(invalid('cron', '0 0 30 2 * (UTC)'));
    await refused({ cron: '0 0 0 1 1 * 2020' }).toMatchObject({
      message: expect.stringContaining('2026-01-01T00:00:00.000Z') as string,
    });
    await refused({ timezone: 'Mars/Base' }).toMatchObject(invalid('timezone', 'Mars/Base'));
    await refused({ overlap: 'no' }).toMatchObject(invalid('overlap', 'no'));
    await refused({ missed: 'all' }).toMatchObject(invalid('missed', 'all'));
    await refused({}, '').toMatchObject(invalid('name', ''));
    await refused({}, 'n'.repeat(201)).toMatchObject(invalid('name', 'n'.repeat(201)));
    await refused({ kind: 'none' }).toMatchObject({ code: 'ACTOR_KIND_UNKNOWN' });
    await refused({ queue: 'none' }).toMatchObject({ code: 'QUEUE_UNKNOWN' });
    await refused({ input: { n: 1n } }).toMatchObject({ code: 'EVENT_INVALID' });
    expect(await engine.schedules()).toEqual([]);
  },
};

async function idsOf(world: EngineWorld, kind = 'counter'): Promise<readonly string[]> {
  return (await world.engine.list({ kind, limit: 1_000 })).rows.map(({ id }) => id);
}
