import type { MachineGraph } from '../../../src/domain/inspect/graph.ts';

/** The drawing for laptops, and the one for phones. */
export type ChartWidth = 'wide' | 'narrow';

/** A drawing with what it shows; `null` where this server has none of the kind. */
export interface ChartFiles {
  readonly graph: MachineGraph;
  readonly svg: string;
}

const known = new Map<string, Promise<ChartFiles | null>>();

/** Reads the drawing of a machine once; a reading that failed is tried again the next time. */
export function readChart(kind: string, width: ChartWidth): Promise<ChartFiles | null> {
  const key = `${kind}.${width}`;
  const begun = known.get(key) ?? fetchChart(kind, width);
  known.set(key, begun);
  begun.catch(() => known.delete(key));
  return begun;
}

let drawn: Promise<ReadonlySet<string>> | undefined;

/** Kinds of machines that were drawn, asked for once. */
async function drawnKinds(): Promise<ReadonlySet<string>> {
  drawn ??= fetch('/console/charts/index.json').then(async (answer) => {
    // Written by our own build: one line a machine.
    if (!isThere(answer)) return new Set<string>();
    const lines = (await answer.json()) as readonly { readonly kind: string }[];
    return new Set(lines.map(({ kind }) => kind));
  });
  try {
    return await drawn;
  } catch (thrown) {
    drawn = undefined;
    throw thrown;
  }
}

async function fetchChart(kind: string, width: ChartWidth): Promise<ChartFiles | null> {
  if (!(await drawnKinds()).has(kind)) return null;
  const base = `/console/charts/${encodeURIComponent(kind)}`;
  const [graph, svg] = await Promise.all([fetch(`${base}.json`), fetch(`${base}.${width}.svg`)]);
  if (![graph, svg].every(isThere)) return null;
  // Written by our own build beside the drawing.
  return { graph: (await graph.json()) as MachineGraph, svg: await svg.text() };
}

/** A server that has no such file says 404; any other refusal may be another one the next time. */
function isThere({ ok, status }: Response): boolean {
  if (!ok && status !== 404) throw new TypeError(`The server answered ${status}.`);
  return ok;
}
