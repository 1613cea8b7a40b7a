import type { ElkExtendedEdge, ElkNode, ElkPort } from 'elkjs/lib/elk.bundled.js';
import type { GraphState, GraphTransition, MachineGraph } from '../domain/inspect/graph.ts';
import type { StateContent, TransitionRow } from './state-content.ts';

/** The side of a row where an arrow starts. */
export type Side = 'EAST' | 'WEST';

/** A layout variant. */
export interface LayoutPlan {
  readonly placement: 'NETWORK_SIMPLEX' | 'BRANDES_KOEPF';
  readonly layering: 'NETWORK_SIMPLEX' | 'MIN_WIDTH';
  /** Sides of transitions by id; east by default. */
  readonly sides: ReadonlyMap<string, Side>;
}

/** A machine with the measured text lines of its states. */
export interface MeasuredGraph {
  readonly graph: MachineGraph;
  readonly contents: ReadonlyMap<string, StateContent>;
}

/** Adjacent rows of one state with the same targets, which share an arrow. */
export interface Bundle {
  readonly key: string;
  readonly sourceId: string;
  readonly targetIds: readonly string[];
  readonly rows: readonly TransitionRow[];
  /** Start of the arrow, from the top of the state. */
  readonly y: number;
}

const GRAPH_OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.randomSeed': '1',
};
const LEVEL_OPTIONS = {
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
  'elk.spacing.nodeNode': '20',
  'elk.spacing.edgeNode': '11',
  'elk.spacing.edgeEdge': '8',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.thoroughness': '20',
};
/** Distance from the corner of a state to the entry of arrows. */
const ENTRY_PX = 16;
/** ELK direction priority of edges. A higher one keeps an edge pointing down. */
const DIRECTION_PRIORITIES = { below: 100, onward: 10, back: 0 } as const;

/** Converts a machine to an ELK graph: leaves and heads are nodes, a bundle of rows is a port. */
export function buildElkGraph(measured: MeasuredGraph, plan: LayoutPlan): ElkNode {
  const level = {
    ...LEVEL_OPTIONS,
    'elk.layered.nodePlacement.strategy': plan.placement,
    'elk.layered.layering.strategy': plan.layering,
  };
  const nodeOf = (state: GraphState): ElkNode => {
    const children = listChildren(measured.graph, state.id);
    if (children.length === 0) return buildLeafNode(measured, state, plan);
    return {
      id: nodeId(state.id),
      layoutOptions: level,
      children: [...buildHeadNodes(measured, state, plan), ...children.map(nodeOf)],
    };
  };
  const [root] = measured.graph.states;
  const { layoutOptions, ...top } = root === undefined ? { id: nodeId('') } : nodeOf(root);
  return {
    ...top,
    layoutOptions: { ...level, ...layoutOptions, ...GRAPH_OPTIONS },
    edges: buildEdges(measured),
  };
}

/** Returns the bundles of a state, in row order. */
export function listBundles({ contents }: MeasuredGraph, sourceId: string): readonly Bundle[] {
  const bundles: Bundle[] = [];
  let isNeighbour = false;
  for (const row of contents.get(sourceId)?.rows ?? []) {
    const { id: key, targetIds } = row.transition;
    const last = bundles.at(-1);
    const y = row.box.y + row.box.height / 2;
    if (targetIds.length === 0) {
      isNeighbour = false;
    } else if (last !== undefined && isNeighbour && String(last.targetIds) === String(targetIds)) {
      bundles[bundles.length - 1] = { ...last, rows: [...last.rows, row], y };
    } else {
      bundles.push({ key, sourceId, targetIds, rows: [row], y });
      isNeighbour = true;
    }
  }
  return bundles;
}

/** Checks whether ELK places the head of a state. Otherwise the head is above everything. */
export function hasHeadNode(graph: MachineGraph, state: GraphState): boolean {
  const isRouted = ({ sourceId, targetIds }: GraphTransition): boolean =>
    sourceId === state.id && targetIds.length > 0;
  return state.parentId !== null || graph.transitions.some(isRouted);
}

function buildEdges(set: MeasuredGraph): ElkExtendedEdge[] {
  const { graph } = set;
  const order = new Map(graph.states.map(({ id }, index) => [id, index]));
  const bundles = graph.states.flatMap(({ id }) => listBundles(set, id));
  const arrows = bundles.flatMap(({ key, sourceId, targetIds }) =>
    targetIds.map((id, index) => {
      const isOnward = (order.get(sourceId) ?? 0) < (order.get(id) ?? 0);
      const edge = {
        id: edgeId(key, index),
        sources: [portId(key)],
        targets: [targetNodeId(graph, id)],
      };
      return {
        ...edge,
        layoutOptions: downwardOptions(
          isOnward ? DIRECTION_PRIORITIES.onward : DIRECTION_PRIORITIES.back,
        ),
      };
    }),
  );
  const below = graph.states.flatMap((state) =>
    hasHeadNode(graph, state)
      ? initialChildren(graph, state).map((child) => [state.id, child.id])
      : [],
  );
  return [
    ...arrows,
    ...below.map(([id = '', childId = '']) => ({
      id: `below ${childId}`,
      sources: [belowPortId(id)],
      targets: [targetNodeId(graph, childId)],
      layoutOptions: downwardOptions(DIRECTION_PRIORITIES.below),
    })),
  ];
}

function targetNodeId(graph: MachineGraph, id: string): string {
  return listChildren(graph, id).length > 0 ? nodeId(id) : inPortId(id);
}

/** Returns the initially entered children. An invisible edge keeps them below the state's head. */
function initialChildren(graph: MachineGraph, state: GraphState): readonly GraphState[] {
  const children = listChildren(graph, state.id);
  return children.filter(({ id }) => state.initialId === null || state.initialId === id);
}

function downwardOptions(weight: number): Record<string, string> {
  return { 'elk.layered.priority.direction': String(weight) };
}

function buildLeafNode(set: MeasuredGraph, state: GraphState, plan: LayoutPlan): ElkNode {
  const width = set.contents.get(state.id)?.widthPx ?? 0;
  const entry = createPort(inPortId(state.id), { x: entryX(set, state), y: 0, side: 'NORTH' });
  return {
    id: nodeId(state.id),
    width,
    height: set.contents.get(state.id)?.heightPx ?? 0,
    ports: [entry, ...buildOutPorts(set, state, plan)],
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS', 'elk.alignment': 'TOP' },
  };
}

// The head is a separate node, so that no arrow crosses the lines of a compound state.
function buildHeadNodes(set: MeasuredGraph, state: GraphState, plan: LayoutPlan): ElkNode[] {
  const content = set.contents.get(state.id);
  if (content === undefined || !hasHeadNode(set.graph, state)) return [];
  return [
    {
      id: headId(state.id),
      width: content.widthPx,
      height: content.heightPx,
      ports: [
        ...buildOutPorts(set, state, plan),
        createPort(belowPortId(state.id), {
          x: belowX(set, state),
          y: content.heightPx,
          side: 'SOUTH',
        }),
      ],
      layoutOptions: {
        'elk.portConstraints': 'FIXED_POS',
        'elk.alignment': 'TOP',
        'elk.layered.layering.layerConstraint': 'FIRST',
      },
    },
  ];
}

// Arrows enter on the right, but final states on the left.
function entryX({ contents }: MeasuredGraph, { id, type }: GraphState): number {
  const width = contents.get(id)?.widthPx ?? 0;
  return type === 'final' ? Math.min(width / 2, ENTRY_PX) : Math.max(width / 2, width - ENTRY_PX);
}

// Aligns the left ends of a head and of the state below it.
function belowX(set: MeasuredGraph, state: GraphState): number {
  const width = set.contents.get(state.id)?.widthPx ?? 0;
  const [first] = initialChildren(set.graph, state);
  return first === undefined ? ENTRY_PX : Math.min(entryX(set, first), width - 1);
}

function buildOutPorts(
  set: MeasuredGraph,
  state: GraphState,
  { sides }: LayoutPlan,
): readonly ElkPort[] {
  const width = set.contents.get(state.id)?.widthPx ?? 0;
  return listBundles(set, state.id).map(({ key, y }) => {
    const side = sides.get(key) ?? 'EAST';
    return createPort(portId(key), { x: side === 'EAST' ? width : 0, y, side });
  });
}

function createPort(
  id: string,
  {
    x,
    y,
    side,
  }: { readonly x: number; readonly y: number; readonly side: Side | 'NORTH' | 'SOUTH' },
): ElkPort {
  return { id, x, y, width: 0, height: 0, layoutOptions: { 'elk.port.side': side } };
}

function listChildren(graph: MachineGraph, id: string): readonly GraphState[] {
  return graph.states.filter(({ parentId }) => parentId === id);
}

/** Returns the ELK id of a state's node. */
export const nodeId = (id: string): string => `state ${id}`;
/** Returns the ELK id of the head node of a compound state. */
export const headId = (id: string): string => `head ${id}`;
/** Returns the ELK id of the edge from a bundle to one of its targets. */
export const edgeId = (key: string, index: number): string => `edge ${index} ${key}`;

const belowPortId = (id: string): string => `below ${id}`;
const inPortId = (id: string): string => `in ${id}`;
const portId = (key: string): string => `out ${key}`;
