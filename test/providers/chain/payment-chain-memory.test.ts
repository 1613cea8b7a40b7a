import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { paymentChainContract } from './payment-chain.contract.ts';

paymentChainContract('memory', async () => createMemoryPaymentChain());
