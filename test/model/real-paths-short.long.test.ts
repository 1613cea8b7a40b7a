import { afterAll, describe, expect, test } from 'vitest';
import { withFaults } from '../../src/testing/fault-copies.ts';
import type { TestPath } from '../../src/testing/path.ts';
import { SeededRandom, seedFrom } from '../../src/testing/seeded-random.ts';
import { ENGINES } from '../support/engines.ts';
import { cleanUp } from '../support/real-server.ts';
import { REAL, REAL_KINDS, RealServers, realCoverage, realPaths } from './real-paths.ts';

const seed = seedFrom(process.env, Math.floor(Math.random() * 2 ** 31));
/** Paths of each kind, each with one fault at a place that the seed decides. */
const SAMPLE = { payment: 2, job: 2, alert: 1, control: 1 } as const;
/** Steps of a sampled path at most: the long form plays the others. */
const STEPS_MAX = 6;
/** One engine, so that one server serves all: the long form takes them by turns. */
const HTTP = ENGINES[seed % ENGINES.length] ?? 'node';

const servers = new RealServers();
afterAll(async () => {
  await servers.close();
  await cleanUp();
});

describe.each(REAL_KINDS)(`%s on a real server (STOA_PATHS_SEED=${seed})`, (kind) => {
  const set = realPaths(kind, { how: 'transitions' });
  const coverage = realCoverage(kind);

  test('what no caller, chain or operator can bring about is exactly what is listed', () => {
    expect(set.unreachedIds).toEqual(Object.keys(REAL[kind].beyond));
  });

  test.each(sampleOf(set.paths, SAMPLE[kind]).map((path) => [HTTP, path.id, path] as const))(
    'over %s, server, chain and model agree at every step: %s',
    { timeout: 60_000 },
    (http, _id, path) => servers.play(kind, path, { http, coverage }),
  );
});

function sampleOf(paths: readonly TestPath[], count: number): readonly TestPath[] {
  const chance = new SeededRandom(seed);
  const short = paths.filter(({ steps }) => steps.length > 0 && steps.length <= STEPS_MAX);
  const left = [...(short.length === 0 ? paths : short)];
  const picked = Array.from({ length: count }, () => {
    const path = chance.pick(left);
    return path === undefined ? [] : left.splice(left.indexOf(path), 1);
  });
  return withFaults(picked.flat(), { where: 1, seed });
}
