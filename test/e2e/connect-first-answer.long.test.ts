import { afterAll, expect, test } from 'vitest';
import { connectCommand, spawnV1 } from '../support/connect-spawn.ts';
import { DEBATE, ruledQuestion } from '../support/connect-world.ts';
import { cleanUp, freshDataDir, startRealServer } from '../support/real-server.ts';

/** Longest from a started server to the first paid answer, in milliseconds: a promise. */
const FIRST_ANSWER_MS_MAX = 60_000;

afterAll(cleanUp);

test('from a started server to a paid decision, through a client that cannot pay', {
  timeout: 180_000,
}, async () => {
  const server = await startRealServer(freshDataDir());
  const began = Date.now();
  const peer = await spawnV1(await connectCommand(server.ready.mcp_v1, server.dataDir));
  await peer.names();
  const told = await peer.call(DEBATE, ruledQuestion('Ship it'));
  expect(told.content[0]?.text).toMatch(/^Decision: yes/);
  expect(told.content.at(-1)?.text).toMatch(/^Paid \$2\.00; \$8\.00 of \$10\.00 left today\./);
  expect(Date.now() - began).toBeLessThan(FIRST_ANSWER_MS_MAX);
  await peer.close();
});
