import { describe, expect, test } from 'vitest';
import { withFaults } from '../../src/testing/fault-copies.ts';
import { seedFrom } from '../../src/testing/seeded-random.ts';
import {
  frontCoverage,
  frontPaths,
  KINDS,
  overBothEngines,
  playThroughFront,
} from './front-paths.ts';
import { BEYOND } from './plans.ts';

const seed = seedFrom(process.env, Math.floor(Math.random() * 2 ** 31));
/** Copies of each path, each with one fault at a place that the seed decides. */
const FAULTS_EACH = 2;

describe.each(KINDS)(`%s through the front (STOA_PATHS_SEED=${seed})`, (kind) => {
  const set = frontPaths(kind, { how: 'transitions' });
  const paths = withFaults(set.paths, { where: FAULTS_EACH, seed });
  const coverage = frontCoverage(kind);

  test('only what is named as out of reach is out of reach', () => {
    expect(set.unreachedIds).toEqual(Object.keys(BEYOND[kind]));
  });

  test.each(overBothEngines(paths))(
    'over %s, server and model agree at every step: %s',
    { timeout: 60_000 },
    (http, _id, path) => playThroughFront(kind, path, { http, coverage }),
  );

  test('every state and every other transition was walked', () => {
    const { states, transitions } = coverage.report(0);
    expect(missingIn(states)).toEqual([]);
    expect(missingIn(transitions)).toEqual(Object.keys(BEYOND[kind]));
  });
});

function missingIn(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.keys(counts).filter((id) => counts[id] === 0);
}
