// Draws the chart of every registered machine into dist/web/charts, out of the build: the graph as
// JSON and as Mermaid, a drawing for laptops and one for phones, the list of them, and the style
// of the page.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT, filesUnder } from './lib/checkout.mjs';

const OUT = join(CHECKOUT, 'dist', 'web', 'charts');
const WIDTHS = ['wide', 'narrow'];

const { MACHINES } = await built('machines/common/registry.js');
const { buildMachineGraph } = await built('machines/graph/machine-graph.js');
const { layoutChart } = await built('charts/layout-chart.js');
const { drawSvg } = await built('charts/draw-svg.js');
const { drawMermaid } = await built('charts/draw-mermaid.js');
const { serializeGraph } = await built('charts/graph-json.js');
const { pageStyle } = await built('charts/chart-style.js');

const files = new Map([['chart.css', pageStyle()]]);
const graphs = MACHINES.map((named) => buildMachineGraph(named));
files.set('index.json', `${JSON.stringify(graphs.map(lineOf), undefined, 2)}\n`);
for (const graph of graphs) {
  files.set(`${graph.kind}.json`, serializeGraph(graph));
  files.set(`${graph.kind}.mmd`, drawMermaid(graph));
  for (const width of WIDTHS) {
    files.set(`${graph.kind}.${width}.svg`, drawSvg(graph, await layoutChart(graph, { width })));
  }
}
writeAll();

function lineOf({ kind, version, title, states, transitions }) {
  return { kind, version, title, states: states.length, transitions: transitions.length };
}

// Only what has changed, so that a running server keeps its files.
function writeAll() {
  mkdirSync(OUT, { recursive: true });
  for (const [name, text] of files) {
    const path = join(OUT, name);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    writeFileSync(path, text);
  }
  const wanted = [...files.keys()].flatMap((name) => [name, `${name}.br`, `${name}.gz`]);
  const kept = new Set(wanted.map((name) => join(OUT, name)));
  for (const path of filesUnder(OUT)) if (!kept.has(path)) rmSync(path);
}

function built(path) {
  return import(pathToFileURL(join(CHECKOUT, 'dist', path)).href);
}
