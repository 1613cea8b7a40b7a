// Copies what a package of `packages/` has from `dist` into its own `dist`, or into that of another
// folder: `node scripts/assemble.mjs <package> [folder]`. npm calls it before it packs one. The
// runtime is the modules that its exports reach, as they were compiled; the console is the built
// pages.
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CHECKOUT, filesUnder } from './lib/checkout.mjs';

const DIST = join(CHECKOUT, 'dist');
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
const FILES = { runtime: listReached, console: () => filesUnder(join(DIST, 'web')) };

const name = process.argv[2] ?? '';
if (!Object.hasOwn(FILES, name)) {
  process.stderr.write(`received ${name}; allowed: ${Object.keys(FILES).join(', ')}\n`);
  process.exit(2);
}
const folder = process.argv[3] ?? join(CHECKOUT, 'packages', name);
const from = name === 'console' ? join(DIST, 'web') : DIST;
rmSync(join(folder, 'dist'), { recursive: true, force: true });
for (const file of FILES[name]()) {
  const target = join(folder, 'dist', relative(from, file));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
}

/** Lists the modules and declarations that the exports of the runtime reach. */
function listReached() {
  const { exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const open = Object.values(entries).flatMap((entry) =>
    Object.values(entry).map((path) => join(DIST, relative('dist', path))),
  );
  const reached = new Set();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const ending = file.endsWith('.d.ts') ? '.d.ts' : '.js';
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      open.push(join(dirname(file), path.replace(/\.(?:js|ts)$/, ending)));
    }
  }
  return [...reached];
}
