import { expect, test } from 'vitest';
import { findPanelMachine } from '../../src/machines/panel/panels.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { runPaths } from '../../src/testing/run-paths.ts';

const machine = findPanelMachine('arbitration');
const set = pathSetOf(machine, { ...findPlan('arbitration'), how: 'transitions' });

test('an arbitration takes evidence, freezes and admits it before seats judge twice', () => {
  expect(Object.keys(machine.root.states)).toEqual([
    ...['evidence_window', 'frozen', 'admissibility', 'deliberating', 'tallying', 'sealing'],
    ...['decided', 'no_quorum', 'cancelled', 'failed'],
  ]);
  expect(Object.keys(machine.root.states['deliberating']?.states ?? {})).toEqual([
    'review',
    'swapped_review',
  ]);
});

test('paths lead through every transition, and nothing throws', () => {
  expect(set.transitionIds.length).toBe(29);
  expect(set.coveredIds).toEqual(set.transitionIds);
  expect(set.poisons).toEqual([]);
});

test('the engine stands where the model stands on every path', async () => {
  const sum = await runPaths(set.paths, { machine, driver: () => engineDriver({ machine }) });
  expect(sum.paths).toBe(set.paths.length);
});
