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
import { readArguments } from '../common/flags.ts';
import { loadGraph } from './machine-module.ts';

const ACTIONS = ['list', 'export'] as const;
const FORMATS = ['svg', 'mermaid', 'json'] as const;
const WIDTHS: readonly ChartWidth[] = ['wide', 'narrow'];

type Format = (typeof FORMATS)[number];

const FLAGS = {
  format: { type: 'string', default: 'svg' },
  width: { type: 'string', default: 'wide' },
  out: { type: 'string' },
} as const;

/**
 * `stoa machine list`, and `stoa machine export <kind|file[#export]> [--format svg|mermaid|json]
 * [--width wide|narrow] [--out file]`: lists machines, or exports the chart of one.
 */
export async function machine(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(argv, FLAGS);
  const [action, name, ...others] = positionals;
  const unexpected = requireOneOf(ACTIONS, action, 'action') === 'list' ? name : others[0];
  if (unexpected !== undefined)
    throw usageError(`Unexpected argument ${JSON.stringify(unexpected)}.`);
  if (action === 'list') {
    process.stdout.write(formatList());
    return 0;
  }
  if (name === undefined) throw usageError('The machine is missing. Pass a kind or a module file.');
  const format = requireOneOf(FORMATS, values.format, '--format');
  const width = requireOneOf(WIDTHS, values.width, '--width');
  const text = await renderChart(await loadGraph(name), format, width);
  if (values.out === undefined) process.stdout.write(text);
  else writeChart(values.out, text);
  return 0;
}

async function renderChart(
  graph: MachineGraph,
  format: Format,
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
    throw usageError(
      `The file ${path} cannot be written: ${String((cause as Error).message)}`,
      cause,
    );
  }
}

function requireOneOf<T extends string>(
  allowed: readonly T[],
  given: string | undefined,
  what: string,
): T {
  const found = allowed.find((each) => each === given);
  if (found !== undefined) return found;
  const got = given === undefined ? 'missing' : JSON.stringify(given);
  throw usageError(`The ${what} is ${got}; it must be one of ${allowed.join(', ')}.`);
}

function usageError(message: string, cause?: unknown): AppError {
  return new AppError('CONFIG_INVALID', { message, ...(cause === undefined ? {} : { cause }) });
}
