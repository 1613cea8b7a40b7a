import { afterAll, beforeAll, describe, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
import { SOCKET_CONTRACT } from './socket.contract.ts';
import { type SocketWorld, startSockets } from './socket-world.ts';

describe.each(ENGINES)('the contract of sockets, kept by %s', (engine) => {
  let world: SocketWorld;
  beforeAll(async () => {
    world = await startSockets(engine);
  });
  afterAll(() => world.host.close(100));

  for (const { name, run } of SOCKET_CONTRACT) test(name, async () => run(world));
});
