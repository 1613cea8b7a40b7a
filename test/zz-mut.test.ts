import { test } from 'vitest';
import { engineDriver } from '../src/testing/engine-driver.ts';
import { tryMutants } from '../src/testing/mutants/catches.ts';
import { copiesOf } from './model/broken-copies.ts';
import { frontPaths } from './model/front-paths.ts';
test('m', { timeout: 200000 }, async () => {
  const copies = copiesOf('job');
  const { paths } = frontPaths('job', { how: 'transitions', ignored: 'all' });
  console.log('copies', copies.length, 'paths', paths.length, 'steps', paths.reduce((n, p) => n + p.steps.length, 0));
  const t = Date.now();
  const { survivors } = await tryMutants(copies, paths, { driver: (machine: never) => engineDriver({ machine }) } as never);
  console.log('ms', Date.now() - t, 'SURVIVORS', survivors.map(({ id }: { id: string }) => id));
});
