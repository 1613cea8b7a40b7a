import { expect, test } from 'vitest';
import type { MachineGraph } from '../../src/domain/inspect/graph.ts';
import { computeCoverage, parseReport } from '../../web/src/machines/coverage.ts';

const GRAPH = {
  kind: 'lamp',
  version: 1,
  title: 'Lamp',
  states: [
    { id: '', parentId: null },
    { id: 'on', parentId: '' },
    { id: 'off', parentId: '' },
  ],
  transitions: [{ id: 'on|PRESS|0' }, { id: 'off|PRESS|0' }],
} as unknown as MachineGraph;

const REPORT = {
  kind: 'lamp',
  version: 1,
  title: 'paths',
  at: 5,
  paths: 2,
  states: { off: 3, on: 0, gone: 4 },
  transitions: { 'off|PRESS|0': 1 },
};

test('what was walked and what was not is told by the ids of the graph', () => {
  expect(computeCoverage(GRAPH, REPORT)).toEqual({
    states: 1,
    transitions: 1,
    uncoveredStates: ['on'],
    uncoveredTransitions: ['on|PRESS|0'],
  });
});

test('a picked file is a report or a reason why not', () => {
  expect(parseReport(JSON.stringify(REPORT))).toEqual({ report: REPORT });
  const faults = [
    'no json',
    '[]',
    '{"kind":"lamp"}',
    '{"kind":"lamp","version":1,"states":{"a":"b"}}',
  ];
  for (const text of faults) expect(parseReport(text)).toHaveProperty('fault');
});
