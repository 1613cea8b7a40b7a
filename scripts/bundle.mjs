// Joins the modules of the build into few files, in place: the command, the library and what both
// load later, in `dist/chunks`. A start would read hundreds of modules otherwise. Packages stay
// outside, and modules that are public by themselves (`stoa/runtime`) stay as they were compiled.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './lib/checkout.mjs';

const DIST = join(CHECKOUT, 'dist');
const CHUNKS = 'chunks';
const ENTRIES = ['cli', 'index', 'main'];
/** The bundler's own demand. An older Node runs the modules as they were compiled. */
const NODE_WANTED = [20, 19];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > NODE_WANTED[0] || (major === NODE_WANTED[0] && minor >= NODE_WANTED[1]))
  await joinModules();

async function joinModules() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(DIST, `${name}.js`)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith(DIST),
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name].js`,
  });
  rmSync(join(DIST, CHUNKS), { recursive: true, force: true });
  mkdirSync(join(DIST, CHUNKS));
  for (const { fileName, code } of output) writeFileSync(join(DIST, fileName), code);
  // They would map to what the compiler wrote.
  for (const name of ENTRIES) rmSync(join(DIST, `${name}.js.map`), { force: true });
}
