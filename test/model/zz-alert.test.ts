import { afterAll, beforeAll, test } from 'vitest';
import { alertMachine } from '../../src/machines/alert.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { cleanUp } from '../support/real-server.ts';
import { alertFrontPlan } from './alert-plan.ts';
import { BoardServer } from './board-server.ts';
import { alertDriver } from './alert-driver.ts';
const set = pathSetOf(alertMachine, { ...alertFrontPlan, how: 'transitions', ignored: 'none' });
const server = new BoardServer('node');
beforeAll(() => server.start(), 240000);
afterAll(async () => { await server.stop(); await cleanUp(); });
const want = process.env['ONLY']?.split(',');
test.each(set.paths.filter(p => want === undefined || want.includes(p.id)).map(p => [p.id, p] as const))('%s', { timeout: 120_000 }, async (_id, path) => {
  await runPath(path, alertDriver(server, path), { faults: (process.env['FAULTS']?.split(',') ?? []) as never });
});
