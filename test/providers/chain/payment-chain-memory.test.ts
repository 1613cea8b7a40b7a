import { memoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { paymentChainContract } from './payment-chain.contract.ts';

paymentChainContract('memory', async () => memoryPaymentChain());
