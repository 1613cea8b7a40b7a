import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobMachine } from '../../src/machines/job.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { cleanUp } from '../support/real-server.ts';
import { boardPlan } from './board-plan.ts';
import { BoardServer } from './board-server.ts';
import { boardJobDriver } from './board-job-driver.ts';
const set = pathSetOf(jobMachine, { ...boardPlan, how: 'transitions', ignored: 'none' });
const server = new BoardServer('node');
beforeAll(() => server.start(), 240000);
afterAll(async () => { await server.stop(); await cleanUp(); });
const want = process.env['ONLY']?.split(',');
test.each(set.paths.filter(p => want === undefined || want.includes(p.id)).map(p => [p.id, p] as const))('%s', { timeout: 120_000 }, async (_id, path) => {
  await runPath(path, boardJobDriver(server, path), { faults: (process.env['FAULTS']?.split(',') ?? []) as never });
});
