import type { GraphState, GraphTransition, MachineGraph } from '../domain/inspect/graph.ts';
import type { Box, LineRole, Point, TextLine } from './chart-layout.ts';
import { measureText, type TextStyle, wrapText } from './text-width.ts';

/** The text lines of one state, relative to the upper left corner of its box. */
export interface StateContent {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly lines: readonly TextLine[];
  readonly rows: readonly TransitionRow[];
}

/** The text lines of one transition. */
export interface TransitionRow {
  readonly transition: GraphTransition;
  readonly box: Box;
  readonly lines: readonly TextLine[];
}

/** Space for a mark before a line, in pixels. */
export const MARK_PX = 15;
/** Space between the border of a box and its text, in pixels. */
export const PAD_PX = 9;

const SIZE_PX = { title: 13, body: 12, small: 11 } as const;
const LINE_PX = { title: 18, body: 16, small: 15 } as const;
const ROW_GAP_PX = 4;
const RULE_GAP_PX = 5;
const MIN_WIDTH_PX = 76;
const STYLES: Readonly<Record<LineRole, TextStyle & { readonly linePx: number }>> = {
  title: { sizePx: SIZE_PX.title, isBold: true, linePx: LINE_PX.title },
  tag: { sizePx: SIZE_PX.small, isBold: false, linePx: LINE_PX.small },
  effect: { sizePx: SIZE_PX.body, isBold: false, linePx: LINE_PX.body },
  action: { sizePx: SIZE_PX.small, isBold: false, linePx: LINE_PX.small },
  label: { sizePx: SIZE_PX.body, isBold: false, linePx: LINE_PX.body },
  guard: { sizePx: SIZE_PX.small, isBold: false, linePx: LINE_PX.small },
  target: { sizePx: SIZE_PX.small, isBold: false, linePx: LINE_PX.small },
};

/** Options that affect the text lines. */
export interface ContentOptions {
  /** Maximum width of a line including its mark, in pixels. */
  readonly maxPx: number;
  /** Whether transitions name their targets, for charts with long arrows. */
  readonly namesTargets: boolean;
}

/** Lays out the lines of a state: title, tags, effects, actions, then one row per transition. */
export function layOutState(
  graph: MachineGraph,
  state: GraphState,
  options: ContentOptions,
): StateContent {
  const writer = new LineWriter(options.maxPx);
  const isFirst = graph.states.some(({ initialId }) => initialId === state.id);
  writer.write('title', stateTitle(graph, state), { hasMark: isFirst || state.type === 'history' });
  if (state.tags.length > 0) writer.write('tag', state.tags.map((tag) => `#${tag}`).join(' '));
  for (const { src } of state.effects) writer.write('effect', src, { hasMark: true });
  for (const name of state.entry) writer.write('action', `entry / ${name}`);
  for (const name of state.exit) writer.write('action', `exit / ${name}`);
  const lines = writer.takeLines();
  const ownTransitions = graph.transitions.filter(({ sourceId }) => sourceId === state.id);
  if (ownTransitions.length > 0) writer.skip(RULE_GAP_PX);
  const rows = ownTransitions.map((transition) =>
    layOutTransition(writer, graph, transition, options),
  );
  const widthPx = Math.max(MIN_WIDTH_PX, writer.widthPx + 2 * PAD_PX);
  return { widthPx, heightPx: writer.heightPx + PAD_PX - 2, lines, rows: widenRows(rows, widthPx) };
}

/** Returns the displayed name of a state. */
export function stateTitle(graph: MachineGraph, state: GraphState): string {
  return state.parentId === null ? graph.title : state.key;
}

/** Returns lines moved by an offset. */
export function moveLines(lines: readonly TextLine[], by: Point): readonly TextLine[] {
  return lines.map((line) => ({ ...line, box: moveBox(line.box, by) }));
}

/** Returns a box moved by an offset. */
export function moveBox(box: Box, by: Point): Box {
  return { ...box, x: box.x + by.x, y: box.y + by.y };
}

function layOutTransition(
  writer: LineWriter,
  graph: MachineGraph,
  transition: GraphTransition,
  { namesTargets }: ContentOptions,
): TransitionRow {
  const top = writer.heightPx;
  const { label, guard, targetIds } = transition;
  writer.write('label', label, { hasMark: true });
  if (guard !== null) writer.append('guard', `[${guard}]`, { indentPx: MARK_PX });
  if (namesTargets && targetIds.length > 0) {
    const names = targetIds.map((id) => relativeName(graph, transition.sourceId, id));
    writer.append('target', names.join(', '), { indentPx: MARK_PX, hasMark: true });
  }
  writer.skip(ROW_GAP_PX);
  const box = { x: 0, y: top - ROW_GAP_PX / 2, width: 0, height: writer.heightPx - top };
  return { transition, box, lines: writer.takeLines() };
}

// Omits the part of the target path that it shares with the source.
function relativeName(graph: MachineGraph, sourceId: string, targetId: string): string {
  if (targetId === '') return graph.title;
  const [source, target] = [sourceId.split('.'), targetId.split('.')];
  const common = target.findIndex((key, index) => key !== source[index]);
  return target.slice(common === -1 ? target.length - 1 : common).join('.');
}

// Rows are as wide as their state, so that arrows start at the border.
function widenRows(rows: readonly TransitionRow[], width: number): readonly TransitionRow[] {
  return rows.map((row) => ({ ...row, box: { ...row.box, width } }));
}

interface LineOptions {
  readonly hasMark?: boolean;
  readonly indentPx?: number;
}

/** Lays out lines from top to bottom. */
class LineWriter {
  readonly #maxPx: number;
  #lines: TextLine[] = [];
  #y = PAD_PX - 2;
  /** Width of the widest line so far. */
  widthPx = 0;

  constructor(maxPx: number) {
    this.#maxPx = maxPx;
  }

  get heightPx(): number {
    return this.#y;
  }

  skip(px: number): void {
    this.#y += px;
  }

  takeLines(): readonly TextLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  write(role: LineRole, text: string, { hasMark = false, indentPx = 0 }: LineOptions = {}): void {
    const style = STYLES[role];
    const left = indentPx + (hasMark ? MARK_PX : 0);
    for (const [index, part] of wrapText(text, style, this.#maxPx - left).entries()) {
      this.#addLine({ role, text: part, left, hasMark: hasMark && index === 0 });
      this.#y += style.linePx;
    }
  }

  /** Appends a text to the last line if it fits as a whole, or else to a new line. */
  append(role: LineRole, text: string, { hasMark = false, indentPx = 0 }: LineOptions): void {
    const last = this.#lines.at(-1);
    const gap = 6 + (hasMark ? MARK_PX : 0);
    const left = last === undefined ? 0 : last.box.x - PAD_PX + last.box.width + gap;
    if (last === undefined || left + measureText(text, STYLES[role]) > this.#maxPx) {
      this.write(role, text, { hasMark, indentPx });
      return;
    }
    this.#y = last.box.y;
    this.#addLine({ role, text, left, hasMark });
    this.#y = last.box.y + STYLES[last.role].linePx;
  }

  #addLine(line: { role: LineRole; text: string; left: number; hasMark: boolean }): void {
    const { role, text, left, hasMark } = line;
    const { sizePx, linePx } = STYLES[role];
    const width = measureText(text, STYLES[role]);
    const box = { x: PAD_PX + left, y: this.#y, width, height: linePx };
    this.#lines.push({ role, text, box, sizePx, hasMark });
    this.widthPx = Math.max(this.widthPx, left + width);
  }
}
