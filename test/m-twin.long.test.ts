import { test } from 'vitest';
import { assessVariant } from './support/audits/assess.ts';
import { allTargets } from './support/targets/all-targets.ts';
const T = [['late-change', 6], ['path-symlink', 6], ['poisoned-description', 6], ['rug-pull', 6], ['unannotated-acting', 6]] as const;
test.concurrent.each(T)('%s %i', { timeout: 300000 }, async (name, seed) => {
  const { findings, runs } = await assessVariant(allTargets.find((t) => t.name === name)!, { seed, fixed: true });
  console.log('TW', name, JSON.stringify(findings.filter((f) => f.status === 'confirmed').map((f) => [f.probeId, f.tool, f.title, f.evidence.request.slice(0, 200), f.evidence.responseExcerpt.slice(0, 200), f.control?.responseExcerpt.slice(0, 100)])));
});
