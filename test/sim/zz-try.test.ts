import { test } from 'vitest';
import { simulate } from './simulation.ts';
test('try', { timeout: 600000 }, async () => {
  const from = Number(process.env['FROM'] ?? 1), n = Number(process.env['N'] ?? 5), steps = Number(process.env['STEPS'] ?? 1000);
  const t = Date.now(); let done = 0, rows = 0; const counts: Record<string, number> = {};
  for (let seed = from; seed < from + n; seed++) {
    const o = await simulate({ seed, steps: Array.from({ length: steps }, (_, i) => i) });
    done += o.steps; rows += o.rows;
    for (const [k, v] of Object.entries(o.counts)) counts[k] = (counts[k] ?? 0) + v;
    if (o.fault) { process.stdout.write(`seed ${seed} step ${o.at}: ${o.fault.message}\n${process.env['LINES'] ? o.lines.slice(-Number(process.env['LINES'])).join('\n') + '\n' : ''}`); if (!process.env['GO']) break; }
  }
  process.stdout.write(`${done} steps ${rows} rows ${Date.now() - t} ms ${JSON.stringify(counts)}\n`);
});
