import { test } from 'vitest';
import { alertMachine } from '../../src/machines/alert.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { pathLines } from '../../src/testing/failure.ts';
import { alertFrontPlan } from './alert-plan.ts';
test('x', () => {
  const set = pathSetOf(alertMachine, { ...alertFrontPlan, how: 'transitions', ignored: 'none' });
  console.log(set.transitionIds.length, set.paths.length, set.unreachedIds, set.poisons);
  for (const p of set.paths) console.log(p.id + '\n' + pathLines(p).join('\n'));
});
