import { afterAll, test } from 'vitest';
import { crashRounds } from '../support/crash-rounds.ts';
import { cleanUp } from '../support/real-server.ts';

afterAll(cleanUp);

test('twenty rounds of killed servers and nodes, with every damage to the state', {
  timeout: 900_000,
}, async () => {
  const round = ['none', 'torn state', 'older state', 'none', 'no state'] as const;
  await crashRounds([...round, ...round, ...round, ...round]);
});
