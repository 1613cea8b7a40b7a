import type { Box, ChartLayout, Point, TextLine } from '../../src/charts/chart-layout.ts';

/** All lines of text in a drawing, each with the part that it belongs to. */
export function textsOf(layout: ChartLayout): readonly (TextLine & { readonly owner: string })[] {
  return [
    ...layout.states.flatMap(({ id, lines }) => lines.map((line) => ({ ...line, owner: id }))),
    ...layout.transitions.flatMap(({ id, lines }) => lines.map((line) => ({ ...line, owner: id }))),
  ];
}

/** Pairs of texts that share room, as words. */
export function overlapsOf(layout: ChartLayout): readonly string[] {
  const texts = textsOf(layout);
  return texts.flatMap((one, index) =>
    texts
      .slice(index + 1)
      .filter((other) => meets(one.box, other.box))
      .map((other) => `${one.owner} "${one.text}" and ${other.owner} "${other.text}"`),
  );
}

/** Texts that stand outside the box of their state, as words. */
export function strayTextsOf(layout: ChartLayout): readonly string[] {
  const states = layout.states.flatMap(({ id, head, lines }) =>
    lines.filter(({ box }) => !holds(head, box)).map(({ text }) => `${id} "${text}"`),
  );
  const rows = layout.transitions.flatMap(({ id, lines, box }) =>
    lines.filter((line) => !holds(box, line.box)).map(({ text }) => `${id} "${text}"`),
  );
  return [...states, ...rows];
}

/** Texts that an arrow runs across, as words. */
export function crossedTextsOf(layout: ChartLayout): readonly string[] {
  const texts = textsOf(layout);
  return layout.transitions.flatMap(({ id, routes }) =>
    routes.flatMap(({ points }) =>
      texts
        .filter(({ box }) => legsOf(points).some((leg) => meets(leg, box)))
        .map(({ owner, text }) => `${id} crosses ${owner} "${text}"`),
    ),
  );
}

/** Pairs of states that overlap though none is inside the other, as words. */
export function collisionsOf(layout: ChartLayout): readonly string[] {
  return layout.states.flatMap((one, index) =>
    layout.states
      .slice(index + 1)
      .filter(({ id }) => one.id !== '' && !id.startsWith(`${one.id}.`))
      .filter(({ box }) => meets(one.box, box))
      .map(({ id }) => `${one.id} and ${id}`),
  );
}

/** Whether a point lies on the border of a box. */
export function isOnBorder({ x, y }: Point, box: Box): boolean {
  const [right, lower] = [box.x + box.width, box.y + box.height];
  const isBeside = near(x, box.x) || near(x, right);
  const isAbove = near(y, box.y) || near(y, lower);
  const isWithinX = x > box.x - 1 && x < right + 1;
  const isWithinY = y > box.y - 1 && y < lower + 1;
  return (isBeside && isWithinY) || (isAbove && isWithinX);
}

/** Whether one box holds all of another. */
export function holds(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function meets(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function legsOf(points: readonly Point[]): readonly Box[] {
  return points.slice(1).map((to, index) => {
    const from = points[index] ?? to;
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    // As thick as it is drawn.
    return {
      x: x - 0.6,
      y: y - 0.6,
      width: Math.abs(to.x - from.x) + 1.2,
      height: Math.abs(to.y - from.y) + 1.2,
    };
  });
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) < 1;
}
