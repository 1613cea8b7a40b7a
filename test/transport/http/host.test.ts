import { afterAll, beforeAll, describe, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
import { CONTRACT, type HostWorld, startWorld } from './host.contract.ts';

describe.each(ENGINES)('the contract of an HTTP engine, kept by %s', (engine) => {
  let world: HostWorld;
  beforeAll(async () => {
    world = await startWorld(engine);
  });
  afterAll(() => world.host.close(100));

  for (const { name, run } of CONTRACT) test(name, async () => run(world));
});
