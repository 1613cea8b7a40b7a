import { appendFileSync } from 'node:fs';
import { test } from 'vitest';
import { PROBES } from '../src/actors/audits/probes/probes.ts';
import { assessVariant } from './support/audits/assess.ts';
import { EXPECTED_PROBES } from './support/audits/expected-probes.ts';
import { allTargets } from './support/targets/all-targets.ts';
import { knownTargets } from './support/targets/known/known-targets.ts';
const SEEDS = (process.env['M_SEEDS'] ?? '6').split(',').map(Number);
const ONLY = process.env['M_ONLY']?.split(',');
const OUT = process.env['M_OUT'] ?? '/tmp/m/rows.jsonl';
const variants = [...allTargets, ...knownTargets].filter((t) => ONLY === undefined || ONLY.includes(t.name)).flatMap((target) =>
  SEEDS.flatMap((seed) => [false, true].map((fixed) => ({ target, seed, fixed }))),
);
test.concurrent.each(variants)('$target.name, seed $seed, fixed: $fixed', { timeout: 600_000 }, async ({ target, seed, fixed }) => {
  const started = Date.now();
  const probes = process.env['M_PROBES'] ? PROBES.filter((p) => (EXPECTED_PROBES[target.name] ?? []).includes(p.probeId)) : PROBES;
  const { findings } = await assessVariant(target, { seed, fixed }, { probes });
  const expected = EXPECTED_PROBES[target.name] ?? [];
  const speaking = findings.filter(({ status }) => status === 'confirmed' || status === 'indicator');
  const isTold = fixed ? findings.some(({ status }) => status === 'confirmed') : speaking.some(({ probeId }) => expected.includes(probeId));
  appendFileSync(OUT, `${JSON.stringify({ name: target.name, seed, fixed, isTold, ms: Date.now() - started, found: findings.map((f) => `${f.probeId}:${f.status}`) })}\n`);
});
