import { writeFileSync } from 'node:fs';
import type { ChartWidth } from '../../charts/chart-layout.ts';
import { drawMermaid } from '../../charts/draw-mermaid.ts';
import { drawSvg } from '../../charts/draw-svg.ts';
import { serializeGraph } from '../../charts/graph-json.ts';
import { layoutChart } from '../../charts/layout-chart.ts';
import { AppError } from '../../domain/common/error.ts';
import type { MachineGraph } from '../../domain/inspect/graph.ts';
import { MACHINES } from '../../machines/common/registry.ts';
import { buildMachineGraph } from '../../machines/graph/machine-graph.ts';
import type { Input } from '../common/usage.ts';
import type { DEVELOP } from '../usage/develop.ts';
import { loadGraph } from './machine-module.ts';

/** `stoa machine list`: lists the machines. */
export function list(): number {
  process.stdout.write(formatList());
  return 0;
}

/** `stoa machine export`: exports the chart of a machine. */
export async function exportChart(asked: Input<typeof DEVELOP.machineExport>): Promise<number> {
  const { machine, format, width, out } = asked;
  const text = await renderChart(await loadGraph(machine), format, width);
  if (out === undefined) process.stdout.write(text);
  else writeChart(out, text);
  return 0;
}

async function renderChart(
  graph: MachineGraph,
  format: Input<typeof DEVELOP.machineExport>['format'],
  width: ChartWidth,
): Promise<string> {
  switch (format) {
    case 'svg':
      return drawSvg(graph, await layoutChart(graph, { width }));
    case 'mermaid':
      return drawMermaid(graph);
    case 'json':
      return serializeGraph(graph);
  }
}

function formatList(): string {
  const graphs = MACHINES.map((row) => buildMachineGraph(row));
  const widest = Math.max(...graphs.map(({ kind }) => kind.length));
  const lines = graphs.map(({ kind, version, title, states, transitions }) => {
    const counts = `${states.length - 1} states, ${transitions.length} transitions`;
    return `${kind.padEnd(widest)}  version ${version}  ${counts}  ${title}`;
  });
  return `${lines.join('\n')}\n`;
}

function writeChart(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const message = `The file ${path} cannot be written: ${String((cause as Error).message)}`;
    throw new AppError('CONFIG_INVALID', { message, cause });
  }
}
