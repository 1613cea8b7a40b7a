import elkModule, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { MachineGraph } from '../domain/inspect/graph.ts';
import type { Box, ChartLayout, Point, StateShape, TransitionShape } from './chart-layout.ts';
import {
  type Bundle,
  buildElkGraph,
  edgeId,
  hasHeadNode,
  headId,
  type LayoutPlan,
  listBundles,
  type MeasuredGraph,
  nodeId,
  type Side,
} from './elk-graph.ts';
import { layOutState, moveBox, moveLines, type StateContent } from './state-content.ts';

// The package is CommonJS, but its types describe its bundled form.
const elk: unknown = elkModule;
const Elk = elk as typeof elkModule.default;

/** Maximum width of wide charts, if any plan allows it. */
const WIDTH_MAX_PX = 1200;
const LABEL_MAX_PX = 168;
const MARGIN_PX = 1;
/** Distance from the border of a state to the line that joins the rows of a bundle. */
const JOIN_PX = 5;

/** Layout variants in order, each tried twice. The first chart within the maximum width wins. */
const LAYOUT_VARIANTS: readonly Pick<LayoutPlan, 'placement' | 'layering'>[] = [
  { placement: 'NETWORK_SIMPLEX', layering: 'NETWORK_SIMPLEX' },
  { placement: 'BRANDES_KOEPF', layering: 'MIN_WIDTH' },
];

/** Lays out a machine in layers from top to bottom, for a laptop. */
export async function layoutWide(graph: MachineGraph): Promise<ChartLayout> {
  const options = { maxPx: LABEL_MAX_PX, namesTargets: false };
  const contents = new Map(
    graph.states.map((state) => [state.id, layOutState(graph, state, options)]),
  );
  const measured = { graph, contents };
  const first = initialSides(measured);
  let best: ChartLayout | undefined;
  for (const variant of LAYOUT_VARIANTS) {
    let sides = first;
    for (let turn = 0; turn < 2; turn += 1) {
      const layout = await layOutWith(measured, { ...variant, sides });
      if (layout.widthPx <= WIDTH_MAX_PX) return layout;
      if (best === undefined || layout.widthPx < best.widthPx) best = layout;
      sides = turnSides(measured, layout);
    }
  }
  return best ?? { width: 'wide', widthPx: 0, heightPx: 0, states: [], transitions: [] };
}

async function layOutWith(set: MeasuredGraph, plan: LayoutPlan): Promise<ChartLayout> {
  return buildLayout(set, plan, await new Elk().layout(buildElkGraph(set, plan)));
}

// Final states go left and others right, so that the chart does not drift.
function initialSides({ graph }: MeasuredGraph): ReadonlyMap<string, Side> {
  const ends = new Set(graph.states.filter(({ type }) => type === 'final').map(({ id }) => id));
  return new Map(
    graph.transitions.map(({ id, targetIds: [target] }) => [
      id,
      target !== undefined && ends.has(target) ? 'WEST' : 'EAST',
    ]),
  );
}

/** Points arrows towards the sides where their targets were placed. */
function turnSides(set: MeasuredGraph, layout: ChartLayout): ReadonlyMap<string, Side> {
  const boxes = new Map(layout.states.map(({ id, box }) => [id, box]));
  const heads = new Map(layout.states.map(({ id, head }) => [id, head]));
  const initial = initialSides(set);
  const sideOf = (id: string, sourceId: string, targetId: string | undefined): Side => {
    const [source, target] = [heads.get(sourceId), boxes.get(targetId ?? sourceId)];
    if (source === undefined || target === undefined) return 'EAST';
    if (target.x + target.width < source.x) return 'WEST';
    return target.x > source.x + source.width ? 'EAST' : (initial.get(id) ?? 'EAST');
  };
  return new Map(
    set.graph.transitions.map(({ id, sourceId, targetIds: [target] }) => [
      id,
      sideOf(id, sourceId, target),
    ]),
  );
}

function buildLayout(set: MeasuredGraph, plan: LayoutPlan, placed: ElkNode): ChartLayout {
  const { graph, contents } = set;
  const nodes = new Map([...walkNodes(placed)].map((node) => [node.id, node]));
  const [root] = graph.states;
  const above =
    root === undefined || hasHeadNode(graph, root) ? 0 : contentHeight(contents.get(''));
  const down = { x: MARGIN_PX, y: above + MARGIN_PX };
  const routes = new Map((placed.edges ?? []).map((edge) => [edge.id, listPoints(edge, down)]));
  const { width = 0, height = 0 } = placed;
  const states = graph.states.map((state): StateShape => {
    const content = contents.get(state.id);
    const box = moveBox(toBox(nodes.get(nodeId(state.id))), down);
    const inner = nodes.get(headId(state.id));
    const head = inner === undefined ? { ...box } : moveBox(toBox(inner), down);
    const isRoot = state.parentId === null;
    const frame = { x: MARGIN_PX, y: MARGIN_PX, width, height: height + above };
    const top = isRoot && inner === undefined ? { ...frame, height: above } : head;
    const lines = moveLines(content?.lines ?? [], top);
    return { id: state.id, box: isRoot ? frame : box, head: top, lines };
  });
  const heads = new Map(states.map(({ id, head }) => [id, head]));
  return {
    width: 'wide',
    widthPx: Math.ceil(width + 2 * MARGIN_PX),
    heightPx: Math.ceil(height + above + 2 * MARGIN_PX),
    states,
    transitions: graph.states.flatMap(({ id }) =>
      placeTransitions(set, id, { plan, routes, heads }),
    ),
  };
}

interface PlacementContext {
  readonly plan: LayoutPlan;
  readonly routes: ReadonlyMap<string, readonly Point[]>;
  readonly heads: ReadonlyMap<string, Box>;
}

function placeTransitions(
  set: MeasuredGraph,
  id: string,
  placed: PlacementContext,
): readonly TransitionShape[] {
  const head = placed.heads.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const bundles = listBundles(set, id);
  return (set.contents.get(id)?.rows ?? []).map(({ transition, box, lines }) => {
    const bundle = bundles.find(({ rows }) => rows.some((row) => row.transition === transition));
    const moved = { ...moveBox(box, head), width: head.width };
    const routes = transition.targetIds.map((targetId, index) => ({
      targetId,
      points: bundle === undefined ? [] : computeRoute(moved, bundle, { ...placed, index }),
    }));
    return { id: transition.id, box: moved, lines: moveLines(lines, head), routes };
  });
}

/** Returns the route from the row to the arrow of its bundle, and along it. */
function computeRoute(
  row: Box,
  { key, rows }: Bundle,
  { plan, routes, index }: PlacementContext & { readonly index: number },
): readonly Point[] {
  const [start, ...rest] = routes.get(edgeId(key, index)) ?? [];
  const rowY = row.y + row.height / 2;
  if (start === undefined) return [];
  if (rows.length === 1 || Math.abs(rowY - start.y) < 1) return [start, ...rest];
  const join = start.x + (plan.sides.get(key) === 'WEST' ? -JOIN_PX : JOIN_PX);
  return [{ x: start.x, y: rowY }, { x: join, y: rowY }, { x: join, y: start.y }, ...rest];
}

function* walkNodes(node: ElkNode): Generator<ElkNode> {
  yield node;
  for (const child of node.children ?? []) yield* walkNodes(child);
}

function listPoints(edge: ElkExtendedEdge, by: Point): readonly Point[] {
  return (edge.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x: x + by.x, y: y + by.y })),
  );
}

function toBox(node: ElkNode | undefined): Box {
  const { x = 0, y = 0, width = 0, height = 0 } = node ?? {};
  return { x, y, width, height };
}

function contentHeight(content: StateContent | undefined): number {
  return content?.heightPx ?? 0;
}
