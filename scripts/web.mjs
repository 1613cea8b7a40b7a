// Builds the console from web/ into dist/web: hashed files, the page of a result, the charts, and
// each file's .br and .gz beside it. The inspector of a program goes into dist/inspector-page.
// Writes only what has changed, so that a running server keeps its files. Fails when the page is
// over its size.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { CHECKOUT, filesUnder } from './lib/checkout.mjs';

const ROOT = join(CHECKOUT, 'web');
const OUT = join(CHECKOUT, 'dist', 'web');
const INSPECTOR_OUT = join(CHECKOUT, 'dist', 'inspector-page');
const CHARTS = 'charts';
/** What all files of the page may come to together, compressed by brotli; charts are beside it. */
const PAGE_BYTES_MAX = 300 * 1024;
const TEXTS = new Set(['.html', '.js', '.css', '.svg', '.json']);
// Below this a compressed file is hardly smaller than the plain one.
const COMPRESSED_FROM_BYTES = 512;
/** Vite's own demand. An older Node runs Stoa, but cannot build the console. */
const NODE_WANTED = [20, 19];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < NODE_WANTED[0] || (major === NODE_WANTED[0] && minor < NODE_WANTED[1])) {
  say(`the console is not built: that needs Node ${NODE_WANTED.join('.')} or newer`);
} else {
  await buildAll();
}

async function buildAll() {
  const console = { console: 'index.html', home: 'src/home/home.ts' };
  const pageBytes = writePage(OUT, [...(await bundle(OUT, console)), await bundleResult()]);
  writePage(INSPECTOR_OUT, await bundleInspector());
  if (!drawCharts()) {
    process.exitCode = 1;
    return;
  }
  const charts = filesUnder(join(OUT, CHARTS));
  for (const file of charts) writeCompressed(file);
  // A chart that is gone leaves its compressed forms behind.
  const orphans = charts.filter((path) => !existsSync(path.replace(/\.(br|gz)$/, '')));
  for (const path of orphans) rmSync(path);
  const kilobytes = (pageBytes / 1024).toFixed(1);
  if (pageBytes <= PAGE_BYTES_MAX) return;
  say(`the console has ${kilobytes} KiB compressed; ${PAGE_BYTES_MAX / 1024} are allowed`);
  process.exitCode = 1;
}

/** The page that a library carries, whose charts are drawn while it runs. */
async function bundleInspector() {
  const files = await bundle(INSPECTOR_OUT, { inspector: 'inspector.html' });
  const page = join(INSPECTOR_OUT, 'inspector.html');
  return files.map((file) =>
    file.path === page ? { ...file, path: join(INSPECTOR_OUT, 'index.html') } : file,
  );
}

/** The files of a page as `{path, bytes}`. */
async function bundle(out, input) {
  const { build } = await import('vite');
  const { output } = await build({
    configFile: false,
    root: ROOT,
    base: '/console/',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      // Everything is a file of its own: the policy of the page allows nothing inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(input).map(([name, file]) => [name, join(ROOT, file)]),
        ),
        // The home page of the server names its script, so that name has no hash.
        output: {
          entryFileNames: ({ name }) => (name === 'home' ? 'home.js' : 'assets/[name]-[hash].js'),
        },
      },
    },
  });
  return output.map((file) => ({
    path: join(out, file.fileName),
    bytes: Buffer.from(file.type === 'chunk' ? file.code : file.source),
  }));
}

/** The page of a result, whole in one file: hosts of MCP Apps load nothing beside it. */
async function bundleResult() {
  const { build } = await import('vite');
  const { output } = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(ROOT, 'src', 'result', 'result.tsx'),
        output: { format: 'iife' },
      },
    },
  });
  const script = output.find(({ type }) => type === 'chunk').code.replaceAll('</', '<\\/');
  const style = readFileSync(join(ROOT, 'src', 'result', 'result.css'), 'utf8');
  const page =
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    '<title>Stoa result</title>' +
    `<style>${style}</style></head><body></body><script>${script}</script></html>`;
  return { path: join(OUT, 'result.html'), bytes: Buffer.from(page) };
}

/** Brings a folder to exactly these files. Returns their compressed size. */
function writePage(out, files) {
  const wanted = new Set(files.flatMap(({ path }) => [path, `${path}.br`, `${path}.gz`]));
  for (const { path, bytes } of files) writeChanged(path, bytes);
  const total = files.reduce((sum, { path }) => sum + writeCompressed(path), 0);
  const old = filesUnder(out).filter((path) => !wanted.has(path) && !isChart(path));
  for (const path of old) rmSync(path);
  return total;
}

// A program of its own: it loads the built machines, and a broken one must not stop the page.
function drawCharts() {
  const script = join(CHECKOUT, 'scripts', 'charts.mjs');
  mkdirSync(join(OUT, CHARTS), { recursive: true });
  if (!existsSync(script)) return true;
  return spawnSync(process.execPath, [script], { cwd: CHECKOUT, stdio: 'inherit' }).status === 0;
}

/** Writes the two compressed forms where they are due. Returns the size of the smaller one. */
function writeCompressed(path) {
  const bytes = readFileSync(path);
  if (!TEXTS.has(extname(path)) || bytes.length < COMPRESSED_FROM_BYTES) return bytes.length;
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
  writeChanged(`${path}.br`, brotli);
  writeChanged(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  return brotli.length;
}

function writeChanged(path, bytes) {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

function isChart(path) {
  return relative(OUT, path).startsWith(CHARTS);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
