import type { GraphState, MachineGraph } from '../domain/inspect/graph.ts';
import type {
  Box,
  ChartLayout,
  Point,
  Route,
  StateShape,
  TransitionShape,
} from './chart-layout.ts';
import { layOutState, moveBox, moveLines, PAD_PX, type StateContent } from './state-content.ts';

const WIDTH_PX = 360;
/** Minimum column width for text. If space is short, the chart gets wider instead. */
const COLUMN_MIN_PX = 190;
const LANE_PX = { usual: 8, least: 5 } as const;
const GUTTER_PX = 9;
const FRAME_PX = 1;
const INSET_PX = 8;
const GAP_PX = 10;
/** Vertical entry of arrows: the middle of the first title line. */
const ENTRY_PX = PAD_PX + 7;

/**
 * Lays out a machine as one column of states in definition order, for a phone. Arrows run in lanes
 * beside it: down on the right, up on the left, one lane per target.
 */
export function layoutNarrow(graph: MachineGraph): ChartLayout {
  const lanes = assignGraphLanes(graph);
  const frame = computeFrame(lanes);
  const column = new StateColumn(graph, frame);
  const bottom = column.place();
  const shapes = column.shapes;
  return {
    width: 'narrow',
    widthPx: frame.widthPx,
    heightPx: Math.ceil(bottom + FRAME_PX),
    states: shapes.map(({ shape }) => shape),
    transitions: placeTransitions(graph, shapes, { lanes, frame }),
  };
}

interface Lanes {
  readonly right: ReadonlyMap<string, number>;
  readonly left: ReadonlyMap<string, number>;
}

/** Lanes depend only on the order of lines, so they are computed before any width. */
function assignGraphLanes(graph: MachineGraph): Lanes {
  const heads = new Map<string, number>();
  const rows = new Map<string, number>();
  let position = 0;
  for (const { id } of graph.states) {
    heads.set(id, position++);
    for (const { id: row, sourceId } of graph.transitions)
      if (sourceId === id) rows.set(row, position++);
  }
  const stretches = { right: new Map<string, LaneRange>(), left: new Map<string, LaneRange>() };
  for (const { id, targetIds } of graph.transitions) {
    for (const key of targetIds) {
      const [from, to] = [rows.get(id) ?? 0, heads.get(key) ?? 0];
      const side = stretches[from < to ? 'right' : 'left'];
      const existing = side.get(key) ?? { key, first: from, last: from };
      const first = Math.min(existing.first, from, to);
      side.set(key, { key, first, last: Math.max(existing.last, from, to) });
    }
  }
  return {
    right: assignLanes([...stretches.right.values()]),
    left: assignLanes([...stretches.left.values()]),
  };
}

interface Frame {
  readonly widthPx: number;
  readonly lanePx: number;
  readonly columnLeft: number;
  readonly columnRight: number;
}

function computeFrame({ left, right }: Lanes): Frame {
  const [leftCount, rightCount] = [left, right].map((side) => Math.max(-1, ...side.values()) + 1);
  const count = (leftCount ?? 0) + (rightCount ?? 0);
  const forLanes = WIDTH_PX - 2 * FRAME_PX - 2 * GUTTER_PX - COLUMN_MIN_PX;
  const lanePx = Math.max(LANE_PX.least, Math.min(LANE_PX.usual, forLanes / Math.max(1, count)));
  const columnLeft = FRAME_PX + GUTTER_PX + lanePx * (leftCount ?? 0);
  const gutterRight = FRAME_PX + GUTTER_PX + lanePx * (rightCount ?? 0);
  const widthPx = Math.max(WIDTH_PX, Math.ceil(columnLeft + COLUMN_MIN_PX + gutterRight));
  return { widthPx, lanePx, columnLeft, columnRight: widthPx - gutterRight };
}

interface PlacedState {
  readonly shape: StateShape;
  readonly content: StateContent;
}

/** Stacks states, each as wide as its nesting level allows. */
class StateColumn {
  readonly #graph: MachineGraph;
  readonly #frame: Frame;
  readonly #placed = new Map<string, PlacedState>();

  constructor(graph: MachineGraph, frame: Frame) {
    this.#graph = graph;
    this.#frame = frame;
  }

  /** In graph order, in which borders cover each other. */
  get shapes(): readonly PlacedState[] {
    return this.#graph.states.flatMap(({ id }) => this.#placed.get(id) ?? []);
  }

  /** @returns The lower end of the chart. */
  place(): number {
    const [root] = this.#graph.states;
    if (root === undefined) return 0;
    const { columnLeft, columnRight, widthPx } = this.#frame;
    const width = columnRight - columnLeft;
    const content = this.#measureContent(root, width);
    const head = { x: columnLeft, y: FRAME_PX, width, height: content.heightPx };
    const end = this.#placeChildren(root, { x: columnLeft, y: FRAME_PX + content.heightPx, width });
    const bottom = end + GAP_PX;
    const box = {
      x: FRAME_PX,
      y: FRAME_PX,
      width: widthPx - 2 * FRAME_PX,
      height: bottom - FRAME_PX,
    };
    this.#store(root, content, { box, head });
    return bottom;
  }

  #placeChildren(parent: GraphState, { x, y, width }: Point & { readonly width: number }): number {
    const children = this.#graph.states.filter(({ parentId }) => parentId === parent.id);
    let end = y;
    for (const [index, child] of children.entries()) {
      end = this.#placeState(child, { x, y: end + (index === 0 ? 2 : GAP_PX), width });
    }
    return end;
  }

  #placeState(state: GraphState, { x, y, width }: Point & { readonly width: number }): number {
    const content = this.#measureContent(state, width);
    const inner = { x: x + INSET_PX, y: y + content.heightPx, width: width - 2 * INSET_PX };
    const end = this.#placeChildren(state, inner);
    const bottom = end === inner.y ? end : end + INSET_PX;
    const box = { x, y, width, height: bottom - y };
    this.#store(state, content, { box, head: { ...box, height: content.heightPx } });
    return bottom;
  }

  #measureContent(state: GraphState, width: number): StateContent {
    const options = { maxPx: width - 2 * PAD_PX, namesTargets: true };
    return layOutState(this.#graph, state, options);
  }

  #store(state: GraphState, content: StateContent, boxes: Pick<StateShape, 'box' | 'head'>): void {
    const lines = moveLines(content.lines, boxes.head);
    this.#placed.set(state.id, { shape: { id: state.id, ...boxes, lines }, content });
  }
}

interface RouteContext {
  readonly lanes: Lanes;
  readonly frame: Frame;
}

function placeTransitions(
  graph: MachineGraph,
  placed: readonly PlacedState[],
  context: RouteContext,
): readonly TransitionShape[] {
  const shapes = new Map(placed.map(({ shape }) => [shape.id, shape]));
  const order = new Map(graph.states.map(({ id }, index) => [id, index]));
  return placed.flatMap(({ shape, content }) =>
    content.rows.map(({ transition, box: row, lines }) => {
      const box = { ...moveBox(row, shape.head), width: shape.head.width };
      const routes = transition.targetIds.flatMap((targetId): Route[] => {
        const target = shapes.get(targetId);
        if (target === undefined) return [];
        const isDown = (order.get(shape.id) ?? 0) < (order.get(targetId) ?? 0);
        return [{ targetId, points: computeRoute(box, target, { ...context, isDown }) }];
      });
      return { id: transition.id, box, lines: moveLines(lines, shape.head), routes };
    }),
  );
}

function computeRoute(
  row: Box,
  target: StateShape,
  { lanes, frame, isDown }: RouteContext & { readonly isDown: boolean },
): readonly Point[] {
  const number = (isDown ? lanes.right : lanes.left).get(target.id) ?? 0;
  const away = GUTTER_PX + number * frame.lanePx;
  const lane = isDown ? frame.columnRight + away : frame.columnLeft - away;
  const from = { x: isDown ? row.x + row.width : row.x, y: row.y + row.height / 2 };
  const edge = target.id === '' ? target.head : target.box;
  const to = { x: isDown ? edge.x + edge.width : edge.x, y: target.box.y + ENTRY_PX };
  return [from, { x: lane, y: from.y }, { x: lane, y: to.y }, to];
}

/** A range of a column that a lane must keep free. */
interface LaneRange {
  readonly key: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Assigns lanes so that ranges in the same lane do not overlap. Short ranges get the inner lanes.
 *
 * @returns Lane numbers by key; 0 is the innermost.
 */
export function assignLanes(stretches: readonly LaneRange[]): ReadonlyMap<string, number> {
  const lanes: LaneRange[][] = [];
  const found = new Map<string, number>();
  for (const stretch of [...stretches].sort(compareByLength)) {
    const freeIndex = lanes.findIndex((laneRanges) =>
      laneRanges.every((other) => isDisjoint(stretch, other)),
    );
    const lane = freeIndex === -1 ? lanes.length : freeIndex;
    lanes[lane] = [...(lanes[lane] ?? []), stretch];
    found.set(stretch.key, lane);
  }
  return found;
}

function compareByLength(a: LaneRange, b: LaneRange): number {
  return a.last - a.first - (b.last - b.first) || a.first - b.first || (a.key < b.key ? -1 : 1);
}

function isDisjoint(a: LaneRange, b: LaneRange): boolean {
  return a.last < b.first || b.last < a.first;
}
