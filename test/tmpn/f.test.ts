import { test } from 'vitest';
import { assessVariant } from '../support/audits/assess.ts';
import { foreignRecords } from '../support/targets/faults/foreign-records.ts';
test('x', { timeout: 300_000 }, async () => {
  for (const seed of [0,1,2,3,4,5,6,7,8,9]) {
    const { findings } = await assessVariant(foreignRecords, { seed, fixed: false });
    console.log(seed, findings.map((f) => `${f.probeId}:${f.status}`).join(' '));
  }
});
