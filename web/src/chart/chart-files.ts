import type { MachineGraph } from '../../../src/domain/inspect/graph.ts';

/** Layout of a chart: for laptops or for phones. */
export type ChartWidth = 'wide' | 'narrow';

/** A built chart: the graph of its machine and its SVG text. */
export interface ChartFiles {
  readonly graph: MachineGraph;
  readonly svg: string;
}

const chartCache = new Map<string, Promise<ChartFiles | null>>();

/** Loads the chart of a machine once; `null` if there is none. A failure is retried next time. */
export function loadChart(kind: string, width: ChartWidth): Promise<ChartFiles | null> {
  const key = `${kind}.${width}`;
  const begun = chartCache.get(key) ?? fetchChart(kind, width);
  chartCache.set(key, begun);
  begun.catch(() => chartCache.delete(key));
  return begun;
}

let kindsPromise: Promise<ReadonlySet<string>> | undefined;

/** Loads the kinds of machines that have a chart, once. */
async function loadChartKinds(): Promise<ReadonlySet<string>> {
  kindsPromise ??= fetch('/console/charts/index.json').then(async (answer) => {
    // Written by our build: one entry per machine.
    if (!isFound(answer)) return new Set<string>();
    const lines = (await answer.json()) as readonly { readonly kind: string }[];
    return new Set(lines.map(({ kind }) => kind));
  });
  try {
    return await kindsPromise;
  } catch (thrown) {
    kindsPromise = undefined;
    throw thrown;
  }
}

async function fetchChart(kind: string, width: ChartWidth): Promise<ChartFiles | null> {
  if (!(await loadChartKinds()).has(kind)) return null;
  const base = `/console/charts/${encodeURIComponent(kind)}`;
  const [graph, svg] = await Promise.all([fetch(`${base}.json`), fetch(`${base}.${width}.svg`)]);
  if (![graph, svg].every(isFound)) return null;
  // Written by our build together with the chart.
  return { graph: (await graph.json()) as MachineGraph, svg: await svg.text() };
}

/** Returns false on 404, a missing file. Throws on other errors, which may be temporary. */
function isFound({ ok, status }: Response): boolean {
  if (!ok && status !== 404) throw new TypeError(`The server returned HTTP ${status}.`);
  return ok;
}
