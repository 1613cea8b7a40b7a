import { test } from 'vitest';
import { jobMachine } from '../../src/machines/job.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { pathLines } from '../../src/testing/failure.ts';
import { boardPlan } from './board-plan.ts';
test('x', () => {
  const set = pathSetOf(jobMachine, { ...boardPlan, how: 'transitions', ignored: 'none' });
  console.log(set.transitionIds.length, set.paths.length, set.unreachedIds, set.poisons);
  for (const p of set.paths) console.log(p.id + '\n' + pathLines(p).join('\n').replaceAll(/\{.{60,}?\}(?=\s+→|\s*$)/g, '{…}'));
});
