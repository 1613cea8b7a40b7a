import type { WalletNonces } from '../../src/domain/wallet/wallet-nonces.ts';

/** Nonces of signed requests, in memory: nothing waits for a disk. */
export function memoryNonces(): WalletNonces {
  const bound = new Map<string, string>();
  return {
    bind: async ({ wallet, nonce, digest }) => {
      const key = `${wallet} ${nonce}`;
      const known = bound.get(key) ?? digest;
      bound.set(key, known);
      return known;
    },
  };
}
