import { expect, test } from 'vitest';
import { findPanelMachine } from '../../src/machines/panel/panels.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { runPaths } from '../../src/testing/run-paths.ts';

const machine = findPanelMachine('council');
const set = pathSetOf(machine, { ...findPlan('council'), how: 'transitions' });

test('the phases of a council stand in the order of its description', () => {
  expect(Object.keys(machine.root.states['deliberating']?.states ?? {})).toEqual([
    'briefing',
    'fact_check',
    'opinions',
    'red_lines',
    'checking',
    'cross_examination',
    'cross_answers',
    'conditions_merge',
    'voting',
  ]);
});

test('paths lead through every transition, and nothing throws', () => {
  expect(set.transitionIds.length).toBeGreaterThanOrEqual(40);
  expect(set.coveredIds).toEqual(set.transitionIds);
  expect(set.poisons).toEqual([]);
});

test('the engine stands where the model stands on every path', async () => {
  const sum = await runPaths(set.paths, { machine, driver: () => engineDriver({ machine }) });
  expect(sum.paths).toBe(set.paths.length);
});
