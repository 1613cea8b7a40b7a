// Writes the documents that follow from the code, out of the build: docs/errors.md, docs/tools.md,
// docs/controls.md, docs/machines/*.md and their charts, and the tables of docs/retention.md and
// docs/proofs.md; and docs/clients.md out of its test. `--check` writes nothing and fails where one
// would change. `--source` reads the sources and needs no build.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT } from './lib/checkout.mjs';
import { clientsPage } from './lib/clients-page.mjs';
import { controlsPage } from './lib/controls-page.mjs';
import { errorsPage } from './lib/errors-page.mjs';
import { machinePage } from './lib/machine-page.mjs';
import { proofsPage } from './lib/proofs-page.mjs';
import { retentionPage } from './lib/retention-page.mjs';
import { toolsPage } from './lib/tools-page.mjs';
import { importTypeScript } from './lib/typescript-module.mjs';

const MACHINES = 'docs/machines';
const isFromSource = process.argv.includes('--source');
const loaded = new Map();
const pages = await collectPages();
const changed = [...pages].filter(([path, text]) => read(path) !== text).map(([path]) => path);
const gone = machinePagesOnDisk().filter((path) => !pages.has(path));
if (process.argv.includes('--check')) complain();
else writePages();

async function collectPages() {
  const { ERRORS } = await built('domain/common/error.js');
  const found = new Map([['docs/errors.md', errorsPage(ERRORS)]]);
  const clients = await importTypeScript('test/clients/expected.ts');
  found.set('docs/clients.md', clientsPage(clients));
  if (isBuilt('domain/control/control-catalog.js')) {
    const [catalog, view] = await Promise.all(
      ['control-catalog', 'control-view'].map((name) => built(`domain/control/${name}.js`)),
    );
    found.set('docs/controls.md', controlsPage(catalog, view));
  }
  if (isBuilt('tools/service/catalog.js')) {
    const catalogs = ['tools/service/catalog.js', 'tools/service/hosting-catalog.js'].map(built);
    found.set('docs/tools.md', toolsPage(Object.assign({}, ...(await Promise.all(catalogs)))));
  }
  const tables = [
    ['docs/retention.md', retentionPage, 'store/common/families.js', 'FAMILY_BOUNDS'],
    ['docs/proofs.md', proofsPage, 'domain/proof/kinds.js', 'PROOF_KINDS'],
  ];
  for (const [page, write, module, name] of tables) {
    if (isBuilt(module)) found.set(page, write(read(page) ?? '', (await built(module))[name]));
  }
  if (!isBuilt('machines/common/registry.js')) return found;
  const { MACHINES: registered } = await built('machines/common/registry.js');
  const { buildMachineGraph } = await built('machines/graph/machine-graph.js');
  const words = await built('charts/describe-graph.js');
  for (const graph of registered.map((row) => buildMachineGraph(row))) {
    found.set(`${MACHINES}/${graph.kind}.md`, machinePage(graph, words));
    found.set(`${MACHINES}/${graph.kind}.svg`, await chartOf(graph));
  }
  return found;
}

async function chartOf(graph) {
  const { layoutChart } = await built('charts/layout-chart.js');
  const { drawSvg } = await built('charts/draw-svg.js');
  return drawSvg(graph, await layoutChart(graph, { width: 'wide' }));
}

function complain() {
  for (const path of [...changed, ...gone]) {
    process.stdout.write(`${path} is not what the code says: node scripts/docs.mjs\n`);
  }
  process.exitCode = changed.length + gone.length === 0 ? 0 : 1;
}

function writePages() {
  for (const path of changed) {
    mkdirSync(dirname(join(CHECKOUT, path)), { recursive: true });
    writeFileSync(join(CHECKOUT, path), pages.get(path));
    process.stdout.write(`wrote ${path}\n`);
  }
  for (const path of gone) rmSync(join(CHECKOUT, path));
}

function machinePagesOnDisk() {
  const folder = join(CHECKOUT, MACHINES);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => `${MACHINES}/${name}`);
}

function read(path) {
  const file = join(CHECKOUT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function isBuilt(path) {
  return isFromSource || existsSync(join(CHECKOUT, 'dist', path));
}

/** Imports a built module, or the same from its source. */
async function built(path) {
  if (!isFromSource) return import(pathToFileURL(join(CHECKOUT, 'dist', path)).href);
  if (!loaded.has(path)) {
    loaded.set(path, await importTypeScript(`src/${path.replace(/\.js$/, '.ts')}`));
  }
  return loaded.get(path);
}
