/**
 * State charts of XState machines: as SVG, as Mermaid text, and as plain data.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
import { buildMachineGraph, type NamedMachine } from '../machines/graph/machine-graph.ts';
import { drawSvg } from './draw-svg.ts';

export type { MachineGraph } from '../domain/inspect/graph.ts';
export type { NamedMachine } from '../machines/graph/machine-graph.ts';
export { buildMachineGraph } from '../machines/graph/machine-graph.ts';
export { drawMermaid } from './draw-mermaid.ts';

/**
 * Draws the chart of a machine. The same machine gives the same chart.
 *
 * @returns A whole SVG document, up to about 1,200 pixels wide.
 *
 * @example
 * const svg = await drawChart({ kind: 'order', version: 1, title: 'Order', machine });
 */
export async function drawChart(machine: NamedMachine): Promise<string> {
  // Loaded late: the layout takes 2 MB, which Mermaid text does not need.
  const { layoutChart } = await import('./layout-chart.ts');
  const graph = buildMachineGraph(machine);
  return drawSvg(graph, await layoutChart(graph, { width: 'wide' }));
}
