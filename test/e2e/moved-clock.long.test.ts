import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { expectBooksBalanced } from '../support/books.ts';
import { liveBoard } from '../support/live-board.ts';
import { nodeRpc } from '../support/node-rpc.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const SHIM = fileURLToPath(new URL('../support/moved-clock.cjs', import.meta.url));
const HOUR_S = 3_600;
/** Long enough for a timer that is due to be tried at the chain. */
const TRIED_MS = 4_000;

afterAll(cleanUp);

/** Starts the server on a computer whose clock is wrong by so many hours. */
function startWrong(dataDir: string, hours: number): Promise<RealServer> {
  const env = { NODE_OPTIONS: `--require ${SHIM}`, MOVED_CLOCK_MS: String(hours * HOUR_S * 1_000) };
  return startRealServer(dataDir, [], env);
}

test('a clock that is hours ahead or behind releases nothing early or twice: the chain decides', {
  timeout: 400_000,
}, async () => {
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir);
  const board = await liveBoard(() => server, '20');
  const { buyer, provider } = board;
  const waiting = await board.hire('escrow', '5');
  await board.fulfil(waiting.job_id);
  const unfulfilled = await board.hire('escrow', '5');
  const stateOf = async ({ job_id }: { job_id: string }) => (await board.job(job_id)).state;
  const held = async (hint: string) => {
    expect(await balanceOf(server, provider.wallet.address), hint).toBe(0n);
    expect(await stateOf(waiting), hint).toMatch(/^fulfilled/);
    expect(await stateOf(unfulfilled), hint).toMatch(/^(escrowed|refunding)/);
    const audited = await expectBooksBalanced(server, { hint });
    expect(audited, hint).toMatchObject({ paidOut: 0n, refunded: 0n, openJobs: 10_000_000n });
  };

  const pass = async (hours: number) => {
    await nodeRpc(server.ready.chain.rpc_url, 'evm_increaseTime', hours * HOUR_S);
    await nodeRpc(server.ready.chain.rpc_url, 'evm_mine');
  };
  const restart = async (hours: number) => {
    await server.kill();
    server = await startWrong(dataDir, hours);
    await sleep(TRIED_MS);
  };

  // Ahead: the timers of our own clock are due, and the chain does not let the money go.
  await restart(300);
  expect(await stateOf(unfulfilled)).toMatch(/^refunding/);
  await held('300 hours ahead');
  // Back again, and behind.
  await restart(-5);
  await held('5 hours behind');

  // On the chain the release window passes; a server that is behind does not see it yet.
  await pass(73);
  await sleep(TRIED_MS);
  await held('73 hours later on the chain alone');
  // Further ahead than before, where the next try is due: of the two, one may go.
  await restart(400);
  await expect.poll(() => stateOf(waiting), { timeout: 30_000 }).toBe('released');
  expect(await stateOf(unfulfilled)).toMatch(/^refunding/);
  expect(await balanceOf(server, buyer.wallet.address)).toBe(10_000_000n);
  // The time to fulfil is over as well: 7 days of being open and 3 of work.
  await pass(170);
  await restart(500);
  await expect.poll(() => stateOf(unfulfilled), { timeout: 30_000 }).toBe('refunded');
  expect((await board.job(waiting.job_id)).payout?.is_automatic).toBe(true);
  await restart(-5);
  expect(await balanceOf(server, provider.wallet.address)).toBe(4_000_000n);
  expect(await balanceOf(server, buyer.wallet.address)).toBe(15_000_000n);
  expect(await expectBooksBalanced(server, { hint: 'at the end' })).toMatchObject({
    in: 10_000_000n,
    paidOut: 4_000_000n,
    refunded: 5_000_000n,
    kept: 1_000_000n,
    held: 0n,
  });
  await server.stop();
});
