// Joins the modules of the build into few files, in place: the command, the library and what both
// load later, in `dist/chunks`. A start would read hundreds of modules otherwise. Packages of plain
// functions and data are joined too, those of their modules that are used; the others stay outside,
// and modules that are public by themselves (`@stoa/runtime`) stay as they were compiled.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from './lib/checkout.mjs';

const DIST = join(CHECKOUT, 'dist');
const CHUNKS = 'chunks';
const ENTRIES = ['cli', 'index', 'main'];
const NOTICES = join(DIST, CHUNKS, 'NOTICES.txt');
/** The bundler's own demand. An older Node runs the modules as they were compiled. */
const NODE_WANTED = [20, 19];
/** Exit code where a package cannot be loaded; the set-up then installs all of them again. */
const INCOMPLETE = 3;
/** Nothing tells two copies of these apart: no caller hands an object of theirs to another copy. */
const JOINED = new RegExp(
  '^(abitype|commander|ipaddr\\.js|linkify-it|lru-cache|mrmime|@noble/\\w+|ox|p-limit|' +
    'uc\\.micro|viem|yocto-queue|zod)(/|$)',
);

if (process.argv[1] === import.meta.filename && canJoin()) await joinBuild();

/** Whether this Node runs the bundler. */
export function canJoin() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > NODE_WANTED[0] || (major === NODE_WANTED[0] && minor >= NODE_WANTED[1]);
}

/**
 * Joins modules as the build does.
 *
 * @param input - Name of an entry to its file.
 * @returns Files as `{fileName, code, modules}`.
 */
export async function joinModules(input, plugins = []) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input,
    plugins,
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && !JOINED.test(id),
    onLog: refuseUnresolved,
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name].js`,
    comments: false,
  });
  return output;
}

async function joinBuild() {
  const files = ENTRIES.map((name) => [name, join(DIST, `${name}.js`)]);
  const output = await joinModules(Object.fromEntries(files));
  const own = output.map(({ fileName }) => fileName);
  const others = output.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  for (const id of others) if (!own.includes(id) && isMissing(id)) refuse(id);
  rmSync(join(DIST, CHUNKS), { recursive: true, force: true });
  mkdirSync(join(DIST, CHUNKS));
  for (const { fileName, code } of output) writeFileSync(join(DIST, fileName), code);
  writeFileSync(NOTICES, notices(output.flatMap(({ modules }) => Object.keys(modules))));
  // They would map to what the compiler wrote.
  for (const name of ENTRIES) rmSync(join(DIST, `${name}.js.map`), { force: true });
}

// The bundler leaves a module that it does not find as it is, with a warning.
function refuseUnresolved(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT') refuse(log.message);
  handle(level, log);
}

/** Whether a package that stays outside the joined files cannot be loaded. */
function isMissing(id) {
  if (isBuiltin(id)) return false;
  try {
    return !existsSync(fileURLToPath(import.meta.resolve(id)));
  } catch {
    return true;
  }
}

function refuse(what) {
  process.stderr.write(`A package in node_modules is incomplete: ${what}\n`);
  process.exit(INCOMPLETE);
}

/**
 * The licences of the packages whose modules were joined.
 *
 * @param modules - Their files.
 */
export function notices(modules) {
  const roots = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
  const texts = [...new Set(roots)].sort().map((root) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license']
      .map((each) => join(root, each))
      .find((each) => existsSync(each));
    const text = file === undefined ? '' : readFileSync(file, 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}
