import { expect, test } from 'vitest';
import { gatedWallets } from '../../src/process/escrow/board.ts';
import { BOARD_RATES, BoardGate } from '../../src/transport/a2a/board-gate.ts';

const request = {
  method: 'POST',
  path: '/a2a/jobs/j/evidence',
  body: new Uint8Array(),
  header: '',
};
const wallet = `0x${'a1'.repeat(20)}`;

test('a wallet that asks by tools is within the same rates as at the board', async () => {
  const gate = new BoardGate({ now: () => 0 }, false);
  const wallets = gatedWallets({ prove: async () => ({ wallet, key: 'k' }) }, gate);
  for (let calls = 0; calls < BOARD_RATES.wallet.burst; calls += 1) await wallets.prove(request);
  await expect(wallets.prove(request)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    data: { limit: 'wallet' },
  });
  expect(() => gate.wallet(wallet)).toThrow();
});

test('proofs that fail are counted as well, before anything is checked', async () => {
  const gate = new BoardGate({ now: () => 0 }, false);
  let proofs = 0;
  const prove = async () => {
    proofs += 1;
    throw new Error('forged');
  };
  const wallets = gatedWallets({ prove }, gate);
  for (let calls = 0; calls < BOARD_RATES.total.burst; calls += 1) {
    await wallets.prove(request).catch(() => undefined);
  }
  await expect(wallets.prove(request)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    data: { limit: 'total' },
  });
  expect(proofs).toBe(BOARD_RATES.total.burst);
});
