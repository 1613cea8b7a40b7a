import { appendFileSync, writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { PROBES } from '../src/actors/audits/probes/probes.ts';
import { assessVariant } from './support/audits/assess.ts';
import { EXPECTED_PROBES } from './support/audits/expected-probes.ts';
import { allTargets } from './support/targets/all-targets.ts';
import { knownTargets } from './support/targets/known/known-targets.ts';
test('x', async () => {
  writeFileSync('/tmp/d/q.txt', '');
  for (const t of [...allTargets, ...knownTargets]) for (let seed = 0; seed < Number(process.env['SEEDS'] ?? 3); seed++) {
    if (process.env['ONLY'] && !t.name.match(process.env['ONLY'])) continue;
    const probes = PROBES.filter(({ probeId }) => (EXPECTED_PROBES[t.name] ?? []).includes(probeId));
    const out = [];
    for (const fixed of [false, true]) {
      const a = await assessVariant(t, { seed, fixed, ...(t.name==='unlimited-burst' ? {} : {front: { burstMax: 1000 }}) }, { probes });
      out.push(a.findings.map(f => f.status).join(',') + ' ' + a.runs.map(r => `${r.probeId}=${r.outcome}${r.reason ? ` (${r.reason.slice(0, 110)})` : ''}`).join('; ') + (a.leftBehind ? ' LEFT ' + a.leftBehind.slice(0, 120) : ''));
    }
    appendFileSync('/tmp/d/q.txt', `${t.name} ${seed}\n   F ${out[0]}\n   T ${out[1]}\n`);
  }
}, 1200000);
