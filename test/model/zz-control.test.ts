import { afterAll, test } from 'vitest';
import { controlMachine } from '../../src/machines/control.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { cleanUp } from '../support/real-server.ts';
import { BoardServer } from './board-server.ts';
import { controlDriver, controlHttpPlan } from './control-driver.ts';
const set = pathSetOf(controlMachine, { ...controlHttpPlan, how: 'transitions', ignored: 'guarded' });
console.log(set.unreachedIds, set.paths.map(p => p.steps.length));
afterAll(cleanUp);
test.each(set.paths.map(p => [p.id, p] as const))('%s', { timeout: 120_000 }, async (_id, path) => {
  await runPath(path, controlDriver(new BoardServer('node'), path), { faults: (process.env['FAULTS']?.split(',') ?? []) as never });
});
