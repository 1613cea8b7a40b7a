// Joins the modules of the build into few files, in place: the command, the library and what both
// load later, in `dist/chunks`, and what runs in threads. A start would read hundreds of modules
// otherwise, and who installs the server would install each package whole. The modules of packages
// that are used are joined too, except those of the dependencies that the manifest names. Modules
// that are public by themselves (`@stoa/runtime`) stay as they were compiled.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CHECKOUT } from './lib/checkout.mjs';

const DIST = join(CHECKOUT, 'dist');
const CHUNKS = 'chunks';
const ENTRIES = ['cli', 'index', 'main'];
const NOTICES = join(DIST, CHUNKS, 'NOTICES.txt');
/** The bundler's own demand. An older Node runs the modules as they were compiled. */
const NODE_WANTED = [20, 19];
/** Exit code where a package cannot be loaded; the set-up then installs all of them again. */
const INCOMPLETE = 3;
const LACKING = 'A package in node_modules is incomplete:';
/** Modules in threads are loaded by their path: those of `src`, and the exchanges of ccxt. */
const WORKER = /-worker\.mjs$/;
const EXCHANGES = 'providers/market/ccxt/exchanges';
const VENUES = 'domain/market/venue/ccxt-venues.js';
/** A joined package imports it. Its copies share one registry, so a copy of the user works too. */
const SHARED = '@opentelemetry/api';
/** A package whose native code goes with the build: to be installed, it would need a compiler. */
const NATIVE = { name: 'secp256k1', folder: 'native' };
/** Folders of joined packages that their modules read beside themselves. */
const FOLDERS = [
  { from: 'node_modules/secp256k1/prebuilds', to: `${NATIVE.folder}/prebuilds` },
  { from: 'node_modules/lmdb/dict', to: `${CHUNKS}/dict` },
];
/** Its license covers files, not programs, so it is joined as a file of its own. */
const CHARTS = { name: 'elkjs', test: /node_modules\/elkjs\// };
/** Optional parts of joined packages that nothing here uses. They are loaded in a `try`. */
const UNUSED = /^(canvas|protobufjs)(\/|$)/;
/** It finds the binary from its own folder, which joined modules do not have. */
const ALIASES = { 'node-gyp-build-optional-packages': join(DIST, 'system', 'load-lmdb.js') };

if (process.argv[1] === import.meta.filename && canJoin()) await joinBuild();

/** Whether this Node runs the bundler. */
export function canJoin() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > NODE_WANTED[0] || (major === NODE_WANTED[0] && minor >= NODE_WANTED[1]);
}

/**
 * Joins modules as the build does. The packages that the manifest names stay outside.
 *
 * @param input - Name of an entry to its file.
 * @param manifest - Path of the `package.json` of the package that the files belong to.
 * @param output - Options of the bundler for form and names of files.
 * @param alias - Modules that take the place of others, by the name that is imported.
 * @returns Files as `{fileName, code, modules}`.
 */
export async function joinModules(input, { manifest, output = {}, alias = {} }) {
  if (Object.keys(input).length === 0) return [];
  const { rolldown } = await import('rolldown');
  const outside = outsidePackages(manifest);
  const bundle = await rolldown({
    input,
    platform: 'node',
    resolve: { alias },
    external: (id) => UNUSED.test(id) || outside.has(packageOf(id)),
    onLog: refuseUnresolved,
  });
  const made = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name].js`,
    comments: false,
    codeSplitting: { groups: [CHARTS] },
    ...output,
  });
  return made.output;
}

function outsidePackages(manifest) {
  const { dependencies, peerDependencies, name } = JSON.parse(readFileSync(manifest, 'utf8'));
  const outside = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })]);
  outside.delete(SHARED);
  return outside;
}

function packageOf(id) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

async function joinBuild() {
  const manifest = join(CHECKOUT, 'package.json');
  const entries = ENTRIES.map((name) => [name, join(DIST, `${name}.js`)]);
  const program = await joinModules(Object.fromEntries(entries), { manifest, alias: ALIASES });
  const threads = await joinModules(await listThreadModules(), {
    manifest,
    output: {
      entryFileNames: ({ name }) => (WORKER.test(`${name}.mjs`) ? '[name].mjs' : '[name].js'),
      chunkFileNames: `${CHUNKS}/threads/[name].js`,
    },
  });
  const native = await joinNative(manifest);
  const output = [...program, ...threads, ...native];
  const own = output.map(({ fileName }) => fileName);
  const others = output.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  for (const id of others) if (!own.includes(id) && isMissing(id)) refuse(`${LACKING} ${id}`);
  for (const folder of [CHUNKS, EXCHANGES, NATIVE.folder]) {
    rmSync(join(DIST, folder), { recursive: true, force: true });
  }
  mkdirSync(join(DIST, CHUNKS));
  for (const { fileName, code } of output) {
    mkdirSync(dirname(join(DIST, fileName)), { recursive: true });
    writeFileSync(join(DIST, fileName), code);
  }
  for (const { from, to } of FOLDERS) copyFolder(join(CHECKOUT, from), join(DIST, to));
  writeFileSync(NOTICES, notices(output.flatMap(({ modules }) => Object.keys(modules))));
  // They would map to what the compiler wrote.
  for (const name of own) rmSync(join(DIST, `${name}.map`), { force: true });
}

async function listThreadModules() {
  const workers = readdirSync(DIST, { recursive: true }).filter((path) => WORKER.test(path));
  const files = workers.map((path) => [path.replace(/\.mjs$/, ''), join(DIST, path)]);
  return Object.fromEntries([...files, ...(await listExchanges())]);
}

/** Joins a package as one CommonJS file, which finds native code beside itself. */
async function joinNative(manifest) {
  if (!existsSync(join(CHECKOUT, 'node_modules', NATIVE.name))) return [];
  const file = fileURLToPath(import.meta.resolve(NATIVE.name));
  const output = { format: 'cjs', entryFileNames: '[name].cjs' };
  return joinModules({ [`${NATIVE.folder}/${NATIVE.name}`]: file }, { manifest, output });
}

function copyFolder(from, to) {
  if (existsSync(from)) cpSync(from, to, { recursive: true, dereference: true });
}

/** The exchanges that are read through ccxt, out of more than a hundred that the package has. */
async function listExchanges() {
  if (!existsSync(join(DIST, VENUES))) return [];
  const { CCXT_VENUES } = await import(pathToFileURL(join(DIST, VENUES)).href);
  const folder = new URL('./src/', import.meta.resolve('ccxt'));
  return CCXT_VENUES.map(({ id }) => {
    return [`${EXCHANGES}/${id}`, fileURLToPath(new URL(`${id}.js`, folder))];
  });
}

// The bundler leaves a module that it does not find as it is, with a warning.
function refuseUnresolved(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT') refuse(`${LACKING} ${log.message}`);
  // Joining can rename what the text refers to.
  if (log.code === 'EVAL') refuse(`A module with a direct eval cannot be joined: ${log.message}`);
  handle(level, log);
}

/** Whether a package that stays outside the joined files cannot be loaded. */
function isMissing(id) {
  if (isBuiltin(id) || UNUSED.test(id)) return false;
  try {
    return !existsSync(fileURLToPath(import.meta.resolve(id)));
  } catch {
    return true;
  }
}

function refuse(what) {
  process.stderr.write(`${what}\n`);
  process.exit(INCOMPLETE);
}

/**
 * The licences of the packages whose modules were joined.
 *
 * @param modules - Their files.
 */
export function notices(modules) {
  const roots = modules.map(packageRoot).filter((root) => root !== undefined);
  const texts = [...new Set(roots)].sort().map((root) => {
    const { name, version, license, repository } = readManifest(root);
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license']
      .map((each) => join(root, each))
      .find((each) => existsSync(each));
    const text = file === undefined ? '' : readFileSync(file, 'utf8').trim();
    const source = repository?.url ?? repository ?? '';
    return `${name} ${version} (${license}) ${source}\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}

function readManifest(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

/** The folder of a module's package. A package can have others inside it without a manifest. */
function packageRoot(id) {
  const [root] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
  if (root === undefined || existsSync(join(root, 'package.json'))) return root;
  return packageRoot(dirname(dirname(root)));
}
