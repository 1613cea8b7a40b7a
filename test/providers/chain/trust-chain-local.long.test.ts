import { openPaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { walletMaker } from '../../support/wallet-contract.ts';
import { trustChainSuite } from './trust-chain-suite.ts';

trustChainSuite('a local node', async () => {
  const folder = tempDir();
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  const notice = () => undefined;
  const chain = await openPaymentChain({ kind: 'local', dataDir: folder.path, now, notice });
  return {
    chain,
    trust: chain.trust,
    nowS: async () => Math.floor(now() / 1_000),
    passS: async (seconds) => {
      passedMs += seconds * 1_000;
      await nodeRpc(chain.facts.rpcUrl, 'evm_increaseTime', seconds);
    },
    fund: (address, amount) => chain.faucet(address, amount),
    wallet: walletMaker(chain.facts.rpcUrl),
    close: async () => {
      await chain.close();
      folder.remove();
    },
  };
});
