import { afterEach, describe, expect, test } from 'vitest';
import {
  controlActorId,
  defineControl,
  startControls,
} from '../../../src/actors/control/controls.ts';
import {
  CONTROL_CATALOG,
  CONTROL_IDS,
  CONTROLS,
} from '../../../src/domain/control/control-catalog.ts';
import { EngineWorld, START } from '../../support/engine-world.ts';
import { proves } from '../../support/proves.ts';
import { lmdbShelf, memoryShelf } from '../../support/shelf.ts';

const worlds: EngineWorld[] = [];
afterEach(() => Promise.all(worlds.splice(0).map((world) => world.end())));

describe.each([
  ['in memory', memoryShelf],
  ['on disk', lmdbShelf],
])('controls %s', (_name, shelf) => {
  async function opened() {
    const world = new EngineWorld(shelf());
    worlds.push(world);
    const open = async () => {
      const engine = await world.start([defineControl()]);
      return startControls({ engine, clock: world.clock });
    };
    return { world, open, controls: await open() };
  }
  const off = { to: 'OFF', who: 'ops-1', why: 'a drill' } as const;

  test('every control of the catalog lives as an actor with its declared label', async () => {
    const { world, controls } = await opened();
    const { rows } = await world.engine.list({ kind: 'control' });
    expect(rows.map(({ id }) => id).sort()).toEqual(CONTROL_IDS.map(controlActorId).sort());
    expect(
      Object.fromEntries(controls.listWithChanges().map((row) => [row.controlId, row.label])),
    ).toEqual(CONTROLS);
    expect(controls.listWithChanges().every(({ change }) => change === null)).toBe(true);
  });

  test('a change is there at once and after a restart, with who, why and when', async () => {
    proves('C3.s2');
    const { world, open, controls } = await opened();
    const told = await controls.change('payer-binding', off);
    const change = { who: 'ops-1', why: 'a drill', at: START };
    expect(told).toEqual({
      controlId: 'payer-binding',
      label: 'OFF',
      changedAt: START,
      change,
    });
    expect([controls.labelOf('payer-binding'), controls.changes]).toEqual(['OFF', 1]);
    const rows = await world.journal(controlActorId('payer-binding'));
    expect(rows.at(-1)?.cause).toMatchObject({ by: 'outside', who: 'ops-1' });
    world.crash();
    const again = await open();
    expect(again.listWithChanges().find(({ controlId }) => controlId === 'payer-binding')).toEqual(
      told,
    );
  });

  test('the label that is there already changes nothing', async () => {
    const { world, controls } = await opened();
    await controls.change('payer-binding', { ...off, to: 'LIVE' });
    expect([
      controls.changes,
      (await world.journal(controlActorId('payer-binding'))).length,
    ]).toEqual([0, 1]);
  });

  test('changes that come together are taken one after the other', async () => {
    const { controls } = await opened();
    const labels = ['OFF', 'SHADOW', 'LIVE', 'OFF'] as const;
    await Promise.all(labels.map((to) => controls.change('witness-scoring', { ...off, to })));
    expect([controls.labelOf('witness-scoring'), controls.changes]).toEqual(['OFF', 4]);
  });

  test('two-leg escrow stays OFF: no product has opted in', async () => {
    proves('C8.s1.c10');
    const { world, controls } = await opened();
    for (const to of ['LIVE', 'SHADOW'] as const) {
      await expect(controls.change('two-leg-escrow', { ...off, to })).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        data: { received: to, allowed: ['OFF'], why: expect.stringMatching(/no product/i) },
      });
    }
    expect(controls.labelOf('two-leg-escrow')).toBe('OFF');
    expect(await world.journal(controlActorId('two-leg-escrow'))).toHaveLength(1);
  });
});

test('every control can have the label that it is declared with, and says why not another', () => {
  for (const id of CONTROL_IDS) {
    const { labels, fixed } = CONTROL_CATALOG[id];
    expect(labels, id).toContain(CONTROLS[id]);
    expect(labels.length === 3 || fixed !== undefined, id).toBe(true);
  }
});
