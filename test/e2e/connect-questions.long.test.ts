import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { type Command, connectCommand, spawnV1, spawnV2 } from '../support/connect-spawn.ts';
import { DEBATE, question } from '../support/connect-world.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

/** A command with a wallet of its own, paying on the server's chain. */
async function command(flags: readonly string[] = []): Promise<Command> {
  return connectCommand(server.ready.mcp, server.dataDir, ['--per-day', '1000', ...flags]);
}

let asked = 0;
function fresh(): object {
  asked += 1;
  return question(`Number ${asked}`);
}

test('a question above a cap reaches a client without a session, and its yes pays once', {
  timeout: 60_000,
}, async () => {
  const messages: string[] = [];
  const line = await command(['--per-call', '0.50']);
  const yes = await spawnV2(line, { pin: '2026-07-28' }, async (message) => {
    messages.push(message);
    return { action: 'accept', content: { pay: true } };
  });
  const told = await yes.call(DEBATE, fresh());
  expect(told.isError).toBeFalsy();
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatch(/^Pay \$2\.00 for /);
  await yes.close();
  const no = await spawnV2(line, { pin: '2026-07-28' }, async () => ({ action: 'decline' }));
  const declined = await no.call(DEBATE, fresh());
  expect(declined.structuredContent).toMatchObject({
    error: 'SPENDING_CAP',
    data: { asked: 'declined' },
  });
  await no.close();
});

test('two processes on one wallet keep its daily cap together', { timeout: 120_000 }, async () => {
  const wallet = join(freshDataDir(), 'shared.key');
  const line = await command(['--wallet', wallet, '--per-day', '6']);
  const address = (await runCli(['connect', '--address', '--wallet', wallet])).stdout.trim();
  const peers = await Promise.all([spawnV1(line), spawnV1(line)]);
  const told = await Promise.all(
    peers.flatMap((peer) => [1, 2, 3, 4].map(() => peer.call(DEBATE, fresh()))),
  );
  expect(told.filter(({ isError }) => isError !== true)).toHaveLength(3);
  const funded = await balanceOf(server, address);
  expect(funded % 20_000_000n).toBe(14_000_000n);
  await Promise.all(peers.map((peer) => peer.close()));
});
