import { secondChain } from '../../support/second-chain.ts';
import { walletMaker } from '../../support/wallet-contract.ts';
import { trustChainSuite } from './trust-chain-suite.ts';

/** Blocks of two seconds: a call takes four of them with its confirmation. */
const TEST_MS = 180_000;

trustChainSuite(
  'a chain of others with slow blocks',
  async () => {
    const second = await secondChain();
    const chain = await second.open();
    return {
      chain,
      trust: chain.trust,
      nowS: second.nowS,
      passS: second.passS,
      fund: second.mint,
      wallet: walletMaker(second.rpcUrl),
      close: async () => {
        await chain.close();
        await second.close();
      },
    };
  },
  TEST_MS,
);
