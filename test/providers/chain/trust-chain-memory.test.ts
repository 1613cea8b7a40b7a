import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { memoryWalletMaker } from '../../support/wallet-contract.ts';
import { trustChainSuite } from './trust-chain-suite.ts';

trustChainSuite('memory', async () => {
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  const chain = createMemoryPaymentChain({ now });
  return {
    chain,
    trust: chain.trust,
    nowS: async () => Math.floor(now() / 1_000),
    passS: async (seconds) => {
      passedMs += seconds * 1_000;
    },
    fund: (address, amount) => chain.faucet(address, amount),
    wallet: memoryWalletMaker(chain),
    close: () => chain.close(),
  };
});
