import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { connectProxy } from '../support/connect-proxy.ts';
import { connectCommand, spawnV1 } from '../support/connect-spawn.ts';
import { DEBATE, question } from '../support/connect-world.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

/** Kills, spread over the time from the call to its answer. */
const ROUNDS = 24;
const STEP_MS = 12;
const FUNDS = 200_000_000n;

let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

test('kill -9 at any point of a paid call: paid once, and never above what the ledger counts', {
  timeout: 300_000,
}, async () => {
  const proxy = await connectProxy(server.ready.mcp_v1);
  const own = ['--data', server.dataDir];
  const address = (await runCli(['connect', '--address', ...own])).stdout.trim();
  await fund(server, address, '200');
  const line = await connectCommand(proxy.url, server.dataDir, ['--per-day', '150']);
  for (let round = 0; round < ROUNDS; round += 1) {
    const peer = await spawnV1(line);
    peer.call(DEBATE, question(`Round ${round}`)).catch(() => undefined);
    await new Promise((done) => setTimeout(done, round * STEP_MS));
    process.kill(peer.pid, 'SIGKILL');
  }
  const last = await spawnV1(line);
  for (let round = 0; round < ROUNDS; round += 1) {
    const told = await last.call(DEBATE, question(`Round ${round}`));
    expect([round, told.isError ?? false]).toEqual([round, false]);
  }
  await last.close();
  const { payments } = JSON.parse((await runCli(['connect', '--ledger', '--json', ...own])).stdout);
  const counted = payments.length * 2_000_000;
  const spent = FUNDS - (await balanceOf(server, address));
  expect(spent).toBeLessThanOrEqual(BigInt(counted));
  // A call that the kill found answered already was bought again: it is a new call then.
  const nonces = new Set(proxy.payments.map(({ payload }) => payload.authorization.nonce));
  expect(spent).toBe(BigInt(nonces.size) * 2_000_000n);
  expect(payments.every(({ outcome }: { outcome: string }) => outcome === 'settled')).toBe(true);
  expect((await expectBooksBalanced(server)).in).toBe(spent);
});
