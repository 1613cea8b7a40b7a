import { afterAll, test } from 'vitest';
import { crashRounds } from '../support/crash-rounds.ts';
import { cleanUp } from '../support/real-server.ts';

afterAll(cleanUp);

test('server and node killed together at any moment: receipts stay true, the books balance', {
  timeout: 180_000,
}, async () => {
  await crashRounds(['torn state', 'older state']);
});
