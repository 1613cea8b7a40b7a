import type { MachineGraph } from '../../domain/inspect/graph.ts';
import { buildMachineGraph, type NamedMachine } from '../../machines/graph/machine-graph.ts';
import type { HttpReply } from '../../transport/http/host.ts';

const WIDTHS = ['wide', 'narrow'] as const;
const TYPES = {
  json: 'application/json',
  mmd: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  css: 'text/css; charset=utf-8',
};
const HEADERS = ['cache-control', 'no-cache', 'x-content-type-options', 'nosniff'];

/** Draws the charts of machines when a page asks for them, each once. */
export class LiveCharts {
  readonly #machines: ReadonlyMap<string, NamedMachine>;
  readonly #drawn = new Map<string, Promise<string>>();

  constructor(machines: readonly NamedMachine[]) {
    this.#machines = new Map(machines.map((machine) => [machine.kind, machine]));
  }

  /** Returns a file of the folder of charts, such as `index.json` or `order.wide.svg`. */
  async read(name: string): Promise<HttpReply> {
    const draw = this.#find(decodeName(name));
    if (draw === undefined) return { status: 404, headers: HEADERS, body: 'not found\n' };
    const drawn = this.#drawn.get(name) ?? draw();
    this.#drawn.set(name, drawn);
    drawn.catch(() => this.#drawn.delete(name));
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
    return { status: 200, headers: ['content-type', type, ...HEADERS], body: await drawn };
  }

  #find(name: string): (() => Promise<string>) | undefined {
    if (name === 'index.json') return async () => JSON.stringify([...this.#graphs()].map(toLine));
    if (name === 'chart.css') {
      return async () => (await import('../../charts/chart-style.ts')).pageStyle();
    }
    for (const machine of this.#machines.values()) {
      const graph = (): MachineGraph => buildMachineGraph(machine);
      if (name === `${machine.kind}.json`) {
        return async () => (await import('../../charts/graph-json.ts')).serializeGraph(graph());
      }
      if (name === `${machine.kind}.mmd`) {
        return async () => (await import('../../charts/draw-mermaid.ts')).drawMermaid(graph());
      }
      const width = WIDTHS.find((each) => name === `${machine.kind}.${each}.svg`);
      if (width !== undefined) return () => drawChart(graph(), width);
    }
    return undefined;
  }

  *#graphs(): Generator<MachineGraph> {
    for (const machine of this.#machines.values()) yield buildMachineGraph(machine);
  }
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Loads the layout late: it takes most of the time of a first chart. */
async function drawChart(graph: MachineGraph, width: (typeof WIDTHS)[number]): Promise<string> {
  const { layoutChart } = await import('../../charts/layout-chart.ts');
  const { drawSvg } = await import('../../charts/draw-svg.ts');
  return drawSvg(graph, await layoutChart(graph, { width }));
}

function toLine({ kind, version, title, states, transitions }: MachineGraph) {
  return { kind, version, title, states: states.length, transitions: transitions.length };
}
