import { appendFileSync } from 'node:fs';
import { test } from 'vitest';
import { assessVariant } from '../../support/audits/assess.ts';
import { allTargets } from '../../support/targets/all-targets.ts';
import { knownTargets } from '../../support/targets/known/known-targets.ts';

const only = process.env['ONLY']?.split(',');
const seeds = (process.env['SEEDS'] ?? '0').split(',').map(Number);
const out = process.env['OUT'] ?? '/tmp/measure.jsonl';
for (const target of process.env['KNOWN'] ? knownTargets : allTargets) {
  if (only !== undefined && !only.includes(target.name)) continue;
  for (const seed of seeds) {
    for (const fixed of [false, true]) {
      test.concurrent(`${target.name} ${seed} ${fixed}`, { timeout: 300_000 }, async () => {
        const at = Date.now();
        const { findings, runs, requests } = await assessVariant(target, { seed, fixed });
        appendFileSync(
          out,
          `${JSON.stringify({ name: target.name, category: target.category, seed, fixed, ms: Date.now() - at, requests, findings: findings.map((f) => ({ p: f.probeId, c: f.category, s: f.status, t: f.tool, title: f.title, ev: f.evidence.responseExcerpt.slice(0, 300), rq: f.evidence.request.slice(-300) })), runs: runs.map((r) => `${r.probeId}:${r.outcome}:${r.requests}:${r.reason ?? ''}`) })}\n`,
        );
      });
    }
  }
}
