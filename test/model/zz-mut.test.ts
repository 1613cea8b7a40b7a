import { test } from 'vitest';
import { alertMachine } from '../../src/machines/alert.ts';
import { tryMutants } from '../../src/testing/mutants/catches.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { alertPlan } from '../../src/testing/plans/alert.ts';
import { playAlert } from '../support/alert-sequences.ts';
import { seeded } from '../support/seeded.ts';
import { alertFrontPlan } from './alert-plan.ts';
test('x', { timeout: 600_000 }, async () => {
  const copies = mutantsOf(alertMachine);
  const front = pathSetOf(alertMachine, { ...alertFrontPlan, how: 'transitions', ignored: 'none' });
  const all = pathSetOf(alertMachine, { ...alertPlan, how: 'transitions', ignored: 'all' });
  let t = performance.now();
  const a = await tryMutants(copies, [...all.paths]);
  console.log('plan', copies.length, a.survivors.length, Math.round(performance.now() - t)); t = performance.now();
  const b = await tryMutants(a.survivors, front.paths);
  console.log('front', b.survivors.length, Math.round(performance.now() - t)); t = performance.now();
  const left = b.survivors.filter(({ machine }) => {
    for (let seed = 1; seed <= 100; seed += 1) {
      try { if (playAlert(seeded(seed), 60, machine) !== undefined) return false; } catch { return false; }
    }
    return true;
  });
  console.log('oracle', left.length, Math.round(performance.now() - t));
  for (const m of left) console.log(m.id, '::', m.about);
});
