import type { GraphState, GraphTransition, MachineGraph } from '../domain/inspect/graph.ts';
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
import { EFFECT_MARK, HISTORY_MARK, INITIAL_MARK, TARGET_MARK, triggerMark } from './marks.ts';
import { MARK_PX } from './state-content.ts';

const CORNER_PX = 5;
const BORDER_RADIUS_PX = 7;
const TIP = { lengthPx: 7, halfPx: 3.5 } as const;
const MARK_SIZE_PX = 10;

/**
 * Draws a chart as one self-contained SVG. States are `<g data-state>`, transitions `<g
 * data-transition>`, with graph ids. All colours are CSS variables.
 */
export function drawSvg(graph: MachineGraph, layout: ChartLayout): string {
  const { widthPx, heightPx } = layout;
  const states = new Map(graph.states.map((state) => [state.id, state]));
  const moves = new Map(graph.transitions.map((transition) => [transition.id, transition]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="state-chart is-${layout.width}" role="img"` +
      ` aria-label="${escaped(`State chart of ${graph.title}`)}" width="${widthPx}"` +
      ` height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}">`,
    `<title>${escaped(`State chart of ${graph.title}`)}</title>`,
    `<desc>${escaped(describeGraph(graph))}</desc>`,
    `<style>${standaloneStyle()}</style>`,
    ...layout.states.map((shape) => drawState(graph, states.get(shape.id), shape)),
    ...layout.transitions.map((shape) => drawTransition(graph, moves.get(shape.id), shape)),
    '</svg>\n',
  ].join('\n');
}

function drawState(graph: MachineGraph, state: GraphState | undefined, shape: StateShape): string {
  if (state === undefined) return '';
  const own = graph.transitions.some(({ sourceId }) => sourceId === state.id);
  return [
    `<g class="${stateClasses(graph, state)}" data-state="${escaped(state.id)}">`,
    `<title>${escaped(describeState(graph, state))}</title>`,
    border(shape.box, 'border', 0),
    ...(state.type === 'final' ? [border(shape.box, 'inner-border', 3)] : []),
    ...(own ? [rule(shape)] : []),
    ...shape.lines.map((line) => drawLine(line, stateMark(state, line))),
    '</g>',
  ].join('');
}

function stateClasses(graph: MachineGraph, state: GraphState): string {
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

function stateMark(state: GraphState, { role }: TextLine): string {
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
    ` data-transition="${escaped(transition.id)}">`,
    `<title>${escaped(describeTransition(graph, transition))}</title>`,
    border({ ...box, x: box.x + 3, width: box.width - 6 }, 'row', 0, 3),
    ...routes.flatMap(({ points }) => drawRoute(points)),
    ...lines.map((line) => drawLine(line, transitionMark(transition, line))),
    '</g>',
  ].join('');
}

function transitionMark({ trigger }: GraphTransition, { role }: TextLine): string {
  if (role === 'target') return `<path class="mark is-goal" d="${TARGET_MARK}"/>`;
  return `<path class="mark" d="${triggerMark(trigger)}"/>`;
}

function drawRoute(points: readonly Point[]): readonly string[] {
  const [tip, before] = [points.at(-1), points.at(-2)];
  if (tip === undefined || before === undefined) return [];
  const along = unit(before, tip);
  const base = { x: tip.x - along.x * TIP.lengthPx, y: tip.y - along.y * TIP.lengthPx };
  const side = { x: -along.y * TIP.halfPx, y: along.x * TIP.halfPx };
  const corners = [
    `${number(tip.x)},${number(tip.y)}`,
    `${number(base.x + side.x)},${number(base.y + side.y)}`,
    `${number(base.x - side.x)},${number(base.y - side.y)}`,
  ];
  const line = roundedLine([...points.slice(0, -1), base]);
  return [
    `<path class="route" d="${line}"/>`,
    `<polygon class="tip" points="${corners.join(' ')}"/>`,
  ];
}

/** Returns a path through the points with rounded corners. */
function roundedLine(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${number(point.x)} ${number(point.y)}`;
      if (after === undefined) return `L${number(point.x)} ${number(point.y)}`;
      const radius = Math.min(CORNER_PX, distance(before, point) / 2, distance(point, after) / 2);
      const [into, out] = [unit(before, point), unit(point, after)];
      const from = `${number(point.x - into.x * radius)} ${number(point.y - into.y * radius)}`;
      const to = `${number(point.x + out.x * radius)} ${number(point.y + out.y * radius)}`;
      return `L${from}Q${number(point.x)} ${number(point.y)} ${to}`;
    })
    .join('');
}

function drawLine(line: TextLine, mark: string): string {
  const { role, text, box, sizePx, hasMark } = line;
  const middle = box.y + box.height / 2;
  const at = `translate(${number(box.x - MARK_PX)} ${number(middle - MARK_SIZE_PX / 2)})`;
  const drawn = hasMark ? `<g transform="${at}">${mark}</g>` : '';
  // Capitals of common fonts are 0.72 of the font size, so this centres a line in its box.
  const baseline = middle + sizePx * 0.36;
  return (
    `${drawn}<text class="${role}" x="${number(box.x)}" y="${number(baseline)}">` +
    `${escaped(text)}</text>`
  );
}

function rule({ head, lines }: StateShape): string {
  const last = lines.at(-1)?.box;
  const y = number((last === undefined ? head.y : last.y + last.height) + 1.5);
  const [left, right] = [number(head.x + 1), number(head.x + head.width - 1)];
  return `<line class="rule" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>`;
}

function border(box: Box, name: string, insetPx: number, radiusPx = BORDER_RADIUS_PX): string {
  const [x, y] = [number(box.x + insetPx), number(box.y + insetPx)];
  const width = number(box.width - 2 * insetPx);
  const height = number(box.height - 2 * insetPx);
  const radius = number(Math.max(2, radiusPx - insetPx));
  const place = `x="${x}" y="${y}" width="${width}" height="${height}"`;
  return `<rect class="${name}" ${place} rx="${radius}"/>`;
}

function unit(from: Point, to: Point): Point {
  const length = distance(from, to);
  if (length === 0) return { x: 0, y: 1 };
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
}

function distance(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
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
