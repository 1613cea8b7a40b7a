import { describe, expect, test } from 'vitest';
import { describeGraph } from '../../src/charts/describe-graph.ts';
import { drawMermaid } from '../../src/charts/draw-mermaid.ts';
import { serializeGraph } from '../../src/charts/graph-json.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { buildMachineGraph } from '../../src/machines/graph/machine-graph.ts';
import { crowdedGraph } from './crowded-graph.ts';

const GRAPHS = [...MACHINES.map((row) => buildMachineGraph(row)), crowdedGraph()];

describe.each(GRAPHS)('$kind', (graph) => {
  test('as Mermaid every state is declared once, and every move is between declared states', () => {
    const lines = drawMermaid(graph).trimEnd().split('\n');
    const declared = lines.flatMap((line) => /^ *state ".*" as (\w+)( \{)?$/.exec(line)?.[1] ?? []);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared.length).toBe(graph.states.length - 1);
    const moves = lines.flatMap((line) => {
      const [, from, to] = /^ *(\w+) --> (\w+): [^:;#"{}]+$/.exec(line) ?? [];
      return from === undefined ? [] : [[from, to]];
    });
    const arrows = graph.transitions.map(({ targetIds }) => Math.max(1, targetIds.length));
    expect(moves.length).toBe(arrows.reduce((sum, count) => sum + count, 0));
    expect(moves.flat().filter((name) => !declared.includes(name ?? ''))).toEqual([]);
    const ends = graph.states.filter(({ type }) => type === 'final').length;
    expect(lines.filter((line) => line.endsWith(' --> [*]')).length).toBe(ends);
    const braces = lines.map((line) => (line.endsWith('{') ? 1 : line.endsWith('}') ? -1 : 0));
    expect(braces.reduce<number>((sum, each) => sum + each, 0)).toBe(0);
  });

  test('as JSON it reads back whole, whatever the order of members', () => {
    expect(JSON.parse(serializeGraph(graph))).toEqual(graph);
    const turned = Object.fromEntries(Object.entries(graph).reverse()) as unknown as typeof graph;
    expect(serializeGraph(turned)).toBe(serializeGraph(graph));
  });

  test('in words each state and each transition has a line', () => {
    const lines = describeGraph(graph).split('\n');
    expect(lines.length).toBe(graph.states.length + graph.transitions.length);
    expect(
      lines.filter((line) => /^- .+: (goes to .+|stays as it is.*)\.$/.test(line)).length,
    ).toBe(graph.transitions.length);
  });
});

test('regions stand apart in Mermaid, and each state says where it begins', () => {
  const text = drawMermaid(crowdedGraph());
  expect(text.match(/^ *--$/gm)?.length).toBe(2);
  expect(text).toContain('[*] --> s_work_left\n');
  expect(text).not.toContain('[*] --> s_intake_left\n');
});

test('states whose names differ by signs alone keep names of their own in Mermaid', () => {
  const graph = crowdedGraph();
  const states = graph.states.map((state) =>
    state.id === 'lost' ? { ...state, id: 'intake_left', key: 'intake_left' } : state,
  );
  const text = drawMermaid({ ...graph, states, transitions: [] });
  expect(text).toContain('as s_intake_left {');
  expect(text).toContain('state "intake_left" as s_intake_left_2');
});

test('what is said in words is what the definition says', () => {
  const job = MACHINES.find(({ kind }) => kind === 'job');
  if (job === undefined) throw new Error('there is no job machine');
  const text = describeGraph(buildMachineGraph(job));
  expect(text).toContain(
    'agreed: Agreed with payment on release; the provider works and no money is held.\n' +
      '- On WORK.DELIVERED: goes to fulfilled; does keepDelivery, keepCall.',
  );
  expect(text).toContain(
    '- After releaseWindow if isEscrowFunded: goes to fulfilled.trying; does dropMove.',
  );
  expect(text).toContain('- When fund fails: goes to funded.awaiting; does keepError.');
  expect(text).toContain('released (final; tags closed): The provider is paid.');
});
