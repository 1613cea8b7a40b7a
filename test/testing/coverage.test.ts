import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCoverage } from '../../src/process/inspect/coverage-folder.ts';
import {
  Coverage,
  coverageText,
  mergeCoverage,
  writeCoverage,
} from '../../src/testing/coverage.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { pathFrom } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { doorMachine } from '../support/small-machines.ts';
import { tempDir } from '../support/temp-dir.ts';

const open = { event: { type: 'OPEN', by: 'ada' } };
const close = { event: { type: 'CLOSE' } };
const AT = 1_767_225_600_000;

test('states and transitions are counted as often as runs go through them', async () => {
  const coverage = await walked([open, close, open, close]);
  expect(coverage.report(AT)).toEqual({
    kind: 'door',
    version: 1,
    title: 'by hand',
    at: AT,
    paths: 1,
    // Entered twice by events, once at the start, and left twice.
    states: { closed: 5, open: 4, locked: 0, broken: 0 },
    transitions: {
      'closed|OPEN|0': 2,
      'closed|LOCK|0': 0,
      'open|CLOSE|0': 2,
      'open|xstate.after.slam.door.open|0': 0,
      'locked|xstate.done.actor.unlock|0': 0,
      'locked|xstate.error.actor.unlock|0': 0,
    },
  });
});

test('the text says how much was walked, and names what was not', async () => {
  const coverage = await walked([open]);
  expect(coverageText(coverage.report(AT)).split('\n')).toEqual([
    'door 1, by hand: 1 path',
    '  states       50 % (2 of 4)',
    '    not entered: locked',
    '    not entered: broken',
    '  transitions  16 % (1 of 6)',
    '    not taken: closed|LOCK|0',
    '    not taken: open|CLOSE|0',
    '    not taken: open|xstate.after.slam.door.open|0',
    '    not taken: locked|xstate.done.actor.unlock|0',
    '    not taken: locked|xstate.error.actor.unlock|0',
  ]);
});

test('steps that the system did not take are not covered', async () => {
  const coverage = new Coverage({ machine: doorMachine, title: 'by hand' });
  const driver = { ...engineDriver({ machine: doorMachine }), send: async () => undefined };
  await expect(
    runPath(pathFrom(doorMachine, { id: 'x', steps: [open] }), driver, { coverage }),
  ).rejects.toThrow('state: expected "open", seen "closed"');
  expect(coverage.report(AT).transitions['closed|OPEN|0']).toBe(0);
});

test('reports are put together by counts', async () => {
  const [one, other] = [await walked([open]), await walked([open, close])];
  const sum = mergeCoverage(one.report(AT), other.report(AT + 1));
  expect([sum.at, sum.paths, sum.transitions['closed|OPEN|0']]).toEqual([AT, 2, 2]);
});

test('a report is written where the console reads it, one file for each title', async () => {
  const { path, remove } = tempDir();
  const report = (await walked([open])).report(AT);
  writeCoverage(`${path}/coverage`, report);
  const file = writeCoverage(`${path}/coverage`, { ...report, paths: 2 });
  writeCoverage(`${path}/coverage`, { ...report, kind: '../door', title: '../../Other ÷ one' });
  expect(readdirSync(`${path}/coverage`).sort()).toEqual([
    'door-by-hand.json',
    'door-other-one.json',
  ]);
  expect(readdirSync(path)).toEqual(['coverage']);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...report, paths: 2 });
  // What was written is what a server with this data directory shows.
  const read = await readCoverage(`${path}/coverage`);
  expect(read.find(({ kind }) => kind === 'door')).toEqual({ ...report, paths: 2 });
  remove();
});

test.each(['', 'x'.repeat(201)])('a title that the console would not read is refused', (title) => {
  expect(() => new Coverage({ machine: doorMachine, title })).toThrow('it must have 1 to 200');
});

async function walked(steps: readonly (typeof open | typeof close)[]): Promise<Coverage> {
  const coverage = new Coverage({ machine: doorMachine, title: 'by hand' });
  const path = pathFrom(doorMachine, { id: 'hand', steps });
  await runPath(path, engineDriver({ machine: doorMachine }), { coverage });
  return coverage;
}
