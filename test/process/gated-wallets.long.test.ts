import { expect, test } from 'vitest';
import { rateLimitedWallets } from '../../src/process/escrow/board.ts';
import { BOARD_RATES, BoardRateLimiter } from '../../src/transport/a2a/board-rate-limiter.ts';

const request = {
  method: 'POST',
  path: '/a2a/jobs/j/evidence',
  body: new Uint8Array(),
  header: '',
};
const wallet = `0x${'a1'.repeat(20)}`;

test('a wallet that asks by tools is within the same rates as at the board', async () => {
  const gate = new BoardRateLimiter({ now: () => 0 }, false);
  const wallets = rateLimitedWallets({ prove: async () => ({ wallet, key: 'k' }) }, gate);
  for (let calls = 0; calls < BOARD_RATES.wallet.burst; calls += 1) await wallets.prove(request);
  await expect(wallets.prove(request)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    data: { limit: 'wallet' },
  });
  expect(() => gate.countWallet(wallet)).toThrow();
});

test('proofs that fail are counted as well, before anything is checked', async () => {
  const gate = new BoardRateLimiter({ now: () => 0 }, false);
  let proofs = 0;
  const prove = async () => {
    proofs += 1;
    throw new Error('forged');
  };
  const wallets = rateLimitedWallets({ prove }, gate);
  for (let calls = 0; calls < BOARD_RATES.total.burst; calls += 1) {
    await wallets.prove(request).catch(() => undefined);
  }
  await expect(wallets.prove(request)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    data: { limit: 'total' },
  });
  expect(proofs).toBe(BOARD_RATES.total.burst);
});
