import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { coverageText, writeCoverage } from '../../src/testing/coverage.ts';
import { withFaults } from '../../src/testing/fault-copies.ts';
import type { PathOptions, TestPath } from '../../src/testing/path.ts';
import { seedFrom } from '../../src/testing/seeded-random.ts';
import {
  frontCoverage,
  frontPaths,
  KINDS,
  overBothEngines,
  playThroughFront,
} from './front-paths.ts';
import { BEYOND, type Driven } from './plans.ts';

/** Reports for the console: a server shows what lies in the folder `coverage` of its data. */
const FOLDER = fileURLToPath(new URL('../../.cache/coverage', import.meta.url));
const seed = seedFrom(process.env, Math.floor(Math.random() * 2 ** 31));

/** Beside the paths that go through every transition; walks repeat what simple paths may not. */
const MORE: Readonly<Record<Driven, readonly PathOptions[]>> = {
  payment: [{ how: 'simple' }, { how: 'random', seed, countMax: 30, lengthMax: 14 }],
  debate: [{ how: 'random', seed, countMax: 25 }],
  job: [{ how: 'random', seed, countMax: 100 }],
  control: [{ how: 'simple' }],
  council: [{ how: 'random', seed, countMax: 25 }],
  arbitration: [{ how: 'random', seed, countMax: 25 }],
  audit: [{ how: 'random', seed, countMax: 20 }],
};

describe.each(KINDS)(`every path of %s (STOA_PATHS_SEED=${seed})`, (kind) => {
  const coverage = frontCoverage(kind);
  const ways = [{ how: 'transitions' } as const, ...MORE[kind]];
  const paths: readonly TestPath[] = ways.flatMap((way) => frontPaths(kind, way).paths);

  test.each(overBothEngines([...paths, ...withFaults(paths, { where: 'everyStep' })]))(
    'over %s, server and model agree at every step: %s',
    { timeout: 60_000 },
    (http, _id, path) => playThroughFront(kind, path, { http, coverage }),
  );

  test('the report for the console says that all was walked', () => {
    const report = coverage.report(Date.now());
    const file = writeCoverage(FOLDER, report);
    expect(existsSync(join(file))).toBe(true);
    const missing = Object.keys(report.transitions).filter((id) => report.transitions[id] === 0);
    expect(missing, coverageText(report)).toEqual(Object.keys(BEYOND[kind]));
  });
});
