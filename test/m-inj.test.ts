import { test } from 'vitest';
import { suspicionOf } from '../src/domain/audit/text-check.ts';
import { allTargets } from './support/targets/all-targets.ts';
test('inj', async () => {
  const t = allTargets.find((x) => x.name === 'injected-results')!;
  const plan = await t.make({ seed: 9, fixed: false });
  console.log('INJ', JSON.stringify(plan.weakSpot.marker), JSON.stringify(suspicionOf(plan.weakSpot.marker)));
});
