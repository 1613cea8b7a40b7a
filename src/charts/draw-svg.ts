import type {
  GraphState,
  GraphTransition,
  GraphTrigger,
  MachineGraph,
} from '../domain/inspect/graph.ts';
import type {
  Box,
  ChartLayout,
  Point,
  StateShape,
  TextLine,
  TransitionShape,
} from './chart-layout.ts';
import { standaloneStyle } from './chart-style.ts';
import { describeGraph, describeState, describeTransition } from './describe-graph.ts';
import { MARK_PX } from './state-content.ts';

/** SVG paths in a square of 10 by 10 pixels, drawn as strokes. */
const TRIGGER_MARKS: Readonly<Record<GraphTrigger, string>> = {
  event: 'M2 1.5 L7.5 5 L2 8.5',
  // A clock.
  after: 'M9.2 5 A4.2 4.2 0 1 1 0.8 5 A4.2 4.2 0 1 1 9.2 5 M5 2.4 V5 L6.8 6.4',
  done: 'M1 5.5 L4 8.5 L9 1.8',
  error: 'M1.5 1.5 L8.5 8.5 M8.5 1.5 L1.5 8.5',
  always: 'M1 1.5 L4.5 5 L1 8.5 M5 1.5 L8.5 5 L5 8.5',
};
/** The mark of an effect that runs while its state is active. */
const EFFECT_MARK = 'M2 1 L9 5 L2 9 Z';
/** The mark before the name of a target. */
const TARGET_MARK = 'M0.5 5 H9 M5.8 2 L9 5 L5.8 8';
/** The mark of an initial state: a dot and an arrow. */
const INITIAL_MARK = 'M3 5 H10 M7.2 2.4 L10 5 L7.2 7.6';
/** The mark of a history state. */
const HISTORY_MARK = 'M2 1 V9 M8 1 V9 M2 5 H8';

const CORNER_PX = 5;
const BORDER_RADIUS_PX = 7;
const ARROW_TIP = { lengthPx: 7, halfPx: 3.5 } as const;
const MARK_SIZE_PX = 10;

/**
 * Draws a chart as one self-contained SVG. States are `<g data-state>`, transitions `<g
 * data-transition>`, with graph ids. All colours are CSS variables.
 */
export function drawSvg(graph: MachineGraph, layout: ChartLayout): string {
  const { widthPx, heightPx } = layout;
  const states = new Map(graph.states.map((state) => [state.id, state]));
  const transitions = new Map(graph.transitions.map((transition) => [transition.id, transition]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="state-chart is-${layout.width}" role="img"` +
      ` aria-label="${escapeXml(`State chart of ${graph.title}`)}" width="${widthPx}"` +
      ` height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}">`,
    `<title>${escapeXml(`State chart of ${graph.title}`)}</title>`,
    `<desc>${escapeXml(describeGraph(graph))}</desc>`,
    `<style>${standaloneStyle()}</style>`,
    ...layout.states.map((shape) => drawState(graph, states.get(shape.id), shape)),
    ...layout.transitions.map((shape) => drawTransition(graph, transitions.get(shape.id), shape)),
    '</svg>\n',
  ].join('\n');
}

function drawState(graph: MachineGraph, state: GraphState | undefined, shape: StateShape): string {
  if (state === undefined) return '';
  const hasTransitions = graph.transitions.some(({ sourceId }) => sourceId === state.id);
  return [
    `<g class="${listStateClasses(graph, state)}" data-state="${escapeXml(state.id)}">`,
    `<title>${escapeXml(describeState(graph, state))}</title>`,
    drawBorder(shape.box, 'border', 0),
    ...(state.type === 'final' ? [drawBorder(shape.box, 'inner-border', 3)] : []),
    ...(hasTransitions ? [drawRule(shape)] : []),
    ...shape.lines.map((line) => drawLine(line, drawStateMark(state, line))),
    '</g>',
  ].join('');
}

function listStateClasses(graph: MachineGraph, state: GraphState): string {
  const parent = graph.states.find(({ id }) => id === state.parentId);
  const traits = [
    ['is-root', state.parentId === null],
    ['is-compound', state.type === 'compound' || state.type === 'parallel'],
    ['is-parallel', state.type === 'parallel'],
    ['is-region', parent?.type === 'parallel'],
    ['is-final', state.type === 'final'],
    ['is-initial', parent?.initialId === state.id],
  ] as const;
  return ['state', ...traits.flatMap(([name, holds]) => (holds ? [name] : []))].join(' ');
}

function drawStateMark(state: GraphState, { role }: TextLine): string {
  if (role === 'effect') return `<path class="mark is-solid" d="${EFFECT_MARK}"/>`;
  if (state.type === 'history') return `<path class="mark" d="${HISTORY_MARK}"/>`;
  return (
    `<circle class="initial" cx="2" cy="5" r="2.6"/>` +
    `<path class="mark is-line" d="${INITIAL_MARK}"/>`
  );
}

function drawTransition(
  graph: MachineGraph,
  transition: GraphTransition | undefined,
  { box, lines, routes }: TransitionShape,
): string {
  if (transition === undefined) return '';
  const stays = transition.targetIds.length === 0 ? ' is-internal' : '';
  return [
    `<g class="transition is-${transition.trigger}${stays}"`,
    ` data-transition="${escapeXml(transition.id)}">`,
    `<title>${escapeXml(describeTransition(graph, transition))}</title>`,
    drawBorder({ ...box, x: box.x + 3, width: box.width - 6 }, 'row', 0, 3),
    ...routes.flatMap(({ points }) => drawRoute(points)),
    ...lines.map((line) => drawLine(line, drawTransitionMark(transition, line))),
    '</g>',
  ].join('');
}

function drawTransitionMark({ trigger }: GraphTransition, { role }: TextLine): string {
  if (role === 'target') return `<path class="mark is-goal" d="${TARGET_MARK}"/>`;
  return `<path class="mark" d="${findTriggerMark(trigger)}"/>`;
}

function drawRoute(points: readonly Point[]): readonly string[] {
  const [tip, before] = [points.at(-1), points.at(-2)];
  if (tip === undefined || before === undefined) return [];
  const along = unitVector(before, tip);
  const base = { x: tip.x - along.x * ARROW_TIP.lengthPx, y: tip.y - along.y * ARROW_TIP.lengthPx };
  const side = { x: -along.y * ARROW_TIP.halfPx, y: along.x * ARROW_TIP.halfPx };
  const corners = [
    `${formatNumber(tip.x)},${formatNumber(tip.y)}`,
    `${formatNumber(base.x + side.x)},${formatNumber(base.y + side.y)}`,
    `${formatNumber(base.x - side.x)},${formatNumber(base.y - side.y)}`,
  ];
  const line = roundedPath([...points.slice(0, -1), base]);
  return [
    `<path class="route" d="${line}"/>`,
    `<polygon class="tip" points="${corners.join(' ')}"/>`,
  ];
}

/** Returns a path through the points with rounded corners. */
function roundedPath(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${formatPoint(point)}`;
      if (after === undefined) return `L${formatPoint(point)}`;
      const radius = Math.min(CORNER_PX, distance(before, point) / 2, distance(point, after) / 2);
      const [into, out] = [unitVector(before, point), unitVector(point, after)];
      const from = formatPoint({ x: point.x - into.x * radius, y: point.y - into.y * radius });
      const to = formatPoint({ x: point.x + out.x * radius, y: point.y + out.y * radius });
      return `L${from}Q${formatPoint(point)} ${to}`;
    })
    .join('');
}

function formatPoint({ x, y }: Point): string {
  return `${formatNumber(x)} ${formatNumber(y)}`;
}

function drawLine(line: TextLine, mark: string): string {
  const { role, text, box, sizePx, hasMark } = line;
  const middle = box.y + box.height / 2;
  const corner = formatPoint({ x: box.x - MARK_PX, y: middle - MARK_SIZE_PX / 2 });
  const at = `translate(${corner})`;
  const drawn = hasMark ? `<g transform="${at}">${mark}</g>` : '';
  // Capitals of common fonts are 0.72 of the font size, so this centres a line in its box.
  const baseline = middle + sizePx * 0.36;
  return (
    `${drawn}<text class="${role}" x="${formatNumber(box.x)}" y="${formatNumber(baseline)}">` +
    `${escapeXml(text)}</text>`
  );
}

function drawRule({ head, lines }: StateShape): string {
  const last = lines.at(-1)?.box;
  const y = formatNumber((last === undefined ? head.y : last.y + last.height) + 1.5);
  const [left, right] = [formatNumber(head.x + 1), formatNumber(head.x + head.width - 1)];
  return `<line class="rule" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>`;
}

function drawBorder(box: Box, name: string, insetPx: number, radiusPx = BORDER_RADIUS_PX): string {
  const [x, y] = [formatNumber(box.x + insetPx), formatNumber(box.y + insetPx)];
  const width = formatNumber(box.width - 2 * insetPx);
  const height = formatNumber(box.height - 2 * insetPx);
  const radius = formatNumber(Math.max(2, radiusPx - insetPx));
  const attributes = `x="${x}" y="${y}" width="${width}" height="${height}"`;
  return `<rect class="${name}" ${attributes} rx="${radius}"/>`;
}

function unitVector(from: Point, to: Point): Point {
  const length = distance(from, to);
  if (length === 0) return { x: 0, y: 1 };
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
}

function distance(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}

function formatNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escapeXml(text: string): string {
  const named: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return (
    text
      // Characters that XML forbids.
      .replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd')
      .replace(/[&<>"]/g, (found) => named[found] ?? found)
  );
}

function findTriggerMark(trigger: GraphTrigger): string {
  return TRIGGER_MARKS[trigger];
}
