import { expect } from 'vitest';
import { setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import { START } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;
const alarm = define({
  kind: 'alarm',
  version: 1,
  machine: setup({}).createMachine({
    initial: 'set',
    states: {
      set: { after: { [2 * HOUR_MS]: 'rung' }, on: { AGAIN: { target: 'set', reenter: true } } },
      rung: { on: { AGAIN: 'set' } },
    },
  }),
});
/** A clock that an operator or a time server sets while the process runs. */
export const clockClaims: Claims = {
  'a year forward and back: what was due fired once, and what is set next fires in time': async (
    world,
  ) => {
    const engine = await world.start([alarm]);
    await engine.create('alarm', 'a');
    await world.clock.jump(START + YEAR_MS);
    expect((await engine.view('a')).value).toBe('rung');
    await world.clock.jump(START + HOUR_MS);
    await engine.create('alarm', 'b');
    await engine.tell('a', { type: 'AGAIN' });
    await world.clock.advance(2 * HOUR_MS - 1);
    expect([(await engine.view('a')).value, (await engine.view('b')).value]).toEqual([
      'set',
      'set',
    ]);
    await world.clock.advance(1);
    expect([(await engine.view('a')).value, (await engine.view('b')).value]).toEqual([
      'rung',
      'rung',
    ]);
    expect((await world.journal('a')).map(({ event }) => event.type)).toEqual([
      'xstate.init',
      `xstate.after.${2 * HOUR_MS}.(machine).set`,
      'AGAIN',
      `xstate.after.${2 * HOUR_MS}.(machine).set`,
    ]);
    await expectAscending(world, 'a');
  },

  'one hour back: a timer fires once, at its time, and the journal goes on': async (world) => {
    const engine = await world.start([alarm]);
    await engine.create('alarm', 'a');
    await world.clock.jump(START - HOUR_MS);
    await engine.tell('a', { type: 'AGAIN' });
    expect((await engine.view('a')).timers[0]?.due).toBe(START + HOUR_MS);
    await expectAscending(world, 'a');
    world.crash();
    const next = await world.start([alarm]);
    expect((await next.view('a')).timers[0]?.due).toBe(START + HOUR_MS);
    await world.clock.advance(2 * HOUR_MS);
    expect((await next.view('a')).value).toBe('rung');
    await world.clock.advance(YEAR_MS);
    expect((await next.view('a')).seq).toBe(3);
    await expectAscending(world, 'a');
  },

  'a schedule goes on after a year forward and back, and no date runs twice': async (world) => {
    const engine = await world.start([alarm]);
    await engine.schedule('hourly', { cron: '0 * * * *', kind: 'alarm' });
    await world.clock.advance(HOUR_MS);
    await world.clock.jump(START + YEAR_MS);
    await world.clock.jump(START + HOUR_MS + 1);
    expect((await engine.schedules())[0]?.next).toBe(START + 2 * HOUR_MS);
    await world.clock.advance(HOUR_MS);
    await world.clock.jump(START + HOUR_MS + 1);
    await world.clock.advance(2 * HOUR_MS);
    const { rows } = await engine.list({ kind: 'alarm' });
    const times = rows.map(({ id }) => id.slice('hourly@'.length, -1));
    expect(times.filter((time) => time < '2026-01-02')).toEqual([
      '2026-01-01T01:00:00',
      '2026-01-01T02:00:00',
      '2026-01-01T03:00:00',
    ]);
    for (const { id } of rows) {
      const inits = (await world.journal(id)).filter(({ event }) => event.type === 'xstate.init');
      expect(inits).toHaveLength(1);
    }
  },
};

async function expectAscending(world: EngineWorld, id: string): Promise<void> {
  const times = (await world.journal(id)).map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
}
