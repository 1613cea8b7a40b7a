// Puts what a package of `packages/` has from `dist` into its own `dist`, or into that of another
// folder: `node scripts/assemble.mjs <package> [folder]`. npm calls it before it packs one. The
// runtime is its entries, bundled, with the declarations that they reach and the page of the
// inspector; the console is the built pages.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { joinModules, notices } from './bundle.mjs';
import { CHECKOUT } from './lib/checkout.mjs';

const DIST = join(CHECKOUT, 'dist');
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
const PACKAGES = { runtime: assembleRuntime, console: assembleConsole };

const name = process.argv[2] ?? '';
if (!Object.hasOwn(PACKAGES, name)) {
  process.stderr.write(`received ${name}; allowed: ${Object.keys(PACKAGES).join(', ')}\n`);
  process.exit(2);
}
const folder = process.argv[3] ?? join(CHECKOUT, 'packages', name);
rmSync(join(folder, 'dist'), { recursive: true, force: true });
await PACKAGES[name]();

function assembleConsole() {
  cpSync(join(DIST, 'web'), join(folder, 'dist'), { recursive: true });
}

async function assembleRuntime() {
  const manifest = join(folder, 'package.json');
  const { exports: entries } = JSON.parse(readFileSync(manifest, 'utf8'));
  const paths = Object.values(entries).map(({ default: path }) => relative('dist', path));
  const input = paths.map((path) => [path.replace(/\.js$/, ''), join(DIST, path)]);
  const files = await joinModules(Object.fromEntries(input), { manifest });
  for (const { fileName, code } of files) write(fileName, code);
  write('NOTICES.txt', notices(files.flatMap(({ modules }) => Object.keys(modules))));
  for (const file of listDeclarations(paths)) {
    write(relative(DIST, file), readFileSync(file, 'utf8'));
  }
  const page = 'inspector-page';
  cpSync(join(DIST, page), join(folder, 'dist', page), { recursive: true });
}

/** Lists the declarations that these modules reach. */
function listDeclarations(paths) {
  const open = paths.map((path) => join(DIST, path.replace(/\.js$/, '.d.ts')));
  const reached = new Set();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      open.push(join(dirname(file), path.replace(/\.(?:js|ts)$/, '.d.ts')));
    }
  }
  return reached;
}

function write(path, text) {
  const target = join(folder, 'dist', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
