import { afterAll, describe, expect, test } from 'vitest';
import { coverageText } from '../../src/testing/coverage.ts';
import { withFaults } from '../../src/testing/fault-copies.ts';
import type { PathOptions } from '../../src/testing/path.ts';
import { seedFrom } from '../../src/testing/seeded-random.ts';
import { cleanUp } from '../support/real-server.ts';
import {
  overBothEngines,
  REAL,
  REAL_KINDS,
  RealServers,
  realCoverage,
  realPaths,
} from './real-paths.ts';

const seed = seedFrom(process.env, 11);
/** Copies of each path, each with one fault at a place that the seed decides. */
const FAULTS_EACH = 1;
/** Beside the paths that go through every transition. */
const MORE: Readonly<Record<keyof typeof REAL, readonly PathOptions[]>> = {
  payment: [],
  job: [{ how: 'random', seed, countMax: 4, lengthMax: 12 }],
  alert: [{ how: 'random', seed, countMax: 2, lengthMax: 12 }],
  control: [],
};

const servers = new RealServers();
afterAll(async () => {
  await servers.close();
  await cleanUp();
});

describe.each(REAL_KINDS)(`%s on a real server (STOA_PATHS_SEED=${seed})`, (kind) => {
  const coverage = realCoverage(kind);
  const set = realPaths(kind, { how: 'transitions' });
  const walks = MORE[kind].flatMap((way) => realPaths(kind, way).paths);
  const paths = [
    ...set.paths,
    ...withFaults(set.paths, { where: FAULTS_EACH, seed }),
    ...withFaults(walks, { where: 1, seed }),
  ];

  test.each(overBothEngines(paths))(
    'over %s, server, chain and model agree at every step: %s',
    { timeout: 150_000 },
    (http, _id, path) => servers.play(kind, path, { http, coverage }),
  );

  test('every transition was walked, but for those that are listed with their reasons', () => {
    const report = coverage.report(0);
    const text = coverageText(report);
    process.stdout.write(`${text}\n`);
    const missing = Object.keys(report.transitions).filter((id) => report.transitions[id] === 0);
    expect(missing, text).toEqual(Object.keys(REAL[kind].beyond));
  });
});
