import { describe, expect, test } from 'vitest';
import { pageStyle, standaloneStyle } from '../../src/charts/chart-style.ts';
import { drawSvg } from '../../src/charts/draw-svg.ts';
import { layoutChart } from '../../src/charts/layout-chart.ts';
import type { MachineGraph } from '../../src/domain/inspect/graph.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { buildMachineGraph } from '../../src/machines/graph/machine-graph.ts';
import { crowdedGraph } from './crowded-graph.ts';

const LIGHTS = [
  ...['.state.is-active', '.state.is-left', '.state.is-covered', '.state.is-uncovered'],
  ...[' .is-taken', ' .is-possible', '.transition.is-covered', '.transition.is-uncovered'],
];
const HOSTILE = `"><script>alert(1)</script>&'\u0000<svg onload=x>`;

describe.each(MACHINES)('the drawing of $kind', (row) => {
  test('holds every state and transition once, by its id', async () => {
    const graph = buildMachineGraph(row);
    const svg = await drawn(graph);
    expect(valuesOf(svg, 'data-state')).toEqual(graph.states.map(({ id }) => id));
    const ids = graph.transitions.map(({ id }) => id);
    expect(valuesOf(svg, 'data-transition').sort()).toEqual(ids.sort());
    expect(await drawn(graph)).toBe(svg);
  });

  test('is one closed tree of plain shapes that refers to nothing', async () => {
    const svg = await drawn(buildMachineGraph(row));
    expect(openElementsOf(svg)).toEqual([]);
    const names = new Set([...svg.matchAll(/<([a-z]+)/g)].map(([, name]) => name));
    const shapes = ['circle', 'g', 'line', 'path', 'polygon', 'rect', 'text'];
    expect([...names]).toEqual(expect.arrayContaining(['path', 'rect', 'text']));
    expect([...names].filter((name) => !shapes.includes(name ?? ''))).toEqual([
      'svg',
      'title',
      'desc',
      'style',
    ]);
    expect(svg).not.toMatch(/ (id|href|style|on\w+)=|url\(/);
  });
});

test('names of any kind stay text', async () => {
  const graph = crowdedGraph();
  const states = graph.states.map((state) => ({ ...state, key: HOSTILE, description: HOSTILE }));
  const transitions = graph.transitions.slice(0, 12).map((each) => ({ ...each, label: HOSTILE }));
  const hostile = { ...graph, title: HOSTILE, states, transitions };
  const svg = drawSvg(hostile, await layoutChart(hostile, { width: 'narrow' }));
  expect(openElementsOf(svg)).toEqual([]);
  expect(svg).not.toMatch(/<script|<svg onload/);
  expect(svg).not.toContain('\u0000');
  expect(svg).toContain('&lt;script&gt;');
});

test('what kind a part is stands in its classes', async () => {
  const graph = crowdedGraph();
  const svg = drawSvg(graph, await layoutChart(graph, { width: 'narrow' }));
  const classOf = (id: string): string | undefined =>
    new RegExp(`<g class="([^"]*)" data-state="${id}"`).exec(svg)?.[1];
  expect(classOf('')).toBe('state is-root is-compound');
  expect(classOf('intake')).toBe('state is-compound is-parallel is-initial');
  expect(classOf('intake.left')).toBe('state is-compound is-region');
  expect(classOf('work.left.first')).toBe('state is-initial');
  expect(classOf('ended')).toBe('state is-final');
  for (const trigger of ['event', 'after', 'done', 'error', 'always']) {
    expect(svg).toContain(`<g class="transition is-${trigger}`);
  }
});

test('each light of the page differs by more than its colour', () => {
  const rules = pageStyle().split('}');
  for (const light of LIGHTS) {
    const own = rules.filter((rule) => rule.includes(light)).join(' ');
    expect([light, /stroke-width|stroke-dasharray|text-decoration|font-style/.test(own)]).toEqual([
      light,
      true,
    ]);
  }
});

test('a file that stands alone has its colours for light and for dark', () => {
  const used = new Set(
    [...standaloneStyle().matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name),
  );
  const [light = '', dark = ''] = standaloneStyle().split('@media (prefers-color-scheme: dark)');
  expect(used.size).toBeGreaterThan(10);
  for (const name of used)
    expect([light, dark].map((one) => one.includes(`${name}:`))).toEqual([true, true]);
});

async function drawn(graph: MachineGraph): Promise<string> {
  return drawSvg(graph, await layoutChart(graph, { width: 'wide' }));
}

function valuesOf(svg: string, name: string): readonly string[] & string[] {
  return [...svg.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? '');
}

/** Elements that are not closed in their order. */
function openElementsOf(svg: string): readonly string[] {
  const open: string[] = [];
  for (const [, end, name = '', own] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (end === '/') {
      if (open.pop() !== name) return [`</${name}>`];
    } else if (own !== '/') {
      open.push(name);
    }
  }
  return open;
}
