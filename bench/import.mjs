// What the packed runtime costs whoever imports it, against xstate and lmdb alone, which it needs.
//   node bench/import.mjs [--rounds 15]
// A process of its own for each import, alternately. Installs from the npm registry.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { fixed, groupBy, median, spreadPercent, table } from './lib/stats.mjs';

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const IMPORTS = {
  'xstate, lmdb': ['xstate', 'lmdb'],
  '@stoa/runtime, its store': ['@stoa/runtime', '@stoa/runtime/lmdb'],
};

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const folder = mkdtempSync(join(tmpdir(), 'stoa-import-'));
const { rows, add } = openRows('import');
try {
  install();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, modules] of Object.entries(IMPORTS)) {
      add({ round, name, ms: importMs(modules) });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const times = [...groupBy(rows, ({ name }) => name)].map(([name, of]) => [
  name,
  of.map(({ ms }) => ms),
]);
const [[, base]] = times;
say('\n### import of the runtime\n');
say(
  table(
    ['import', 'ms', 'spread', 'ratio'],
    times.map(([name, ms]) => [
      name,
      fixed(median(ms), 1),
      `${spreadPercent(ms)} %`,
      fixed(median(ms) / median(base), 2),
    ]),
  ),
);

function install() {
  const source = join(folder, 'runtime');
  cpSync(join(CHECKOUT, 'packages', 'runtime'), source, { recursive: true });
  execFileSync(process.execPath, [join(CHECKOUT, 'scripts', 'assemble.mjs'), 'runtime', source]);
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: source,
  });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  execFileSync('npm', ['install', '--silent', `./${archive}`, 'xstate', 'lmdb'], { cwd: folder });
}

/** Milliseconds from the first import to the last in a fresh process. */
function importMs(modules) {
  const imports = modules.map((name) => `await import('${name}');`).join(' ');
  const code = `const at = performance.now(); ${imports} console.log(performance.now() - at);`;
  const args = ['--input-type=module', '--eval', code];
  return Number(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }));
}
