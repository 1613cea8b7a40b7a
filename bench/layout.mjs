// How long the charts of the registered machines take to lay out, and how large they are.
//   node bench/layout.mjs [--rounds 9]
// The first layout of a process also warms the layout engine; the others are told apart from it.
import { parseArgs } from 'node:util';
import { fromDist } from './lib/dist.mjs';
import { openRows, say } from './lib/output.mjs';
import { fixed, groupBy, median, spreadPercent, table } from './lib/stats.mjs';

const WIDTHS = ['wide', 'narrow'];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const { MACHINES } = await fromDist('machines/common/registry.js');
const { buildMachineGraph } = await fromDist('machines/graph/machine-graph.js');
const { layoutChart } = await fromDist('charts/layout-chart.js');
const { drawSvg } = await fromDist('charts/draw-svg.js');

const { rows, add } = openRows('layout');
const graphs = MACHINES.map((row) => buildMachineGraph(row)).sort((a, b) => sizeOf(b) - sizeOf(a));
for (let round = 0; round <= Number(values.rounds); round += 1) {
  for (const graph of graphs) for (const width of WIDTHS) await measure(round, graph, width);
}

say('\n### layout of charts\n');
const lines = [...groupBy(rows, ({ kind, width }) => `${kind}, ${width}`)].map(([name, of]) => {
  const [first, ...warm] = of;
  const layouts = warm.map(({ layoutMs }) => layoutMs);
  return [
    name,
    `${first.states}/${first.transitions}`,
    `${first.widthPx} × ${first.heightPx}`,
    fixed(first.layoutMs, 0),
    fixed(median(layouts), 1),
    `${spreadPercent(layouts)} %`,
    fixed(median(warm.map(({ drawMs }) => drawMs)), 2),
  ];
});
const head = ['chart', 'states/transitions', 'px', 'first ms', 'layout ms', 'spread', 'SVG ms'];
say(table(head, lines));

async function measure(round, graph, width) {
  const from = performance.now();
  const layout = await layoutChart(graph, { width });
  const laidOut = performance.now();
  const bytes = Buffer.byteLength(drawSvg(graph, layout));
  const drawn = performance.now();
  const { widthPx, heightPx } = layout;
  const sizes = { states: graph.states.length - 1, transitions: graph.transitions.length };
  const times = { layoutMs: laidOut - from, drawMs: drawn - laidOut };
  add({ round, kind: graph.kind, width, ...sizes, widthPx, heightPx, bytes, ...times });
}

function sizeOf({ states, transitions }) {
  return states.length + transitions.length;
}
