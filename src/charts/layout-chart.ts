import type { MachineGraph } from '../domain/inspect/graph.ts';
import type { ChartLayout, ChartWidth } from './chart-layout.ts';
import { layoutNarrow } from './narrow-layout.ts';
import { layoutWide } from './wide-layout.ts';

/**
 * Computes the layout of a machine's chart. The same graph gives the same layout. Wide charts have
 * up to about 1,200 pixels; narrow ones have 360 pixels unless their arrows need more.
 */
export async function layoutChart(
  graph: MachineGraph,
  { width }: { readonly width: ChartWidth },
): Promise<ChartLayout> {
  return width === 'wide' ? layoutWide(graph) : layoutNarrow(graph);
}
