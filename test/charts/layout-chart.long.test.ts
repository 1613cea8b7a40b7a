import { beforeAll, describe, expect, test } from 'vitest';
import type { ChartLayout } from '../../src/charts/chart-layout.ts';
import { layoutChart } from '../../src/charts/layout-chart.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { buildMachineGraph } from '../../src/machines/graph/machine-graph.ts';
import { crowdedGraph } from './crowded-graph.ts';
import {
  collisionsOf,
  crossedTextsOf,
  holds,
  isOnBorder,
  overlapsOf,
  strayTextsOf,
  textsOf,
} from './geometry.ts';

const WIDTHS = ['wide', 'narrow'] as const;
const GRAPHS = [...MACHINES.map((row) => buildMachineGraph(row)), crowdedGraph()];
const CASES = GRAPHS.flatMap((graph) =>
  WIDTHS.map((width) => ({ graph, width, kind: graph.kind })),
);

describe.each(CASES)('$kind, $width', ({ graph, width }) => {
  let layout: ChartLayout;
  beforeAll(async () => {
    layout = await layoutChart(graph, { width });
  }, 60_000);

  test('no two labels overlap, and none leaves its box', () => {
    expect(overlapsOf(layout)).toEqual([]);
    expect(strayTextsOf(layout)).toEqual([]);
  });

  test('no arrow runs across a label', () => {
    expect(crossedTextsOf(layout)).toEqual([]);
  });

  test('no text is smaller than 11 px', () => {
    expect(textsOf(layout).length).toBeGreaterThan(4);
    expect(Math.min(...textsOf(layout).map(({ sizePx }) => sizePx))).toBeGreaterThanOrEqual(11);
  });

  test('every state and transition is there, states inside their parents and apart', () => {
    expect(layout.states.map(({ id }) => id)).toEqual(graph.states.map(({ id }) => id));
    const drawn = layout.transitions.map(({ id }) => id);
    expect([...drawn].sort()).toEqual(graph.transitions.map(({ id }) => id).sort());
    expect(collisionsOf(layout)).toEqual([]);
    const boxes = new Map(layout.states.map(({ id, box }) => [id, box]));
    const loose = graph.states.filter(({ id, parentId }) => {
      const [own, parent] = [boxes.get(id), boxes.get(parentId ?? '')];
      return own === undefined || parent === undefined || !holds(parent, own);
    });
    expect(loose.map(({ id }) => id)).toEqual([]);
    const page = { x: 0, y: 0, width: layout.widthPx, height: layout.heightPx };
    expect([...boxes].filter(([, box]) => !holds(page, box))).toEqual([]);
  });

  test('every arrow begins at its row and ends at the border of its target', () => {
    const boxes = new Map(layout.states.map(({ id, box }) => [id, box]));
    const targets = new Map(graph.transitions.map(({ id, targetIds }) => [id, targetIds]));
    for (const { id, box, routes } of layout.transitions) {
      expect(routes.map(({ targetId }) => targetId)).toEqual(targets.get(id));
      for (const { targetId, points } of routes) {
        const [start, end] = [points[0], points.at(-1)];
        const target = boxes.get(targetId);
        if (start === undefined || end === undefined || target === undefined) throw new Error(id);
        expect([id, isOnBorder(start, box), isOnBorder(end, target)]).toEqual([id, true, true]);
      }
    }
  });
});

test.each(MACHINES)('$kind fits a laptop and a phone', async (row) => {
  const graph = buildMachineGraph(row);
  expect((await layoutChart(graph, { width: 'wide' })).widthPx).toBeLessThanOrEqual(1200);
  expect((await layoutChart(graph, { width: 'narrow' })).widthPx).toBeLessThanOrEqual(360);
});

test.each(WIDTHS)(
  'the same graph gives the same layout, %s',
  async (width) => {
    for (const row of MACHINES) {
      const first = await layoutChart(buildMachineGraph(row), { width });
      expect(await layoutChart(buildMachineGraph(row), { width })).toEqual(first);
    }
  },
  60_000,
);
