import { afterAll } from 'vitest';
import { openPaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { paymentChainContract } from './payment-chain.contract.ts';

const folder = tempDir();
afterAll(() => folder.remove());

paymentChainContract('a local node', () =>
  openPaymentChain({
    kind: 'local',
    dataDir: folder.path,
    now: Date.now,
    notice: () => undefined,
  }),
);
