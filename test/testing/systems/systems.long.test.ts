import { expect, test } from 'vitest';
import { DURABLE } from './durable.ts';
import { type Finder, findWithFastCheck, findWithGraph, findWithKit } from './finders.ts';
import { PAYMENTS } from './payments.ts';
import { SHARED } from './shared.ts';
import { TIMED } from './timed.ts';

const SYSTEMS = [...PAYMENTS, ...DURABLE, ...TIMED, ...SHARED];
const FINDERS: Readonly<Record<string, Finder>> = {
  Stoa: findWithKit,
  'fast-check with XState': findWithFastCheck,
  'xstate/graph': findWithGraph,
};
/** Time of each search, in milliseconds. */
const TIME_MS = 1_500;
const SEED = 1;

test('there are 40 systems, half of them with a published bug', () => {
  expect(SYSTEMS).toHaveLength(40);
  expect(new Set(SYSTEMS.map(({ name }) => name)).size).toBe(40);
  expect(SYSTEMS.filter(({ isPublished }) => isPublished)).toHaveLength(20);
});

test('the kit finds at least what the others find in equal time, and 95 %', {
  timeout: 400_000,
}, async () => {
  const found: Record<string, string[]> = {};
  for (const [name, find] of Object.entries(FINDERS)) {
    found[name] = [];
    for (const system of SYSTEMS) {
      const search = { isFaulty: true, timeMs: TIME_MS, seed: SEED };
      if (await find(system, search)) found[name].push(system.name);
    }
  }
  process.stdout.write(`${formatTable(found)}\n`);
  const ours = new Set(found['Stoa']);
  expect(SYSTEMS.map(({ name }) => name).filter((name) => !ours.has(name))).toEqual([]);
  for (const theirs of Object.values(found)) {
    expect(theirs.filter((name) => !ours.has(name))).toEqual([]);
  }
});

test.each(Object.entries(FINDERS))(
  'a correct form raises no alarm: %s',
  {
    timeout: 400_000,
  },
  async (_name, find) => {
    const alarms: string[] = [];
    for (const system of SYSTEMS) {
      const search = { isFaulty: false, timeMs: TIME_MS, seed: SEED };
      if (await find(system, search)) alarms.push(system.name);
    }
    expect(alarms).toEqual([]);
  },
);

function formatTable(found: Readonly<Record<string, readonly string[]>>): string {
  const names = Object.keys(found);
  const rows = SYSTEMS.map(({ name }) => {
    const marks = names.map((finder) => (found[finder]?.includes(name) === true ? 'found' : '-'));
    return [name, ...marks];
  });
  const sums = names.map((finder) => `${found[finder]?.length} of ${SYSTEMS.length}`);
  const all = [['system', ...names], ...rows, ['all', ...sums]];
  return all.map(([first = '', ...rest]) => [first.padEnd(66), ...rest].join(' | ')).join('\n');
}
