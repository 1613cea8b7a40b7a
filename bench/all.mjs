// Everything, one after the other. `node bench/all.mjs [--rounds 5]`
// Figures go to the terminal and, one JSON line per leg, to bench/out/.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { facts } from './lib/facts.mjs';
import { say } from './lib/output.mjs';

const PART_MS_MAX = 30 * 60_000;
const parts = [
  'setup',
  'front',
  'streams',
  'start',
  'durable',
  'panel',
  'wall',
  'panel-cost',
  'panel-quality',
  'busy',
  'paid',
  'proofs',
  'escrow',
  'router',
  'layout',
  'watched',
  'hosting-logs',
  'hosting',
  'data-tools',
  'ccxt',
  'import',
  'client-cost',
];

say(JSON.stringify(facts(), undefined, 2));
let failed = 0;
for (const part of parts) {
  say(`\n## ${part}`);
  const script = fileURLToPath(new URL(`./${part}.mjs`, import.meta.url));
  // These have no rounds to choose.
  const options = ['setup', 'escrow', 'panel-quality'].includes(part) ? [] : process.argv.slice(2);
  const { status } = spawnSync(process.execPath, [script, ...options], {
    stdio: 'inherit',
    timeout: PART_MS_MAX,
  });
  if (status !== 0) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
