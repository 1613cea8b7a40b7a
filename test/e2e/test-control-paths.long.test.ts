import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withFaults } from '../../src/testing/fault-copies.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { SeededRandom, seedFrom } from '../../src/testing/seeded-random.ts';
import { developDriver } from '../model/develop-driver.ts';
import { developServer } from '../model/develop-server.ts';
import { frontPaths } from '../model/front-paths.ts';
import { cleanUp } from '../support/real-server.ts';

const seed = seedFrom(process.env, Math.floor(Math.random() * 2 ** 31));
/** Paths of each kind, and kills in each of them: a start takes a third of a second. */
const SAMPLE = { paths: 3, kills: 2 };

describe.each(['job', 'control'] as const)(
  `%s in a real server that is killed (STOA_PATHS_SEED=${seed})`,
  (kind) => {
    let host: Awaited<ReturnType<typeof developServer>>;
    beforeAll(async () => {
      host = await developServer();
    }, 120_000);
    afterAll(async () => {
      await host.close();
      await cleanUp();
    });

    const chance = new SeededRandom(seed);
    const all = frontPaths(kind, { how: 'transitions' }).paths;
    const picked = Array.from({ length: SAMPLE.paths }, () => chance.pick(all)).filter(
      (path) => path !== undefined,
    );
    const killed = withFaults(picked, { faults: ['kill_restart'], where: SAMPLE.kills, seed });
    const broken = withFaults(picked, {
      faults: ['lost_reply', 'duplicate', 'delay'],
      where: 1,
      seed,
    });

    test.each([...killed, ...broken].map((path, at) => [path.id, at, path] as const))(
      'it agrees with the model at every step of %s',
      { timeout: 120_000 },
      async (id, at, path) => {
        const run = await runPath(path, developDriver(host, { kind, actorId: `${id}#${at}` }));
        expect(run.faults).toBe(1);
      },
    );
  },
);
