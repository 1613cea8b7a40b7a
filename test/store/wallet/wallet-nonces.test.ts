import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTrustStore, type TrustStore } from '../../../src/store/chain/trust-store.ts';
import { openWalletNonces, WALLET_NONCES_MAX } from '../../../src/store/wallet/wallet-nonces.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
let store: TrustStore;
beforeEach(() => {
  dir = tempDir();
  store = openTrustStore({ path: dir.path });
});
afterEach(async () => {
  await store.close();
  dir.remove();
});

const nonce = (n: number, expiresAt = 1_000) => ({
  wallet: '0xme',
  nonce: `0x${n}`,
  digest: `d${n}`,
  expiresAt,
});

test('a nonce belongs to the first request that it came with', async () => {
  const nonces = openWalletNonces(store);
  expect(await nonces.bind(nonce(1), 0)).toBe('d1');
  expect(await nonces.bind({ ...nonce(1), digest: 'other' }, 0)).toBe('d1');
  const [first, second] = await Promise.all([
    nonces.bind(nonce(2), 0),
    nonces.bind({ ...nonce(2), digest: 'other' }, 0),
  ]);
  expect([first, second]).toEqual(['d2', 'd2']);
});

test('what has expired goes with the next one, and nothing else does', async () => {
  const nonces = openWalletNonces(store);
  for (let n = 0; n < 150; n += 1) await nonces.bind(nonce(n, 1_000 + n), 0);
  const counts = () => [
    store.table('wallet-nonces').count(),
    store.table('wallet-nonces-due').count(),
  ];
  expect(counts()).toEqual([150, 150]);
  await nonces.bind(nonce(500, 9_000), 1_050);
  expect(counts()).toEqual([101, 101]);
  expect(await nonces.bind({ ...nonce(50), digest: 'other' }, 1_050)).toBe('d50');
  expect(await nonces.bind({ ...nonce(49, 9_000), digest: 'new' }, 1_050)).toBe('new');
});

test('a full table refuses, and takes again once something has expired', async () => {
  const rows = store.table<[string, string], unknown>('wallet-nonces');
  const due = store.table<[number, string, string], null>('wallet-nonces-due');
  const ops = Array.from({ length: WALLET_NONCES_MAX }, (_, n) => [
    rows.change(['0xme', `0x${n}`], { digest: 'd', expiresAt: 5_000 }),
    due.change([5_000, '0xme', `0x${n}`], null),
  ]).flat();
  await store.environment.commit(ops);
  const nonces = openWalletNonces(store);
  const more = { ...nonce(1), wallet: '0xother' };
  await expect(nonces.bind(more, 4_999)).rejects.toMatchObject({
    code: 'OVERLOADED',
    data: { allowed: WALLET_NONCES_MAX },
  });
  expect(rows.count()).toBe(WALLET_NONCES_MAX);
  expect(await nonces.bind(more, 5_001)).toBe('d1');
});
